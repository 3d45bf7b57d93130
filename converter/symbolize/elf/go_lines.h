// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_ELF_GO_LINES_H_
#define PERF2X_SYMBOLIZE_ELF_GO_LINES_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "converter/symbolize/dwarf/dwarf_info.h"
#include "converter/symbolize/elf/go_table.h"
#include "converter/symbolize/skipped_parts.h"

namespace perf2x {

// A value (line, file, …) of a range of code. The range begins at `end` of the
// previous GoValue; the first range begins at the start of the function.
struct GoValue {
  uint64_t end = 0;  // of the range; a link-time address
  int32_t value = 0;
};
// Decodes one kind of values of a function, ascending by address. `offset` is
// the function's field for that kind: `files`, `lines` or `calls`. If it is 0,
// there are no values. Damage ends the list. If `steps` is not null, decodes at
// most `*steps` values and subtracts their number from `*steps`.
std::vector<GoValue> DecodeGoValues(const GoTable& table,
                                    const GoTable::Function& function,
                                    uint32_t offset, uint64_t* steps);

// The functions, inlined functions and lines of a Go program by address. Caches
// the last function: ascending addresses are fast. Charges frames to the file's
// budget. The number of values that are decoded is limited to 16 for each byte
// of the file. Once a limit is reached, functions lack files and lines, and
// skipped() lists them. Not thread-safe, but several GoLines may share a table.
class GoLines {
 public:
  explicit GoLines(std::shared_ptr<const GoTable> table);

  // Appends the functions at `address`, innermost inlined one first; nothing if
  // no function has the address. Without `inlines`, appends only the function
  // that has the code; if functions are inlined there, the line is that of the
  // inlined call in it. Strings live as long as the ELF file.
  void Find(uint64_t address, bool inlines, std::vector<DwarfFrame>* frames);
  // Returns what was skipped so far because a limit was reached.
  const SkippedParts& skipped() const { return skipped_; }

 private:
  bool Load(uint64_t address);

  const std::shared_ptr<const GoTable> table_;
  uint64_t steps_left_;
  SkippedParts skipped_;
  std::optional<size_t> index_;  // index of the cached function
  bool usable_ = false;
  GoTable::Function function_;
  std::vector<GoValue> files_, lines_, calls_;
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_ELF_GO_LINES_H_
