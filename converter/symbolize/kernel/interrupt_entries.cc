// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/kernel/interrupt_entries.h"

#include <algorithm>

#include "absl/strings/match.h"

namespace perf2x {
namespace {

constexpr absl::string_view kPrefixes[] = {
    "asm_exc_", "asm_sysvec_", "asm_fred_exc_", "xen_asm_exc_",
    // el1h_64_irq calls el1h_64_irq_handler, which is written in C.
    "el1h_64_", "el1t_64_"};

constexpr absl::string_view kNames[] = {
    // x86; most names after asm_spurious_interrupt are from before Linux 5.8
    "asm_common_interrupt", "asm_spurious_interrupt", "apic_timer_interrupt",
    "async_page_fault", "call_function_interrupt",
    "call_function_single_interrupt", "end_repeat_nmi", "general_protection",
    "irq_work_interrupt", "page_fault", "reschedule_interrupt", "ret_from_intr",
    // arm64 before 5.11
    "el1_sync", "el1_irq", "el1_fiq", "el1_error",
    // arm
    "__irq_svc", "__fiq_svc", "__dabt_svc", "__pabt_svc", "__und_svc",
    "__ret_fast_syscall", "ret_fast_syscall", "ret_to_user",
    // arm, riscv, mips, i386
    "ret_from_exception", "handle_exception", "ret_from_irq", "handle_int",
    // s390
    "ext_int_handler", "io_int_handler", "mcck_int_handler",
    "pgm_check_handler"};

constexpr absl::string_view kPowerpcSuffix = "_common_virt";

// Returns a bit for the first four characters of a name, which no other kind of
// kernel symbol has in most cases.
constexpr uint64_t StartBit(absl::string_view name) {
  uint32_t start = 0;
  for (size_t i = 0; i < 4; ++i) {
    start = start << 8 | static_cast<unsigned char>(name[i]);
  }
  return uint64_t{1} << (start * 0x9e3779b1u >> 26);
}

constexpr uint64_t StartBits() {
  uint64_t bits = 0;
  for (absl::string_view prefix : kPrefixes) bits |= StartBit(prefix);
  for (absl::string_view name : kNames) bits |= StartBit(name);
  return bits;
}

constexpr uint64_t kStartBits = StartBits();

}  // namespace

bool IsInterruptEntry(absl::string_view name) {
  // A kernel has some 200,000 symbols: sorts out most of them at once.
  if (name.size() < 4) return false;
  if ((StartBit(name) & kStartBits) == 0) {
    return absl::EndsWith(name, kPowerpcSuffix);
  }
  if (absl::EndsWith(name, "_handler") && absl::StartsWith(name, "el1")) {
    return false;
  }
  for (absl::string_view prefix : kPrefixes) {
    if (absl::StartsWith(name, prefix)) return true;
  }
  return std::find(std::begin(kNames), std::end(kNames), name) !=
             std::end(kNames) ||
         absl::EndsWith(name, kPowerpcSuffix);
}

std::vector<CodeRange> InterruptEntriesOf(const SymbolIndex& symbols,
                                          uint64_t delta) {
  std::vector<CodeRange> ranges;
  const std::vector<SymbolIndex::Entry>& entries = symbols.entries();
  for (size_t i = 0; i < entries.size(); ++i) {
    const uint64_t start = entries[i].start;
    if (!IsInterruptEntry(entries[i].view())) continue;
    // Of several symbols at one address, only the last has an end of its own.
    uint64_t end = entries[i].end;
    for (; i + 1 < entries.size() && entries[i + 1].start == start; ++i) {
      end = std::max(end, entries[i + 1].end);
    }
    // Skips a range that wraps around after the subtraction.
    const CodeRange range{start - delta, end - delta};
    if (range.start < range.end) ranges.push_back(range);
  }
  std::sort(
      ranges.begin(), ranges.end(),
      [](const CodeRange& a, const CodeRange& b) { return a.start < b.start; });
  return ranges;
}

}  // namespace perf2x
