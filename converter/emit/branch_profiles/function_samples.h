// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_BRANCH_PROFILES_FUNCTION_SAMPLES_H_
#define PERF2X_EMIT_BRANCH_PROFILES_FUNCTION_SAMPLES_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/base/budget.h"
#include "converter/base/output.h"
#include "converter/model/code_image.h"

namespace perf2x {

// A compiler's discriminator of a line: a component for the copy of the code
// that is meant, and one for the number of copies that optimizations made of
// it. LLVM's DebugInfoMetadata.h describes the encoding.
struct Discriminator {
  uint32_t base = 0;
  uint32_t duplication = 1;  // counts are to be multiplied by this

  static Discriminator Decode(uint32_t encoded);
};

// Returns a function's name without the suffixes of its copies (".llvm.1234",
// ".part.0"), as LLVM's FunctionSamples::getCanonicalFnName().
absl::string_view CanonicalName(absl::string_view name);

// A sample profile as LLVM has it: the samples of each function by line, with
// those of the functions that were inlined into it. Names are kept as
// references. Lines beyond the budget are skipped and counted. Not thread-safe.
class SampleProfile {
 public:
  using Lines = absl::Span<const CodeLine>;  // outermost function first

  explicit SampleProfile(Budget& budget) : budget_(budget), memory_(budget) {}

  // Adds an instruction that was executed `count` times, to the total samples
  // `count` times its size. A line has the largest count of its instructions.
  void AddInstruction(Lines lines, uint64_t count, uint32_t size);
  // Adds calls of `callee` from an instruction.
  void AddCall(Lines lines, absl::string_view callee, uint64_t count);
  // Adds entries of a function that was not inlined.
  void AddHead(absl::string_view function, uint64_t count);

  // Writes the text form, the functions with most samples first
  // (SampleProfileWriterText::writeSample()).
  absl::Status Write(Output& output);
  bool empty() const { return functions_.empty(); }
  uint64_t skipped() const { return skipped_; }

 private:
  struct Place {
    uint32_t line_offset = 0, discriminator = 0;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  struct Line {
    uint64_t count = 0;
    std::map<absl::string_view, uint64_t> calls;  // by callee
  };
  struct Function {
    uint64_t total = 0, head = 0;
    std::map<Place, Line> lines;
    std::map<Place, std::map<absl::string_view, Function>> inlined;
  };

  static Place PlaceOf(const CodeLine& line);
  // Returns the innermost function of `lines`, and adds `total` to the samples
  // of all; null if there is no room.
  Function* Innermost(Lines lines, uint64_t total);
  bool HasRoom(bool is_new);
  static void AppendFunction(const Function& function, size_t indent,
                             std::string* text);

  Budget& budget_;
  Budget::Share memory_;
  uint64_t kept_ = 0;  // lines, functions and calls
  uint64_t skipped_ = 0;
  std::map<absl::string_view, Function> functions_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_BRANCH_PROFILES_FUNCTION_SAMPLES_H_
