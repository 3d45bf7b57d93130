// SPDX-License-Identifier: Apache-2.0
#include "converter/unwind/unwinder.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unwind/unwinder_fixture.h"

namespace perf2x {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

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
  // Two frames were guessed, which takes many reads.
  EXPECT_EQ(unwinder_->operations(), 2u * 128);
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
  EXPECT_EQ(Run({kA}), UnwindStop::kNoFile);
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
  MakeUnwinder();
  registers_.Set(31, kStack);
  registers_.Set(30, kA);
  registers_.Set(29, kStack);
  registers_.pc = kBare;
  EXPECT_EQ(Run({0, kB}), UnwindStop::kNoFile);
  EXPECT_THAT(ips_, ElementsAre(kUserContext, kBare, kB));
}

}  // namespace
}  // namespace perf2x
