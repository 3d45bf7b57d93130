// SPDX-License-Identifier: Apache-2.0
#include "converter/base/machine.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <set>

namespace perf2x {
namespace {

TEST(MachineTest, IsFoundByNameAndTask) {
  EXPECT_EQ(MachineOf("x86_64", 2)->elf_machine, EM_X86_64);
  EXPECT_EQ(MachineOf("x86_64", 1)->elf_machine, EM_386);
  EXPECT_EQ(MachineOf("armv7l", 1)->elf_machine, EM_ARM);
  // What a 32-bit perf says of 64-bit tasks.
  EXPECT_EQ(MachineOf("i686", 2), MachineOf("x86_64", 2));
  EXPECT_EQ(MachineOf("armv8l", 2), MachineOf("aarch64", 2));
  for (uint64_t abi : {0, 3, 4}) EXPECT_EQ(MachineOf("x86_64", abi), nullptr);
  EXPECT_EQ(MachineOf("s390x", 1), nullptr);
  EXPECT_EQ(MachineOf("sparc", 2), nullptr);
  EXPECT_EQ(MachineOf("sparc64", 2), nullptr);
  EXPECT_EQ(MachineOf("", 2), nullptr);
}

TEST(MachineTest, NamesThatBeginAlikeDiffer) {
  EXPECT_EQ(FindMachine("arm64")->elf_machine, EM_AARCH64);
  EXPECT_EQ(FindMachine("arm")->elf_machine, EM_ARM);
  EXPECT_EQ(FindMachine("sparc")->elf_machine, EM_SPARC);
  EXPECT_EQ(FindMachine("sparc64")->elf_machine, EM_SPARCV9);
  EXPECT_EQ(FindMachine("vax"), nullptr);
}

TEST(MachineTest, OfUnknownElfFilesHasNoFacts) {
  const Machine& other = MachineOfElf(0xffff);
  EXPECT_EQ(other.elf_machine, EM_NONE);
  EXPECT_TRUE(other.calls.empty());
  EXPECT_EQ(other.relative_relocation, 0);
  EXPECT_EQ(&other, &MachineOfElf(EM_NONE));
}

TEST(MachineTest, EntriesAreConsistent) {
  std::set<uint16_t> numbers;
  for (const Machine& machine : Machines()) {
    SCOPED_TRACE(machine.elf_machine);
    EXPECT_TRUE(numbers.insert(machine.elf_machine).second);
    ASSERT_FALSE(machine.names.empty());
    for (absl::string_view name : machine.names) {
      EXPECT_EQ(FindMachine(name), &machine) << name;
    }
    if (machine.sibling_elf_machine != 0) {
      const Machine& sibling = MachineOfElf(machine.sibling_elf_machine);
      EXPECT_EQ(&MachineOfElf(sibling.sibling_elf_machine), &machine);
      EXPECT_NE(sibling.address_size, machine.address_size);
    }
    for (const auto calls : {machine.calls, machine.odd_calls}) {
      for (const CallInstruction& call : calls) {
        EXPECT_LE(call.length, CallInstruction::kMaxLength);
        EXPECT_EQ(call.bits & ~call.mask, 0);
        EXPECT_EQ(call.except_bits & ~call.except_mask, 0);
        EXPECT_NE(call.bits, 0) << "unavailable bytes would match";
      }
    }
    if (machine.tracked_registers == 0) continue;
    EXPECT_LE(machine.tracked_registers, kMaxRegisters);
    ASSERT_LT(machine.perf_pc, machine.register_names.size());
    EXPECT_TRUE(machine.register_names[machine.perf_pc] == "PC" ||
                machine.register_names[machine.perf_pc] == "IP");
    EXPECT_LE(machine.dwarf_of_perf.size(), machine.register_names.size());
    std::set<uint8_t> mapped;
    for (uint8_t reg : machine.dwarf_of_perf) {
      if (reg == kNoRegister) continue;
      EXPECT_LT(reg, machine.tracked_registers);
      EXPECT_TRUE(mapped.insert(reg).second) << int{reg};
    }
    for (uint8_t reg : {machine.sp, machine.fp}) {
      EXPECT_EQ(mapped.count(reg), 1) << int{reg};
    }
    // The return address is in a register or on the stack.
    EXPECT_TRUE(machine.link == kNoRegister ? machine.pc != kNoRegister
                                            : mapped.count(machine.link) == 1);
    EXPECT_FALSE(machine.signal_frames.trampolines.empty());
  }
}

}  // namespace
}  // namespace perf2x
