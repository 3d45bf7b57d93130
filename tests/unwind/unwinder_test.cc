#include "converter/unwind/unwinder.h"

#include <dwarf.h>
#include <zlib.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unwind/test_elf.h"

namespace perf2x {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr uint64_t kBase = 0x400000;  // where the file is mapped
constexpr uint64_t kFunction = 0x1000;
constexpr uint32_t kSize = 0x1000;
constexpr uint64_t kStack = 0x7ffe0000;
constexpr uint64_t kLimit = 0x10000;  // of the mapping

std::string Code(std::initializer_list<int> bytes) {
  return std::string(bytes.begin(), bytes.end());
}

// An instruction that calls.
std::string CallOf(const Machine& machine) {
  switch (machine.elf_machine) {
    case EM_AARCH64:
      return Code({0, 0, 0, 0x94});
    case EM_ARM:
      return Code({0, 0xf0, 0, 0xf8});
    case EM_S390:
      return Code({0xc0, 0xe5, 0, 0, 0, 0});
    default:
      return Code({0xe8, 0, 0, 0, 0});
  }
}

// One file with one function, and a stack of words.
class UnwinderTest : public testing::Test {
 protected:
  void Use(const char* arch, uint64_t abi, uint8_t return_register,
           const std::string& initial, const std::string& program,
           const std::string& augmentation = "zR") {
    machine_ = MachineOf(arch, abi);
    ASSERT_NE(machine_, nullptr);
    UseSections({{".eh_frame", 0x4000,
                  TestEhFrame(*machine_, 0x4000, return_register, initial,
                              kFunction, kSize, program, augmentation)}});
  }
  void UseX86(const std::string& program = "") {
    Use("x86_64", 2, 16, Code({DW_CFA_def_cfa, 7, 8, 0x80 | 16, 1}), program);
    registers_.Set(7, kStack);
    registers_.pc = kBase + kFunction + 0x80;
  }
  void UseSections(std::vector<TestSection> sections) {
    // kA and kBare + 4 are where calls return.
    const std::string call = CallOf(*machine_);
    sections.push_back({".text", kFunction + 0x100 - call.size(), call});
    sections.push_back({".text.bare", 0x3004 - call.size(), call});
    source_ = std::make_unique<TestSource>(
        std::vector<std::string>{TestElf(*machine_, sections)});
    unwinder_ = std::make_unique<Unwinder>(*machine_, source_.get());
  }

  UnwindStop Run(const std::vector<uint64_t>& words, size_t max_frames = 100) {
    Bytes stack(machine_->order);
    for (uint64_t w : words) stack.Word(w, machine_->address_size);
    const UserStackDump copy{
        kStack,
        {reinterpret_cast<const uint8_t*>(stack.str().data()), stack.size()}};
    const auto maps = [](uint64_t address, CodeLocation* location) {
      if (address < kBase || address >= kBase + kLimit) return false;
      *location = {0, address - kBase};
      return true;
    };
    ips_.clear();
    return unwinder_->Unwind(registers_, copy, maps, max_frames, &ips_);
  }

  const Machine* machine_ = nullptr;
  std::unique_ptr<TestSource> source_;
  std::unique_ptr<Unwinder> unwinder_;
  Registers registers_;
  std::vector<uint64_t> ips_;
};

// Addresses in the function, and one that no table covers.
constexpr uint64_t kA = kBase + kFunction + 0x100;
constexpr uint64_t kB = kBase + kFunction + 0x200;
constexpr uint64_t kBare = kBase + 0x3000;

TEST_F(UnwinderTest, FollowsReturnAddressesToTheOutermostFrame) {
  UseX86();
  EXPECT_EQ(Run({kA, kB, 0}), UnwindStop::kComplete);
  EXPECT_THAT(ips_, ElementsAre(kUserContext, *registers_.pc, kA, kB));
}

TEST_F(UnwinderTest, TellsThatTheStackCopyEnded) {
  UseX86();
  EXPECT_EQ(Run({kA, kB}), UnwindStop::kStackEnd);
  EXPECT_THAT(ips_, ElementsAre(kUserContext, *registers_.pc, kA, kB));
  EXPECT_EQ(Run({}), UnwindStop::kStackEnd);
}

TEST_F(UnwinderTest, RestoresRegistersThatTheCallersTableNeeds) {
  // From 0x10 on: rbp pushed, CFA from it.
  UseX86(Code({0x50, DW_CFA_def_cfa_offset, 16, 0x80 | 6, 2,
               DW_CFA_def_cfa_register, 6}));
  registers_.Set(6, kStack + 8);
  EXPECT_EQ(Run({1, kStack + 32, kA, 2, kStack + 48, kB, 0, 0}),
            UnwindStop::kComplete);
  EXPECT_THAT(ips_, ElementsAre(kUserContext, *registers_.pc, kA, kB));
}

// As above, and rbx is saved, which in the first frame lies below the copy.
TEST_F(UnwinderTest, GoesOnWhereARegisterThatNoOneNeedsIsNotToBeHad) {
  UseX86(Code({0x50, DW_CFA_def_cfa_offset, 16, 0x80 | 6, 2, 0x80 | 3, 4,
               DW_CFA_def_cfa_register, 6}));
  registers_.Set(6, kStack + 8);
  EXPECT_EQ(Run({1, kStack + 32, kA, 2, kStack + 48, kB, 0, 0}),
            UnwindStop::kComplete);
  EXPECT_THAT(ips_, ElementsAre(kUserContext, *registers_.pc, kA, kB));
}

TEST_F(UnwinderTest, UndefinedReturnAddressIsTheEnd) {
  UseX86(Code({DW_CFA_undefined, 16}));
  EXPECT_EQ(Run({kA}), UnwindStop::kComplete);
  EXPECT_THAT(ips_, ElementsAre(kUserContext, *registers_.pc));
}

// The row for a return address is the one of the call, a byte before; a signal
// interrupts an instruction itself.
TEST_F(UnwinderTest, LooksForTheCallAndNotBehindIt) {
  const uint64_t last = kBase + kFunction + kSize;
  UseX86();
  EXPECT_EQ(Run({last, 0}), UnwindStop::kComplete);
  EXPECT_THAT(ips_, ElementsAre(kUserContext, *registers_.pc, last));

  Use("x86_64", 2, 16, Code({DW_CFA_def_cfa, 7, 8, 0x80 | 16, 1}), "", "zRS");
  EXPECT_EQ(Run({last, kA}), UnwindStop::kNoCfi);
  EXPECT_THAT(ips_,
              ElementsAre(kUserContext, *registers_.pc, kUserContext, last));
}

TEST_F(UnwinderTest, GoesOnByFramePointerWhereThereIsNoTable) {
  UseX86();
  registers_.pc = kBare;
  registers_.Set(6, kStack + 8);
  EXPECT_EQ(Run({9, kStack + 24, kBare + 4, 9, kA, 0}), UnwindStop::kComplete);
  EXPECT_THAT(ips_, ElementsAre(kUserContext, kBare, kBare + 4, kA));
  // Frame pointers that are none.
  for (uint64_t fp : {uint64_t{0}, kStack - 8, kStack + 4, ~uint64_t{0} - 7}) {
    registers_.Set(6, fp);
    EXPECT_EQ(Run({9, kStack + 24, kA}), UnwindStop::kNoCfi) << fp;
  }
}

TEST_F(UnwinderTest, StopsAtAddressesThatAreNoCode) {
  UseX86();
  EXPECT_EQ(Run({0x1234}), UnwindStop::kBadAddress);
  EXPECT_THAT(ips_, ElementsAre(kUserContext, *registers_.pc));
  registers_.pc = 0x1234;
  EXPECT_EQ(Run({kA}), UnwindStop::kNoModule);
  EXPECT_THAT(ips_, IsEmpty());
  registers_.pc.reset();
  EXPECT_EQ(Run({kA}), UnwindStop::kBadAddress);
}

TEST_F(UnwinderTest, StopsAtTheLimit) {
  UseX86();
  EXPECT_EQ(Run(std::vector<uint64_t>(50, kA), 10), UnwindStop::kLimit);
  EXPECT_EQ(ips_.size(), 11);
  EXPECT_EQ(Run({kA}, 0), UnwindStop::kBadAddress);
}

TEST_F(UnwinderTest, StopsWhenFramesDoNotGetOn) {
  // The caller's stack pointer is the same again, and so is its address.
  UseX86(Code({DW_CFA_def_cfa, 7, 0, 0x80 | 16, 0}));
  EXPECT_EQ(Run({kA, kA, kA}), UnwindStop::kLoop);
  // A CFA far below.
  UseX86(Code({DW_CFA_def_cfa, 3, 0, DW_CFA_register, 16, 5}));
  registers_.Set(3, kStack);
  registers_.Set(5, kA);
  EXPECT_EQ(Run({}), UnwindStop::kLoop);
}

TEST_F(UnwinderTest, NeedsTheRegistersThatTheTableNames) {
  UseX86(Code({DW_CFA_def_cfa, 12, 8}));
  EXPECT_EQ(Run({kA}), UnwindStop::kBadAddress);
}

TEST_F(UnwinderTest, EvaluatesExpressions) {
  // CFA = *(rsp) + 0x10, return address at rsp + 8.
  UseX86(Code({DW_CFA_def_cfa_expression, 5, DW_OP_breg7, 0, DW_OP_deref,
               DW_OP_plus_uconst, 0x10, DW_CFA_expression, 16, 2, DW_OP_breg7,
               8}));
  EXPECT_EQ(Run({kStack, kA, kStack + 0x20, kB, 0, 0}), UnwindStop::kStackEnd);
  EXPECT_THAT(ips_, ElementsAre(kUserContext, *registers_.pc, kA, kB));
}

// What a program cannot write is read from its file.
TEST_F(UnwinderTest, ReadsConstantsOfTheFile) {
  machine_ = MachineOf("x86_64", 2);
  Bytes constant;
  constant.U64(kA);
  const uint64_t address = kBase + 0x5000;
  Bytes expression;
  expression.Add(Code({DW_CFA_expression, 16, 5, DW_OP_const4u}))
      .U32(static_cast<uint32_t>(address));
  UseSections({{".eh_frame", 0x4000,
                TestEhFrame(*machine_, 0x4000, 16, Code({DW_CFA_def_cfa, 7, 8}),
                            kFunction, 0x90, expression.str())},
               {".rodata", 0x5000, constant.str()}});
  registers_.Set(7, kStack);
  registers_.pc = kBase + kFunction;
  Run({});
  EXPECT_THAT(ips_, ElementsAre(kUserContext, *registers_.pc, kA));
}

TEST_F(UnwinderTest, TakesSignaturesOffReturnAddresses) {
  // aarch64: paciasp; stp x29, x30, [sp, -16]!
  Use("aarch64", 2, 30, Code({DW_CFA_def_cfa, 31, 0}),
      Code({0x44, DW_CFA_GNU_window_save, 0x44, DW_CFA_def_cfa_offset, 16,
            0x80 | 29, 2, 0x80 | 30, 1}));
  // Factors of -8: x29 at CFA-16, x30 at CFA-8.
  registers_.Set(31, kStack);
  registers_.pc = kBase + kFunction + 0x80;
  const uint64_t signature = uint64_t{0x2a} << 48;
  EXPECT_EQ(Run({1, kA | signature, 2, kB, 3, 0}), UnwindStop::kComplete);
  EXPECT_THAT(ips_, ElementsAre(kUserContext, *registers_.pc, kA, kB));
}

TEST_F(UnwinderTest, UsesTheLinkRegisterOfInnermostFrames) {
  Use("aarch64", 2, 30, Code({DW_CFA_def_cfa, 31, 0}), "");
  registers_.Set(31, kStack);
  registers_.Set(30, kA);
  registers_.pc = kBase + kFunction;
  // Its caller says nothing of x30 either: that would be a loop.
  EXPECT_EQ(Run({}), UnwindStop::kLoop);
  EXPECT_THAT(ips_, ElementsAre(kUserContext, *registers_.pc, kA));
  // A procedure linkage table has no table of its own.
  registers_.pc = kBare;
  Run({});
  EXPECT_THAT(ips_, ElementsAre(kUserContext, kBare, kA));
  // No call returns there.
  registers_.Set(30, kB);
  EXPECT_EQ(Run({}), UnwindStop::kNoCfi);
  EXPECT_THAT(ips_, ElementsAre(kUserContext, kBare));
}

// Of code that is not at hand nothing is known, so that its link register may
// be left over from any call.
TEST_F(UnwinderTest, DoesNotTrustTheLinkRegisterOfUnknownCode) {
  machine_ = MachineOf("aarch64", 2);
  source_ = std::make_unique<TestSource>(std::vector<std::string>{});
  unwinder_ = std::make_unique<Unwinder>(*machine_, source_.get());
  registers_.Set(31, kStack);
  registers_.Set(30, kA);
  registers_.Set(29, kStack);
  registers_.pc = kBare;
  EXPECT_EQ(Run({0, kB}), UnwindStop::kNoModule);
  EXPECT_THAT(ips_, ElementsAre(kUserContext, kBare, kB));
}

TEST_F(UnwinderTest, ReadsBigEndianStacks) {
  // s390x: a frame of 160 bytes and registers saved in their places.
  Use("s390x", 2, 14, Code({DW_CFA_def_cfa, 15, 0xa0, 1}),
      Code({0x44, DW_CFA_def_cfa_offset, 0xc0, 2, 0x80 | 14, 6, 0x80 | 15, 5}));
  // r14 at CFA-48, r15 at CFA-40; the CFA is at 320.
  std::vector<uint64_t> words(41);
  words[(320 - 48) / 8] = kA;
  words[(320 - 40) / 8] = kStack + 160;
  registers_.Set(15, kStack);
  registers_.pc = kBase + kFunction + 0x10;
  EXPECT_EQ(Run(words), UnwindStop::kStackEnd);
  EXPECT_THAT(ips_, ElementsAre(kUserContext, *registers_.pc, kA));
}

TEST_F(UnwinderTest, ReadsStacksOf32BitTasks) {
  Use("x86_64", 1, 8, Code({DW_CFA_def_cfa, 4, 4, 0x80 | 8, 1}), "");
  registers_.Set(4, kStack);
  registers_.pc = kBase + kFunction;
  EXPECT_EQ(Run({kA, kB, 0}), UnwindStop::kComplete);
  EXPECT_THAT(ips_, ElementsAre(kUserContext, *registers_.pc, kA, kB));
}

// .ARM.exidx: pop {r4, lr} for the first function, none for the second.
TEST_F(UnwinderTest, ReadsArmTables) {
  machine_ = MachineOf("armv7l", 1);
  Bytes table;
  const uint32_t at = 0x4000;
  table.U32((kFunction - at) & 0x7fffffff).U32(0x80a8b0b0);
  table.U32((0x2000 - (at + 8)) & 0x7fffffff).U32(1);
  UseSections({{".ARM.exidx", at, table.str()}});
  registers_.Set(13, kStack);
  registers_.Set(14, kBare | 1);
  registers_.pc = kBase + kFunction + 0x80;
  const uint64_t outermost = kBase + 0x2010;
  EXPECT_EQ(Run({7, kA | 1, 8, outermost | 1}), UnwindStop::kComplete);
  EXPECT_THAT(ips_, ElementsAre(kUserContext, *registers_.pc, kA, outermost));
  // Nothing is saved yet at the first instruction.
  registers_.pc = kBase + kFunction;
  registers_.Set(14, outermost | 1);
  EXPECT_EQ(Run({7, kA}), UnwindStop::kComplete);
  EXPECT_THAT(ips_, ElementsAre(kUserContext, *registers_.pc, outermost));
}

// Entries of .ARM.exidx reach over functions that .debug_frame describes.
TEST_F(UnwinderTest, PrefersDebugFrameToArmTables) {
  machine_ = MachineOf("armv7l", 1);
  Bytes index, common, function, section;
  index.U32((kFunction - 0x4000) & 0x7fffffff).U32(1);
  common.U32(0xffffffff).U8(1).U8(0).U8(1).U8(0x7c).U8(14);
  common.Add(Code({DW_CFA_def_cfa, 13, 8, 0x80 | 14, 1}));
  function.U32(0).U32(kFunction + 0x80).U32(0x100);
  section.Sized(common.str()).Sized(function.str());
  UseSections({{".ARM.exidx", 0x4000, index.str()},
               {".debug_frame", 0x5000, section.str()}});
  registers_.Set(13, kStack);
  registers_.Set(14, 0);
  const uint64_t outermost = kBase + kFunction + 0x200;
  registers_.pc = outermost;
  EXPECT_EQ(Run({}), UnwindStop::kNoCfi);
  registers_.pc = kBase + kFunction + 0x90;
  EXPECT_EQ(Run({1, kA | 1, 2, outermost | 1}), UnwindStop::kComplete);
  EXPECT_THAT(ips_, ElementsAre(kUserContext, *registers_.pc, kA, outermost));
}

// Code without any table that pushed its return address.
TEST_F(UnwinderTest, FindsTheSavedLinkOfArmFunctions) {
  machine_ = MachineOf("armv7l", 1);
  Bytes table;
  table.U32((kFunction - 0x4000) & 0x7fffffff).U32(0x80a8b0b0);
  UseSections({{".ARM.exidx", 0x4000, table.str()}});
  registers_.Set(13, kStack);
  registers_.Set(14, kA | 1);
  registers_.pc = kBase + 0x800;  // before the first function
  Run({5, 6, kA | 1, 7, kB | 1, 9, 0});
  EXPECT_THAT(ips_, ElementsAre(kUserContext, *registers_.pc, kA, kB));
}

// From a library whose tables say nothing, the link register leads to a
// program, but may be what a function left that the library had called back.
TEST_F(UnwinderTest, LeavesArmLibrariesByLinksThatLeadOn) {
  constexpr uint64_t kLibrary = kBase + 0x8000;
  machine_ = MachineOf("armv7l", 1);
  const auto table = [](uint32_t rows) {
    return Bytes().U32((kFunction - 0x4000) & 0x7fffffff).U32(rows).str();
  };
  const std::string call = CallOf(*machine_);
  TestSource source(
      {TestElf(*machine_, {{".ARM.exidx", 0x4000, table(0x80a8b0b0)},
                           {".text", kFunction + 0x100 - call.size(), call}}),
       TestElf(*machine_, {{".ARM.exidx", 0x4000, table(1)}})});
  Unwinder unwinder(*machine_, &source);
  registers_.Set(13, kStack);
  registers_.Set(14, kA | 1);
  registers_.pc = kLibrary + kFunction + 0x80;
  const auto maps = [](uint64_t address, CodeLocation* location) {
    if (address < kBase || address >= kBase + kLimit) return false;
    const bool library = address >= kLibrary;
    *location = {library ? 1u : 0u, address - (library ? kLibrary : kBase)};
    return true;
  };
  const auto run = [&](uint32_t saved_link) {
    const std::string stack = Bytes().U32(7).U32(saved_link).U64(0).str();
    ips_.clear();
    return unwinder.Unwind(
        registers_,
        {kStack,
         {reinterpret_cast<const uint8_t*>(stack.data()), stack.size()}},
        maps, 100, &ips_);
  };
  EXPECT_EQ(run(kB | 1), UnwindStop::kComplete);
  EXPECT_THAT(ips_, ElementsAre(kUserContext, *registers_.pc, kA, kB));
  EXPECT_EQ(run(0x1234), UnwindStop::kNoCfi);
  EXPECT_THAT(ips_, ElementsAre(kUserContext, *registers_.pc));
}

TEST_F(UnwinderTest, ReadsDebugFrameOfTheDebugFile) {
  machine_ = MachineOf("x86_64", 2);
  Bytes common, function, section;
  common.U32(0xffffffff).U8(1).U8(0).U8(1).U8(0x78).U8(16);
  common.Add(Code({DW_CFA_def_cfa, 7, 8, 0x80 | 16, 1}));
  function.U32(0).U64(kFunction).U64(kSize);
  section.Sized(common.str()).Sized(function.str());
  source_ = std::make_unique<TestSource>(
      std::vector<std::string>{TestElf(
          *machine_, {{".text", kFunction, "code"}, {".end", 0x4000, "x"}})},
      TestElf(*machine_, {{".debug_frame", 0x2000, section.str()}}));
  unwinder_ = std::make_unique<Unwinder>(*machine_, source_.get());
  registers_.Set(7, kStack);
  registers_.pc = kBase + kFunction;
  EXPECT_EQ(Run({kA, 0}), UnwindStop::kComplete);
  EXPECT_THAT(ips_, ElementsAre(kUserContext, *registers_.pc, kA));
}

// Both ways in which sections of debug information are compressed.
TEST_F(UnwinderTest, UnpacksDebugFrame) {
  machine_ = MachineOf("x86_64", 2);
  Bytes common, function, section;
  common.U32(0xffffffff).U8(1).U8(0).U8(1).U8(0x78).U8(16);
  common.Add(Code({DW_CFA_def_cfa, 7, 8, 0x80 | 16, 1}));
  function.U32(0).U64(kFunction).U64(kSize);
  section.Sized(common.str()).Sized(function.str());
  uLongf size = compressBound(section.size());
  std::string packed(size, 0);
  ASSERT_EQ(compress(reinterpret_cast<Bytef*>(packed.data()), &size,
                     reinterpret_cast<const Bytef*>(section.str().data()),
                     section.size()),
            Z_OK);
  packed.resize(size);
  Bytes standard, gnu;
  standard.U32(ELFCOMPRESS_ZLIB).U32(0).U64(section.size()).U64(8).Add(packed);
  gnu.Add("ZLIB");
  for (int shift = 56; shift >= 0; shift -= 8) {
    gnu.U8(static_cast<uint8_t>(section.size() >> shift));
  }
  gnu.Add(packed);
  registers_.Set(7, kStack);
  registers_.pc = kBase + kFunction;
  for (const TestSection& s :
       {TestSection{".debug_frame", 0x2000, standard.str(), SHF_COMPRESSED},
        TestSection{".zdebug_frame", 0x2000, gnu.str()}}) {
    UseSections({s});
    EXPECT_EQ(Run({kA, 0}), UnwindStop::kComplete) << s.name;
    EXPECT_THAT(ips_, ElementsAre(kUserContext, *registers_.pc, kA));
  }
}

// A JIT compiler's table, relative to its place behind the code.
TEST_F(UnwinderTest, UnwindsGeneratedCode) {
  machine_ = MachineOf("x86_64", 2);
  class Jit final : public UnwindInfoSource {
   public:
    explicit Jit(std::string eh_frame) : eh_frame_(std::move(eh_frame)) {}
    std::unique_ptr<ElfFile> Code(DsoId) override { return nullptr; }
    std::unique_ptr<ElfFile> Debug(DsoId, const ElfFile&) override {
      return nullptr;
    }
    Generated GeneratedCode(DsoId file) override {
      if (file != 0) return {};
      return {{reinterpret_cast<const uint8_t*>(eh_frame_.data()),
               eh_frame_.size()},
              kBase + kFunction + kSize};
    }

   private:
    std::string eh_frame_;
  };
  Jit jit(TestEhFrame(*machine_, kSize, 16,
                      Code({DW_CFA_def_cfa, 7, 16, 0x80 | 16, 1}), 0, kSize,
                      ""));
  Unwinder unwinder(*machine_, &jit);
  Bytes stack;
  stack.U64(1).U64(kA).U64(2).U64(kB).U64(3).U64(0);
  registers_.Set(7, kStack);
  registers_.pc = kBase + kFunction;
  EXPECT_EQ(unwinder.Unwind(
                registers_,
                {kStack,
                 {reinterpret_cast<const uint8_t*>(stack.str().data()),
                  stack.size()}},
                [](uint64_t address, CodeLocation* location) {
                  *location = {0, address};
                  return address >= kBase;
                },
                100, &ips_),
            UnwindStop::kComplete);
  EXPECT_THAT(ips_, ElementsAre(kUserContext, *registers_.pc, kA, kB));
}

TEST_F(UnwinderTest, FilesOfOtherMachinesSayNothing) {
  UseX86();
  const std::string other = TestElf(*MachineOf("aarch64", 2), {});
  source_ = std::make_unique<TestSource>(std::vector<std::string>{other});
  unwinder_ = std::make_unique<Unwinder>(*machine_, source_.get());
  EXPECT_EQ(Run({kA, kB}), UnwindStop::kNoModule);
}

TEST(MachineTest, TakesRegistersByMask) {
  const Machine& machine = *MachineOf("x86_64", 2);
  Bytes words;
  words.U64(1).U64(2).U64(3);
  const WordSpan values(reinterpret_cast<const uint8_t*>(words.str().data()), 3,
                        ByteOrder::kLittle);
  // CX, SP, R9; and one more that was promised.
  const Registers r(machine, 1 << 2 | 1 << 7 | 1 << 17 | 1 << 18, values);
  EXPECT_EQ(r[2], 1);
  EXPECT_EQ(r[7], 2);
  EXPECT_EQ(r[9], 3);
  EXPECT_FALSE(r.known(10));
  EXPECT_FALSE(r.pc.has_value());
  EXPECT_EQ(MachineOf("x86_64", 0), nullptr);
  EXPECT_EQ(MachineOf("x86_64", 3), nullptr);
  EXPECT_EQ(MachineOf("s390x", 1), nullptr);
  EXPECT_EQ(MachineOf("sparc", 2), nullptr);
  // What a 32-bit perf says of 64-bit tasks.
  EXPECT_EQ(MachineOf("i686", 2), MachineOf("x86_64", 2));
  EXPECT_EQ(MachineOf("armv8l", 2), MachineOf("aarch64", 2));
}

}  // namespace
}  // namespace perf2x
