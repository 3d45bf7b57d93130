#ifndef PERF2X_UNWIND_ARM_EXIDX_H_
#define PERF2X_UNWIND_ARM_EXIDX_H_

#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "converter/symbolize/elf/elf_file.h"
#include "converter/unwind/cfi_program.h"
#include "converter/unwind/frame_rule.h"

namespace perf2x {

// The unwinding table of 32-bit ARM code, .ARM.exidx (Exception Handling ABI
// for the Arm Architecture, IHI 0038). Its rules hold behind a function's
// prologue and before its epilogue.
class ArmExidx {
 public:
  // `elf` must outlive the table. Nullopt when it has none.
  static std::optional<ArmExidx> Open(const ElfFile& elf);

  // The rule of the entry that covers `address`; nullopt: none. It is kNoRule
  // when the entry is broken or says more than a rule can.
  std::optional<RuleRange> Find(uint64_t address, RuleTable* rules) const;

 private:
  ArmExidx(const ElfFile* elf, uint32_t start, absl::Span<const uint8_t> table)
      : elf_(elf), start_(start), table_(table) {}
  // The address that word `at` of the table, relative to itself, means.
  uint32_t Target(size_t at) const;
  // The file's bytes from link-time address `address` on.
  absl::Span<const uint8_t> BytesAt(uint64_t address) const;
  RuleId RuleOf(size_t entry, RuleTable* rules) const;

  const ElfFile* elf_;
  uint32_t start_;  // link-time address of the table
  absl::Span<const uint8_t> table_;
};

}  // namespace perf2x

#endif  // PERF2X_UNWIND_ARM_EXIDX_H_
