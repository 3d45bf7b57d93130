// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_UNWIND_UNWIND_BYTES_H_
#define PERF2X_TESTS_UNWIND_UNWIND_BYTES_H_

#include <algorithm>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "converter/base/byte_reader.h"
#include "converter/unwind/dso_cfi_table.h"
#include "converter/unwind/unwinder.h"
#include "tests/unwind/test_elf.h"

namespace perf2x {

// Unwinds what bytes from anywhere say; for sweeps and fuzzers. Depends on the
// bytes alone. They are, the numbers in little-endian order:
//   u8  machine: x86_64, i386, aarch64, arm, s390x, each modulo 5
//   u8  kind of table, modulo 4: .eh_frame, .eh_frame with an index that
//       follows, .debug_frame, .ARM.exidx with .ARM.extab at its end
//   u16 bytes of the table, u16 bytes of its index
//   the table, the index
//   u64 program counter, and for each register that is followed
//   the user stack dump, which begins at the stack pointer
// The table lies at kTableAddress of a program mapped at kProgramBase, and
// bytes that are missing count as 0.
inline constexpr uint64_t kProgramBase = 0x400000;
inline constexpr uint64_t kTableAddress = 0x4000;

inline UnwindStop UnwindBytes(absl::Span<const uint8_t> bytes,
                              std::vector<uint64_t>* ips) {
  struct Choice {
    const char* arch;
    uint64_t abi;
  };
  static constexpr Choice kMachines[] = {
      {"x86_64", 2}, {"x86_64", 1}, {"aarch64", 2}, {"armv7l", 1}, {"s390x", 2},
  };
  ByteReader in(bytes, ByteOrder::kLittle);
  const Choice& choice = kMachines[in.U8() % 5];
  const Machine& machine = *MachineOf(choice.arch, choice.abi);
  const int kind = in.U8() % 4;
  const uint64_t table_size = in.U16(), index_size = in.U16();
  const auto take = [&in](uint64_t size) {
    const auto taken = in.Bytes(std::min<uint64_t>(size, in.left()));
    return std::string(taken.begin(), taken.end());
  };
  const std::string table = take(table_size), index = take(index_size);
  const uint64_t behind = kTableAddress + (table.size() + 7) / 8 * 8;
  std::vector<TestSection> sections;
  if (kind == 3) {
    sections = {{".ARM.exidx", kTableAddress, table},
                {".ARM.extab", behind, index}};
  } else {
    sections = {
        {kind == 2 ? ".debug_frame" : ".eh_frame", kTableAddress, table}};
    if (kind == 1) sections.push_back({".eh_frame_hdr", behind, index});
  }
  Registers registers;
  registers.pc = in.U64() & machine.address_mask();
  for (uint8_t reg = 0; reg < machine.tracked_registers; ++reg) {
    registers.Set(reg, in.U64() & machine.address_mask());
  }
  const std::string image = TestElf(machine, sections);
  TestSource source({image});
  DsoCfiTable cfi(machine, &source);
  Unwinder unwinder(machine, cfi);
  const UserStackDump stack{registers[machine.sp], in.Rest()};
  return unwinder.Unwind(
      registers, stack,
      [&](uint64_t address, CodeLocation* location) {
        *location = {0, address - kProgramBase};
        return address >= kProgramBase && address - kProgramBase < image.size();
      },
      64, ips);
}

}  // namespace perf2x

#endif  // PERF2X_TESTS_UNWIND_UNWIND_BYTES_H_
