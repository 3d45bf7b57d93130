// SPDX-License-Identifier: Apache-2.0

// Tables and stacks of other machines, .debug_frame, generated code.
#include <zlib.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unwind/unwinder_fixture.h"

namespace perf2x {
namespace {

using testing::ElementsAre;

using UnwinderTablesTest = UnwinderTest;

TEST_F(UnwinderTablesTest, ReadsBigEndianStacks) {
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

TEST_F(UnwinderTablesTest, ReadsStacksOf32BitTasks) {
  Use("x86_64", 1, 8, Code({DW_CFA_def_cfa, 4, 4, 0x80 | 8, 1}), "");
  registers_.Set(4, kStack);
  registers_.pc = kBase + kFunction;
  EXPECT_EQ(Run({kA, kB, 0}), UnwindStop::kComplete);
  EXPECT_THAT(ips_, ElementsAre(kUserContext, *registers_.pc, kA, kB));
}

// .ARM.exidx: pop {r4, lr} for the first function, none for the second.
TEST_F(UnwinderTablesTest, ReadsArmTables) {
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
TEST_F(UnwinderTablesTest, PrefersDebugFrameToArmTables) {
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
TEST_F(UnwinderTablesTest, FindsTheSavedLinkOfArmFunctions) {
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
TEST_F(UnwinderTablesTest, LeavesArmLibrariesByLinksThatLeadOn) {
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
  DsoCfiTable cfi(*machine_, &source);
  Unwinder unwinder(*machine_, cfi);
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

// A table of x86-64 for the function: the return address is at the top of the
// stack.
Bytes X86DebugFrame() {
  Bytes common, function, section;
  common.U32(0xffffffff).U8(1).U8(0).U8(1).U8(0x78).U8(16);
  common.Add(Code({DW_CFA_def_cfa, 7, 8, 0x80 | 16, 1}));
  function.U32(0).U64(kFunction).U64(kSize);
  section.Sized(common.str()).Sized(function.str());
  return section;
}

TEST_F(UnwinderTablesTest, ReadsDebugFrameOfTheDebugFile) {
  machine_ = MachineOf("x86_64", 2);
  const Bytes section = X86DebugFrame();
  source_ = std::make_unique<TestSource>(
      std::vector<std::string>{TestElf(
          *machine_, {{".text", kFunction, "code"}, {".end", 0x4000, "x"}})},
      TestElf(*machine_, {{".debug_frame", 0x2000, section.str()}}));
  MakeUnwinder();
  registers_.Set(7, kStack);
  registers_.pc = kBase + kFunction;
  EXPECT_EQ(Run({kA, 0}), UnwindStop::kComplete);
  EXPECT_THAT(ips_, ElementsAre(kUserContext, *registers_.pc, kA));
}

// Both ways in which sections of debug information are compressed.
TEST_F(UnwinderTablesTest, UnpacksDebugFrame) {
  machine_ = MachineOf("x86_64", 2);
  const Bytes section = X86DebugFrame();
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
TEST_F(UnwinderTablesTest, UnwindsGeneratedCode) {
  machine_ = MachineOf("x86_64", 2);
  class Jit final : public UnwindInfoSource {
   public:
    explicit Jit(std::string eh_frame) : eh_frame_(std::move(eh_frame)) {}
    std::shared_ptr<const ElfFile> OpenBinary(DsoId) override {
      return nullptr;
    }
    std::shared_ptr<const ElfFile> OpenDebugFile(DsoId,
                                                 const ElfFile&) override {
      return nullptr;
    }
    Generated GeneratedCfi(DsoId dso) override {
      if (dso != 0) return {};
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
  DsoCfiTable cfi(*machine_, &jit);
  Unwinder unwinder(*machine_, cfi);
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

TEST_F(UnwinderTablesTest, FilesOfOtherMachinesSayNothing) {
  UseX86();
  const std::string other = TestElf(*MachineOf("aarch64", 2), {});
  source_ = std::make_unique<TestSource>(std::vector<std::string>{other});
  MakeUnwinder();
  EXPECT_EQ(Run({kA, kB}), UnwindStop::kNoFile);
}

}  // namespace
}  // namespace perf2x
