// SPDX-License-Identifier: Apache-2.0
#include "converter/unwind/signal_frame.h"

#include <ucontext.h>

#include <map>
#include <string>

#include "converter/symbolize/elf/call_site.h"
#include "converter/unwind/dso_cfi_table.h"
#include "converter/unwind/unwinder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unwind/unwinder_fixture.h"

namespace perf2x {
namespace {

using testing::ElementsAre;

constexpr uint64_t kVdso = 0x7fff0000, kCode = 0x400000;

// Words of the stack by their distance from the stack pointer.
using Words = std::map<uint64_t, uint64_t>;

std::string StackOf(const Machine& machine, const Words& words) {
  std::string bytes(words.rbegin()->first + machine.address_size, '\0');
  for (auto [at, word] : words) {
    Bytes one(machine.order);
    one.Word(word, machine.address_size);
    bytes.replace(at, one.size(), one.str());
  }
  return bytes;
}

// Memory with one piece in it.
struct Piece {
  const Machine& machine;
  uint64_t start;
  std::string bytes;
  bool operator()(uint64_t address, int size, uint64_t* value) const {
    const auto length = static_cast<uint64_t>(size);
    if (address < start || address - start > bytes.size() ||
        bytes.size() - (address - start) < length) {
      return false;
    }
    *value = 0;
    for (uint64_t i = 0; i < length; ++i) {
      const auto byte = static_cast<uint8_t>(bytes[address - start + i]);
      *value |= uint64_t{byte}
                << (machine.order == ByteOrder::kLittle ? 8 * i
                                                        : 8 * (length - 1 - i));
    }
    return true;
  }
};

struct AddressSpace {
  const char* arch;
  uint64_t abi;
  std::string trampoline;
  SignalFrameForm frame;
  Words words;          // with the stack pointer and program counter below
  uint8_t other;        // a register
  uint64_t other_word;  // and its value
};

constexpr uint64_t kSp = 0x7ffe4440, kPc = 0x400120, kOther = 0x1234;

// By offsets of the fields in the kernel's structures.
std::vector<AddressSpace> AddressSpaces() {
  const SignalFrameForm rt = SignalFrameForm::kRealTime,
                        old = SignalFrameForm::kOld;
  return {
      {"x86_64",
       2,
       Code({0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05}),
       rt,
       {{40, 8}, {128, kOther}, {160, kSp}, {168, kPc}},
       3,
       kOther},
      {"x86_64",
       1,
       Code({0xb8, 0xad, 0, 0, 0, 0xcd, 0x80}),
       rt,
       {{8, kStack + 100}, {136, kOther}, {148, kSp}, {176, kPc}},
       7,
       kOther},
      {"i686",
       1,
       Code({0x58, 0xb8, 0x77, 0, 0, 0, 0xcd, 0x80}),
       old,
       {{20, kOther}, {32, kSp}, {60, kPc}},
       7,
       kOther},
      {"aarch64",
       2,
       Code({0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4}),
       rt,
       {{312, 7}, {544, kOther}, {560, kSp}, {568, kPc}},
       29,
       kOther},
      {"armv7l",
       1,
       Code({0xad, 0x70, 0xa0, 0xe3, 0, 0, 0, 0xef}),
       rt,
       {{160, 7}, {204, kOther}, {212, kSp}, {220, kPc}},
       11,
       kOther},
      {"armv7l",
       1,
       Code({0x77, 0x27, 0x00, 0xdf}),
       old,
       {{32, 7}, {76, kOther}, {84, kSp}, {92, kPc}},
       11,
       kOther},
      {"s390x",
       2,
       Code({0x0a, 0xad}),
       rt,
       {{344, kPc}, {440, kOther}, {472, kSp}},
       11,
       kOther},
      {"s390x",
       2,
       Code({0x0a, 0x77}),
       old,
       {{168, kStack + 176}, {184, kPc}, {280, kOther}, {312, kSp}},
       11,
       kOther},
  };
}

TEST(SignalFrameTest, RestoresWhatWasInterrupted) {
  for (const AddressSpace& layout : AddressSpaces()) {
    const Machine& machine = *MachineOf(layout.arch, layout.abi);
    const Piece code{machine, kVdso, layout.trampoline};
    EXPECT_EQ(DetectSigreturnTrampoline(machine, kVdso, code), layout.frame)
        << layout.arch;
    EXPECT_EQ(DetectSigreturnTrampoline(machine, kVdso + 1, code),
              std::nullopt);
    const std::string bytes = StackOf(machine, layout.words);
    const Piece stack{machine, kStack, bytes};
    const auto before =
        InterruptedRegisters(machine, layout.frame, kStack, stack);
    ASSERT_TRUE(before.has_value()) << layout.arch;
    EXPECT_EQ(before->pc, kPc) << layout.arch;
    EXPECT_EQ((*before)[machine.sp], kSp) << layout.arch;
    EXPECT_EQ((*before)[layout.other], kOther) << layout.arch;
    // Cut before the program counter or the stack pointer.
    EXPECT_EQ(InterruptedRegisters(
                  machine, layout.frame, kStack,
                  Piece{machine, kStack, bytes.substr(0, bytes.size() - 1)}),
              std::nullopt);
  }
}

// Each frame of code without tables may be a trampoline.
TEST(SignalFrameTest, ReadsOneByteOfCodeThatIsNoTrampoline) {
  const Machine& machine = *MachineOf("x86_64", 2);
  size_t reads = 0;
  const auto nops = [&reads](uint64_t, int, uint64_t* value) {
    ++reads;
    *value = 0x90;
    return true;
  };
  EXPECT_EQ(DetectSigreturnTrampoline(machine, kVdso, nops), std::nullopt);
  EXPECT_EQ(reads, machine.signal_frames.trampolines.size());
}

#if defined(__x86_64__)
TEST(SignalFrameTest, KnowsThisSystemsContext) {
  const Machine& machine = *MachineOf("x86_64", 2);
  ucontext_t context{};
  const std::pair<int, uint8_t> kRegisters[] = {
      {REG_RAX, 0}, {REG_RDX, 1},  {REG_RCX, 2},  {REG_RBX, 3},
      {REG_RSI, 4}, {REG_RDI, 5},  {REG_RBP, 6},  {REG_RSP, 7},
      {REG_R8, 8},  {REG_R12, 12}, {REG_R15, 15},
  };
  for (auto [from, to] : kRegisters) {
    context.uc_mcontext.gregs[from] = 0x1000 + to;
  }
  context.uc_mcontext.gregs[REG_RIP] = kPc;
  const Piece stack{machine,
                    kStack,
                    {reinterpret_cast<const char*>(&context), sizeof(context)}};
  const auto before =
      InterruptedRegisters(machine, SignalFrameForm::kRealTime, kStack, stack);
  ASSERT_TRUE(before.has_value());
  EXPECT_EQ(before->pc, kPc);
  for (auto [from, to] : kRegisters) EXPECT_EQ((*before)[to], 0x1000u + to);
}
#endif

// An aarch64 handler returns into the [vdso], of which there is no image.
TEST(SignalFrameTest, KnowsTrampolinesOfAnUnknownVdso) {
  const Machine& machine = *MachineOf("aarch64", 2);
  // sp adjusted by 16, return address saved at the top.
  TestSource source({TestElf(
      machine,
      {{".eh_frame", 0x4000,
        TestEhFrame(machine, 0x4000, 30, std::string("\x0c\x1f\x10\x9e\x01", 5),
                    0x100, 0x100, "")}})});
  DsoCfiTable cfi(machine, &source);
  Unwinder unwinder(machine, cfi);
  Registers registers;
  registers.Set(31, kStack);
  registers.pc = kCode + 0x140;
  // The handler's frame, and the signal's behind it.
  Words words = {{8, kVdso + 0x5d0}};
  const std::vector<AddressSpace> layouts = AddressSpaces();
  for (auto [at, word] : layouts[3].words) words[at + 16] = word;
  words[16 + 560] = kStack + 1000;
  words[1008] = kCode + 0x180;
  words[1024] = 0;
  const std::string stack = StackOf(machine, words);
  std::vector<uint64_t> ips;
  const UnwindStop stop = unwinder.Unwind(
      registers,
      {kStack, {reinterpret_cast<const uint8_t*>(stack.data()), stack.size()}},
      [](uint64_t address, CodeLocation* location) {
        *location = {0, address - kCode};
        if (address >= kVdso) *location = {1, address - kVdso, true};
        return address >= kCode;
      },
      100, &ips);
  EXPECT_EQ(stop, UnwindStop::kComplete);
  EXPECT_THAT(
      ips, ElementsAre(kUserContext, kCode + 0x140, kUserContext, kVdso + 0x5d0,
                       kUserContext, kPc, kCode + 0x180));
}

bool IsBehind(const char* arch, uint64_t abi, const std::string& code,
              bool thumb = false) {
  const Machine& machine = *MachineOf(arch, abi);
  return MayFollowCall(machine, (kCode + code.size()) | thumb,
                       Piece{machine, kCode, code});
}

TEST(CallSiteTest, KnowsCalls) {
  for (uint64_t abi : {1, 2}) {
    EXPECT_TRUE(IsBehind("x86_64", abi, Code({0xe8, 1, 2, 3, 4})));
    EXPECT_FALSE(IsBehind("x86_64", abi, Code({0xe9, 1, 2, 3, 4})));
    EXPECT_TRUE(IsBehind("x86_64", abi, Code({0xff, 0xd0})));     // *rax
    EXPECT_FALSE(IsBehind("x86_64", abi, Code({0xff, 0xe0})));    // jmp
    EXPECT_TRUE(IsBehind("x86_64", abi, Code({0xff, 0x50, 8})));  // *8(rax)
    EXPECT_FALSE(IsBehind("x86_64", abi, Code({0xff, 0x50})));
    EXPECT_TRUE(IsBehind("x86_64", abi, Code({0xff, 0x14, 0xc8})));
    EXPECT_TRUE(IsBehind("x86_64", abi, Code({0xff, 0x15, 1, 2, 3, 4})));
    EXPECT_TRUE(IsBehind("x86_64", abi, Code({0xff, 0x94, 0xc8, 1, 2, 3, 4})));
    EXPECT_TRUE(IsBehind("x86_64", abi, Code({0xff, 0x14, 0xc5, 1, 2, 3, 4})));
    EXPECT_FALSE(IsBehind("x86_64", abi, Code({0x90, 0x90, 0x90, 0x90, 0x90})));
  }
  EXPECT_TRUE(IsBehind("aarch64", 2, Code({1, 2, 3, 0x94})));           // bl
  EXPECT_FALSE(IsBehind("aarch64", 2, Code({1, 2, 3, 0x14})));          // b
  EXPECT_TRUE(IsBehind("aarch64", 2, Code({0x60, 2, 0x3f, 0xd6})));     // blr
  EXPECT_TRUE(IsBehind("aarch64", 2, Code({0x11, 0x0a, 0x3f, 0xd7})));  // blraa
  EXPECT_FALSE(IsBehind("aarch64", 2, Code({0xc0, 3, 0x5f, 0xd6})));    // ret
  EXPECT_TRUE(IsBehind("armv7l", 1, Code({1, 2, 3, 0xeb})));            // bl
  EXPECT_FALSE(IsBehind("armv7l", 1, Code({1, 2, 3, 0xea})));           // b
  EXPECT_TRUE(IsBehind("armv7l", 1, Code({0x33, 0xff, 0x2f, 0xe1})));   // blx
  EXPECT_TRUE(IsBehind("armv7l", 1, Code({0, 0xf0, 1, 0xf8}), true));   // bl
  EXPECT_TRUE(IsBehind("armv7l", 1, Code({0, 0xf0, 0, 0xe8}), true));   // blx
  EXPECT_TRUE(IsBehind("armv7l", 1, Code({0x98, 0x47}), true));       // blx r3
  EXPECT_FALSE(IsBehind("armv7l", 1, Code({0x70, 0x47}), true));      // bx lr
  EXPECT_TRUE(IsBehind("s390x", 2, Code({0xc0, 0xe5, 1, 2, 3, 4})));  // brasl
  EXPECT_TRUE(IsBehind("s390x", 2, Code({0x0d, 0xe1})));              // basr
  EXPECT_FALSE(IsBehind("s390x", 2, Code({0x07, 0xfe})));             // br
}

TEST(CallSiteTest, BelievesWhereNothingIsKnown) {
  const auto nothing = [](uint64_t, int, uint64_t*) { return false; };
  EXPECT_TRUE(MayFollowCall(*MachineOf("x86_64", 2), kCode, nothing));
}

}  // namespace
}  // namespace perf2x
