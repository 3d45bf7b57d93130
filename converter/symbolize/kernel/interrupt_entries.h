// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_KERNEL_INTERRUPT_ENTRIES_H_
#define PERF2X_SYMBOLIZE_KERNEL_INTERRUPT_ENTRIES_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "converter/symbolize/elf/symbol_index.h"

namespace perf2x {

// Addresses [start, end).
struct CodeRange {
  uint64_t start = 0, end = 0;
};

// Returns true if `name` is a kernel symbol of entry code for interrupts and
// exceptions, or of assembly code that the kernel sets as a return address
// (ret_from_exception). Callchain entries in such code need not follow a call.
// Knows the names in entry.S, entry_64.S and exceptions-64s.S of x86, arm,
// arm64, s390, powerpc, riscv and mips.
bool IsInterruptEntry(absl::string_view name);

// Returns the address ranges of all interrupt entries in `symbols`, ascending
// by start. Requires SymbolIndex::Finish. Subtracts `delta` from each address,
// modulo 2^64. Omits ranges that then wrap around.
std::vector<CodeRange> InterruptEntriesOf(const SymbolIndex& symbols,
                                          uint64_t delta);

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_KERNEL_INTERRUPT_ENTRIES_H_
