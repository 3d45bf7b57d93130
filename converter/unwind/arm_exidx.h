// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_UNWIND_ARM_EXIDX_H_
#define PERF2X_UNWIND_ARM_EXIDX_H_

#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "converter/symbolize/elf/elf_file.h"
#include "converter/unwind/cfi_program.h"
#include "converter/unwind/frame_rule.h"

namespace perf2x {

// The unwind table of 32-bit ARM code, .ARM.exidx (Exception Handling ABI for
// the Arm Architecture, IHI 0038). The rules are valid between a function's
// prologue and epilogue. Thread-safe.
class ArmExidx {
 public:
  // Returns nullopt if `elf` has no table or is big-endian. `elf` must outlive
  // the result.
  static std::optional<ArmExidx> Open(const ElfFile& elf);

  // Returns the rule for a link-time address, interned in `rules`, and the
  // range for which it holds. Charges work, but no memory, to the file's
  // budget. Nullopt if `address` is before all entries. The rule is kNoRule if
  // the entry is damaged or no FrameRule can express it. At the first
  // instruction of a function, the rule says that nothing is saved yet.
  std::optional<RuleRange> Find(uint64_t address, RuleTable* rules) const;

 private:
  ArmExidx(const ElfFile* elf, uint32_t start, absl::Span<const uint8_t> table)
      : elf_(elf), start_(start), table_(table) {}
  // Decodes the place-relative address at word `at` of the table.
  uint32_t Target(size_t at) const;
  // Returns the file's bytes from link-time address `address` on.
  absl::Span<const uint8_t> BytesAt(uint64_t address) const;
  RuleId RuleOf(size_t entry, RuleTable* rules) const;

  const ElfFile* elf_;
  uint32_t start_;  // link-time address of the table
  absl::Span<const uint8_t> table_;
};

}  // namespace perf2x

#endif  // PERF2X_UNWIND_ARM_EXIDX_H_
