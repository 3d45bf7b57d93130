// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_MODEL_CODE_IMAGE_H_
#define PERF2X_MODEL_CODE_IMAGE_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace perf2x {

// A place in the source: a line of a function, as compilers name it in sample
// profiles.
struct CodeLine {
  absl::string_view function;  // linkage name; valid as long as the CodeImage
  // Lines from the function's own line, modulo 65536. Code to which the
  // compiler gave the line 0 has an offset that no line has.
  uint32_t line_offset = 0;
  uint32_t discriminator = 0;  // as in the line table, encoded by the compiler
};

// The machine code of one Dso, by link-time addresses. Reads its file when it
// is asked. Untrusted files cost no more than their Budget; once that is
// exhausted, code counts as unknown. Not thread-safe.
class CodeImage {
 public:
  struct Function {
    uint64_t start = 0, end = 0;
    uint64_t limit = 0;  // where the next function, or the section's end, is
    absl::string_view name;  // as in the symbol table
    // Of a name that is local to its source file: its number among the local
    // symbols of that name, by address from 1. 0: the name is global.
    uint32_t local_number = 0;
  };
  // Instructions that only run one after the other.
  struct Block {
    uint64_t first = 0, last = 0;  // addresses of instructions
    uint32_t instructions = 0;
  };
  using Range = std::pair<uint64_t, uint64_t>;  // [first, second)

  virtual ~CodeImage() = default;

  // Returns the address at which a Frame::address was linked.
  virtual std::optional<uint64_t> AddressOf(uint64_t frame_address) const = 0;
  // Returns the start of the first executable segment, rounded down to a page.
  virtual uint64_t code_start() const = 0;
  // Returns true if the file is not linked to a fixed address.
  virtual bool is_position_independent() const = 0;

  // Returns the function that starts last at or before `address`, if `address`
  // is below its limit.
  virtual std::optional<Function> FunctionAt(uint64_t address) const = 0;
  // Returns true if instructions of this machine can be decoded.
  virtual bool decodes() const = 0;
  // Returns the size of the instruction at `address`; 0 if none starts there.
  // Requires decodes(), as do the next three.
  virtual uint32_t InstructionSize(uint64_t address) = 0;
  // Returns the first instruction at or after `address`, and below `end`.
  virtual std::optional<uint64_t> NextInstruction(uint64_t address,
                                                  uint64_t end) = 0;
  // Returns true if no instruction in [start, end) is a call, a return or an
  // unconditional direct jump.
  virtual bool RunsThrough(uint64_t start, uint64_t end) = 0;

  // Returns the basic block of the instruction at `address`: between branches
  // and targets of direct branches.
  virtual Block BlockAt(uint64_t address) = 0;

  // Appends the functions at `address` with their lines, the outermost first;
  // nothing if debug information has none.
  virtual void AppendLines(uint64_t address, std::vector<CodeLine>* lines) = 0;
  // Appends the ranges of code of the function at `address`, from debug
  // information.
  virtual void AppendRanges(uint64_t address, std::vector<Range>* ranges) = 0;
};

}  // namespace perf2x

#endif  // PERF2X_MODEL_CODE_IMAGE_H_
