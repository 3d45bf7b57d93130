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

// Whether a kernel's symbol is assembly that interrupts and exceptions enter,
// so that its caller in a stack was interrupted and has called nothing, or that
// C code is made to return to, so that no call ends before it. By name, as
// kernels of x86, arm, arm64, s390, powerpc, riscv and mips have them (their
// entry.S, entry_64.S, exceptions-64s.S).
bool IsInterruptEntry(absl::string_view name);

// Where these lie, ascending, at addresses that are `delta` less than those of
// `symbols`.
std::vector<CodeRange> InterruptEntriesOf(const SymbolIndex& symbols,
                                          uint64_t delta);

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_KERNEL_INTERRUPT_ENTRIES_H_
