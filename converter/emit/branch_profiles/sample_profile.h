// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_BRANCH_PROFILES_SAMPLE_PROFILE_H_
#define PERF2X_EMIT_BRANCH_PROFILES_SAMPLE_PROFILE_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/base/budget.h"
#include "converter/base/output.h"
#include "converter/model/code_image.h"

namespace perf2x {

// A decoded discriminator of a source line; see LLVM's DebugInfoMetadata.h.
struct Discriminator {
  uint32_t base = 0;  // distinguishes the blocks of the line
  // Optimizations made this many copies of the code. Counts of one copy are
  // multiplied by it.
  uint32_t duplication = 1;

  // Decodes CodeLine::discriminator.
  static Discriminator Decode(uint32_t encoded);
};

// Returns a function's name without the suffixes of its copies (".llvm.1234",
// ".part.0"), as LLVM's FunctionSamples::getCanonicalFnName().
absl::string_view CanonicalName(absl::string_view name);

// Returns a function's name without the suffixes of its copies, as GCC's
// get_original_name(): what is before the first dot.
absl::string_view NameForGcc(absl::string_view name);

// A sample profile as compilers have it: the samples of each function by line,
// inlined functions included. Functions with the same CanonicalName, or
// NameForGcc, are one.
// Charges memory, and work for long names, to the budget. Once the budget is
// exhausted, skips new lines and functions, and everything passed to AddCall.
// Counts saturate. Not thread-safe.
class SampleProfile {
 public:
  // The line of each function at an instruction, inlined functions included,
  // the outermost first. AddInstruction and AddCall ignore empty lists.
  using Lines = absl::Span<const CodeLine>;

  // Whose profile it is. GCC's discriminators are plain numbers.
  enum class Reader { kLlvm, kGcc };

  // `budget`, and the names of functions that are passed to the methods, must
  // outlive this.
  explicit SampleProfile(Budget& budget, Reader reader = Reader::kLlvm)
      : reader_(reader), budget_(budget), memory_(budget) {}

  // Adds an instruction of `size` bytes that was executed `count` times. Adds
  // `size` times `count` to the total samples of each function in `lines`. The
  // count of the innermost line becomes the largest count of its instructions.
  // Multiplies `count` by Discriminator::duplication first: callers must not.
  void AddInstruction(Lines lines, uint64_t count, uint32_t size);
  // Adds `count` calls of `callee` from the instruction that has `lines`.
  void AddCall(Lines lines, absl::string_view callee, uint64_t count);
  // Adds `count` entries (head samples) to a function that is not inlined.
  void AddHead(absl::string_view function, uint64_t count);

  // Writes LLVM's text form (SampleProfileWriterText::writeSample()), the
  // functions with most samples first. Omits functions that have one name in
  // many files (__cxx_global_var_init…, __tls_init…), and does not count them.
  // In functions that are not inlined, a line has at least as many samples as
  // calls. Once the budget's output is used up, omits the remaining parts and
  // counts them, see unwritten(). Returns the output's errors; does not close
  // it. To be called once, last.
  absl::Status Write(Output& output);
  // Writes the binary form that GCC 12 to 15 read with -fauto-profile: version
  // 2, described in comments of GCC's auto-profile.cc. It has all functions. As
  // Write, returns the output's errors and is to be called once, last.
  absl::Status WriteGcc(Output& output);
  // Returns true if there is no function.
  bool empty() const { return functions_.empty(); }
  // Returns how many calls of Add methods were skipped, wholly or partly.
  uint64_t skipped() const { return skipped_; }
  // Returns how many functions, lines and calls Write has omitted for the
  // budget.
  uint64_t unwritten() const { return unwritten_; }

 private:
  struct Place {
    uint32_t line_offset = 0, discriminator = 0;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  // Index of a canonical name in names_. kNoId: the budget was exhausted.
  using NameId = uint32_t;
  struct Line {
    uint64_t count = 0;
    std::map<NameId, uint64_t> calls;  // by callee
  };
  struct Function {
    uint64_t total = 0, head = 0;
    std::map<Place, Line> lines;
    std::map<Place, std::map<NameId, Function>> inlined;
  };

  Discriminator DecodedOf(const CodeLine& line) const;
  Place PlaceOf(const CodeLine& line) const;
  // Returns the id of a function's canonical name; kNoId if it is new and the
  // budget is exhausted.
  NameId Intern(absl::string_view name);
  // Sets rank_.
  void RankNames();
  // Returns pointers to the elements of `by_name` in order of names.
  template <class Map>
  auto InOrderOfNames(Map& by_name) const {
    std::vector<decltype(&*by_name.begin())> out;
    out.reserve(by_name.size());
    for (auto& item : by_name) out.push_back(&item);
    std::sort(out.begin(), out.end(), [&](const auto* a, const auto* b) {
      return rank_[a->first] < rank_[b->first];
    });
    return out;
  }
  // Returns the innermost function of `lines`, and adds `total` to the samples
  // of all; null if there are none, or if the budget is exhausted.
  Function* Innermost(Lines lines, uint64_t total);
  // Charges the budget for a part of the profile if it is new. Returns false,
  // and counts the call as skipped, if the budget is exhausted.
  bool HasRoom(bool is_new);
  absl::Status WriteLines(const Function& function, size_t indent,
                          Output& output);
  absl::Status WriteCalls(const Line& line, Output& output);
  // Returns the index of a name in WriteGcc's table.
  uint32_t GccIndexOf(NameId name) const { return rank_[name] + 1; }
  absl::Status WriteGccFunction(NameId name, const Function& function,
                                Output& output);
  // Returns false, and counts, if the budget's output is used up.
  bool MayWrite();
  // Writes text_ if it has at least `min_size` bytes.
  absl::Status Flush(size_t min_size, Output& output);

  const Reader reader_;
  Budget& budget_;
  Budget::Share memory_;
  uint64_t kept_ = 0;  // lines, functions and calls
  uint64_t skipped_ = 0, unwritten_ = 0;
  std::string text_;                      // not written yet
  std::vector<absl::string_view> names_;  // by NameId
  std::vector<uint32_t> rank_;            // of the names, by NameId
  absl::flat_hash_map<absl::string_view, NameId> ids_;  // of names_
  // By address and size of a name as it was passed: a name that comes again is
  // found without reading it.
  absl::flat_hash_map<std::pair<const char*, size_t>, NameId> known_;
  std::map<NameId, Function> functions_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_BRANCH_PROFILES_SAMPLE_PROFILE_H_
