// SPDX-License-Identifier: Apache-2.0

// Registers, stacks and tables as a hostile recording may have them.

#include "tests/unwind/unwind_bytes.h"

#include <dwarf.h>

#include <cstring>
#include <random>

#include "gtest/gtest.h"
#include "tests/unwind/unwinder_fixture.h"

namespace perf2x {
namespace {

constexpr uint64_t kStackStart = 0x7ff000;
constexpr int kMachines = 5;

struct Seed {
  const char* arch;
  uint64_t abi;
  uint8_t return_register;
  std::string initial, program;
};

// A function that saved its return address on the stack, for each machine in
// the order of UnwindBytes. The expressions are there to be damaged.
std::vector<Seed> Seeds() {
  const std::string expression = Code(
      {DW_CFA_expression, 3, 6, DW_OP_lit16, DW_OP_plus, DW_OP_dup, DW_OP_drop,
       DW_OP_nop, DW_OP_nop, DW_CFA_val_expression, 2, 3, DW_OP_breg0, 0,
       DW_OP_deref, DW_CFA_remember_state, DW_CFA_restore_state});
  return {
      {"x86_64", 2, 16, Code({DW_CFA_def_cfa, 7, 8, 0x80 | 16, 1}), expression},
      {"x86_64", 1, 8, Code({DW_CFA_def_cfa, 4, 4, 0x80 | 8, 1}), expression},
      {"aarch64", 2, 30, Code({DW_CFA_def_cfa, 31, 8, 0x80 | 30, 1}),
       expression},
      {"armv7l", 1, 14, Code({DW_CFA_def_cfa, 13, 4, 0x80 | 14, 1}),
       expression},
      {"s390x", 2, 14,
       Code({DW_CFA_def_cfa, 15, 8, 0x80 | 14, 1, DW_CFA_val_offset, 15, 0}),
       expression},
  };
}

// What UnwindBytes takes, for seed `m` with two callers.
std::string Sound(int m) {
  const Seed seed = Seeds()[static_cast<size_t>(m)];
  const Machine& machine = *MachineOf(seed.arch, seed.abi);
  const std::string table =
      TestEhFrame(machine, kTableAddress, seed.return_register, seed.initial,
                  kFunction, kSize, seed.program);
  Bytes out;
  out.U8(static_cast<uint8_t>(m)).U8(0);
  out.U16(static_cast<uint16_t>(table.size())).U16(0).Add(table);
  out.U64(kProgramBase + kFunction + 0x20);
  for (int reg = 0; reg < machine.tracked_registers; ++reg) {
    out.U64(reg == machine.sp ? kStackStart : 0x1000);
  }
  Bytes stack(machine.order);
  for (uint64_t ip : {kFunction + 0x100, kFunction + 0x200}) {
    stack.Word(kProgramBase + ip, machine.address_size);
  }
  return out.Add(stack.Word(0, machine.address_size).str()).str();
}

// Unwinds, and checks that what comes out keeps to what Unwind promises.
UnwindStop Look(const std::string& bytes, std::vector<uint64_t>* ips) {
  ips->clear();
  const UnwindStop stop = UnwindBytes(
      {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, ips);
  uint64_t frames = 0;
  for (uint64_t ip : *ips) frames += ip != kUserContext;
  EXPECT_LE(frames, 64);
  return stop;
}

TEST(UnwindBytesTest, SoundBytesUnwind) {
  for (int m = 0; m < kMachines; ++m) {
    std::vector<uint64_t> ips;
    EXPECT_EQ(Look(Sound(m), &ips), UnwindStop::kComplete) << m;
    EXPECT_EQ(ips.size(), 4) << m;
  }
}

// Each byte of tables, registers and stack changed, and each cut.
TEST(UnwindBytesTest, SurvivesDamage) {
  std::vector<uint64_t> ips;
  for (int m = 0; m < kMachines; ++m) {
    const std::string sound = Sound(m);
    for (size_t i = 0; i < sound.size(); ++i) {
      for (int flip : {0x01, 0x40, 0x80, 0xff}) {
        std::string damaged = sound;
        damaged[i] = static_cast<char>(damaged[i] ^ flip);
        Look(damaged, &ips);
      }
      Look(sound.substr(0, i), &ips);
    }
  }
}

// Several at once, with the numbers that arithmetic fails on.
TEST(UnwindBytesTest, SurvivesNonsense) {
  std::mt19937_64 random(1);
  std::vector<uint64_t> ips;
  for (int round = 0; round < 5000; ++round) {
    std::string damaged = Sound(static_cast<int>(random() % kMachines));
    damaged[1] = static_cast<char>(random() % 4);
    for (int change = 0; change < 6; ++change) {
      const uint64_t numbers[] = {random(),
                                  0,
                                  ~uint64_t{0},
                                  uint64_t{1} << 63,
                                  kStackStart + random() % 64,
                                  kProgramBase + kFunction + random() % kSize,
                                  0x7fffffff};
      const uint64_t number = numbers[random() % 7];
      const size_t width = size_t{1} << random() % 4;
      const size_t at = 6 + random() % (damaged.size() - 6 - width);
      std::memcpy(&damaged[at], &number, width);
    }
    Look(damaged, &ips);
  }
}

}  // namespace
}  // namespace perf2x
