// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "converter/emit/emitters.h"
#include "tests/emit/branch_profiles/branch_trace.h"

namespace perf2x {
namespace {

class ProfgenTest : public BranchTrace {};

// main calls leaf, which returns, and main branches back.
TEST_F(ProfgenTest, RangesLieBetweenBranches) {
  ASSERT_TRUE(Begin(ProfgenEmitterInfo()).ok());
  for (int i = 0; i < 2; ++i) {
    AddBranches({{0x1120, 0x1108}, {0x1208, 0x1110}, {0x110c, 0x1200}});
  }
  ASSERT_TRUE(Finish().ok());
  EXPECT_EQ(output(),
            "2\n110-120:2\n200-208:2\n"
            "3\n10c->200:2\n120->108:2\n208->110:2\n");
}

TEST_F(ProfgenTest, CodeElsewhereIsOneAddress) {
  ASSERT_TRUE(Begin(ProfgenEmitterInfo()).ok());
  AddBranches({{kLibrary, 0x1110}, {kLibrary, kOther}, {0x1120, kLibrary}});
  AddBranches({{kOther, 0x1110}});
  AddIp(0x1100);
  ASSERT_TRUE(Finish().ok());
  // 1 - 0x1000, as llvm-profgen writes its address 1.
  EXPECT_EQ(output(), "0\n1\nfffffffffffff001->110:2\n");
}

// The branch between other files does not count, and those around it are in a
// row.
TEST_F(ProfgenTest, BranchesBetweenOtherFilesDoNotCount) {
  ASSERT_TRUE(Begin(ProfgenEmitterInfo(), {{"dso", "app"}}).ok());
  AddBranches({{0x1120, 0x1108}, {kLibrary, kOther}, {0x1208, 0x1110}});
  ASSERT_TRUE(Finish().ok());
  EXPECT_EQ(output(), "1\n110-120:1\n2\n120->108:1\n208->110:1\n");
}

TEST_F(ProfgenTest, WhatTheCodeDoesNotAllowIsDroppedAndCounted) {
  ASSERT_TRUE(Begin(ProfgenEmitterInfo()).ok());
  AddBranches({{0x1104, 0x1108}, {0x110c, 0x1120}});  // backwards
  AddBranches({{0x1120, 0x1108}, {0x1208, 0x1104}});  // across a call
  AddBranches({{0x1120, 0x1108}, {0x1208, 0x1111}});  // within an instruction
  ASSERT_TRUE(Finish().ok());
  EXPECT_EQ(output(), "0\n4\n104->108:1\n10c->120:1\n120->108:2\n208->104:1\n");
  EXPECT_EQ(Skipped("fall-through that goes backwards"), 1u);
  EXPECT_EQ(Skipped("fall-through across a call, a return or a jump"), 1u);
  EXPECT_EQ(Skipped("fall-through whose ends are not in decoded code"), 1u);
  EXPECT_EQ(Skipped("branch to what is not decoded code"), 1u);
}

TEST_F(ProfgenTest, OtherBranchStacksAreNotOfFlow) {
  ASSERT_TRUE(Begin(ProfgenEmitterInfo(), {{"dso", "/opt/app"}}).ok());
  AddBranches({{0x1120, 0x1108}, {0x1208, 0x1110}}, BranchChoice::kCallStack);
  AddBranches({{0x1120, 0x1108}, {0x1208, 0x1110}}, BranchChoice::kSome);
  Branch wrong;
  wrong.source = RunTime(0x1120);
  wrong.target = RunTime(0x1108);
  wrong.wrong_path = true;
  AddStack({wrong});
  ASSERT_TRUE(Finish().ok());
  EXPECT_EQ(output(), "0\n2\n120->108:1\n208->110:1\n");
  EXPECT_EQ(Skipped("branch stack with calls alone (--call-graph lbr)"), 1u);
  EXPECT_EQ(Skipped("branch that the processor only speculated"), 1u);
}

TEST_F(ProfgenTest, WithoutBranchesEachSampleIsARange) {
  ASSERT_TRUE(Begin(ProfgenEmitterInfo()).ok());
  AddIp(0x1108, 3);
  AddIp(0x1109);
  AddIp(kLibrary, 2);
  ASSERT_TRUE(Finish().ok());
  EXPECT_EQ(output(), "1\n108-108:3\n0\n");
  EXPECT_EQ(Skipped("sample that is not in decoded code"), 1u);
}

TEST_F(ProfgenTest, WithoutTheFileOffsetsStandForAddresses) {
  app_code_ = nullptr;
  ASSERT_TRUE(Begin(ProfgenEmitterInfo(), {{"dso", "ab"}}).ok());
  AddBranches({{0x1120, 0x1108}, {0x1208, 0x1111}});
  ASSERT_TRUE(Finish().ok());
  // The program was mapped below 4 GiB, so it was linked to where it ran.
  EXPECT_EQ(output(),
            "1\n400111-400120:1\n2\n400120->400108:1\n400208->400111:1\n");
}

// Samples with call graphs.
class ProfgenContextsTest : public ProfgenTest {
 protected:
  ProfgenContextsTest() {
    AddFrame("edge", app_, 0x104);
    AddFrame("ip", app_, 0x118);
    AddFrame("call", app_, 0x10f);  // the last byte of main's call
    AddFrame("no call", app_, 0x117);
  }
  std::string Contexts() {
    EXPECT_TRUE(Finish().ok());
    return output();
  }
  void SetUp() override {
    ASSERT_TRUE(
        Begin(ProfgenEmitterInfo(), {{"profgen-contexts", "true"}}).ok());
  }
  const std::vector<std::pair<uint64_t, uint64_t>> loop_ = {
      {0x1120, 0x1108}, {0x1208, 0x1110}, {0x110c, 0x1200}};
};

// main:3 calls leaf, which returns; main:4.2 has twice inlined.
TEST_F(ProfgenContextsTest, CallsAndReturnsAreUndone) {
  stack_ = Stack({"ip"});
  AddBranches(loop_);
  AddBranches(loop_);
  EXPECT_EQ(Contexts(),
            "[main]\n"
            "  1\n  118-120:2\n"
            "  2\n  10c->200:2\n  120->108:2\n"
            "[main:3 @ leaf]\n"
            "  1\n  200-208:2\n"
            "  1\n  208->110:2\n"
            "[main:4.2 @ twice]\n"
            "  1\n  110-114:2\n"
            "  0\n");
}

TEST_F(ProfgenContextsTest, CallersAreThoseOfTheStack) {
  stack_ = Stack({"ip", "call", "memcpy", "call"});
  AddBranches({{0x1120, 0x1108}});
  stack_ = Stack({"ip", "call", "call", "call", "no call", "call"});
  AddBranches({{0x1120, 0x1108}});
  stack_ = Stack({"ip", "no call"});
  AddBranches({{0x1120, 0x1108}});
  // Recursion is one caller, and what called another file none.
  EXPECT_EQ(Contexts(),
            "[main]\n  0\n  1\n  120->108:1\n"
            "[main:3 @ main]\n  0\n  1\n  120->108:2\n");
}

TEST_F(ProfgenContextsTest, AReturnFromTheKernelIsNoCaller) {
  stack_ = Stack({"sys_read", "ip", "call"});
  AddBranches({{0x1120, 0x1108}});
  EXPECT_EQ(Contexts(), "[main]\n  0\n  1\n  120->108:1\n");
}

TEST_F(ProfgenContextsTest, WhereAFunctionBeginsCallersAreNotKnown) {
  stack_ = Stack({"edge", "call"});
  AddBranches({{0x1208, 0x1110}});
  stack_ = Stack({"ip", "call"});
  AddBranches({{0x1120, 0x1108}});
  EXPECT_EQ(Contexts(), "[main:3 @ main]\n  0\n  1\n  120->108:1\n");
  EXPECT_EQ(Skipped("sample where a function begins or returns, whose callers "
                    "may be wrong"),
            1u);
}

TEST_F(ProfgenContextsTest, AfterWhatCannotBeNoCallersAreKnown) {
  stack_ = Stack({"ip", "call"});
  AddBranches({{0x1120, 0x1108}, {0x1120, kLibrary}, {0x1120, 0x1108}});
  AddBranches({{0x1120, 0x1108}, {0x110c, 0x1130}, {0x1120, 0x1108}});
  EXPECT_EQ(Contexts(),
            "[main]\n"
            "  1\n  108-10c:1\n"
            "  2\n  10c->130:1\n  120->108:2\n"
            "[main:3 @ main]\n  0\n  1\n  120->108:2\n");
  EXPECT_EQ(Skipped("callers before a branch from or to another file that "
                    "nothing goes with"),
            1u);
  EXPECT_EQ(
      Skipped("callers before a fall-through that the code does not allow"),
      2u);
}

// What another file's callers called has its own stack.
TEST_F(ProfgenContextsTest, CallsFromOtherFilesHaveNoContext) {
  stack_ = Stack({"ip", "memcpy", "call"});
  AddBranches({{0x1120, 0x1108},
               {kLibrary, 0x1114},
               {0x1120, kLibrary},
               {0x1124, 0x1120}});
  EXPECT_EQ(Contexts(),
            "[]\n  0\n  1\n  fffffffffffff001->114:1\n"
            "[main]\n  1\n  118-120:1\n  1\n  120->108:1\n"
            "[main:3 @ main]\n  1\n  120-120:1\n  1\n  124->120:1\n"
            "[main:4.2 @ twice]\n  1\n  114-114:1\n  0\n");
}

TEST_F(ProfgenContextsTest, WithoutCodeThereAreNone) {
  app_code_ = nullptr;
  stack_ = Stack({"ip", "call"});
  AddBranches({{0x1120, 0x1108}});
  EXPECT_EQ(Contexts(), "0\n1\n400120->400108:1\n");
}

TEST_F(ProfgenTest, SaysWhichOfSeveralFilesOfOneNameItIsOf) {
  Dso other;
  other.kind = DsoKind::kFile;
  other.name = "/usr/bin/app";
  tables_.AddDso(other);
  ASSERT_TRUE(Begin(ProfgenEmitterInfo(), {{"dso", "app"}}).ok());
  AddBranches({{0x1120, 0x1108}});
  ASSERT_TRUE(Finish().ok());
  EXPECT_EQ(diagnostics_.entries().count(
                "the profile is of /opt/app, which has most samples of the "
                "files called app; to choose /usr/bin/app give --dso its path"),
            1u);
}

TEST_F(ProfgenTest, TellsBuildsOfOnePathByBuildId) {
  const uint8_t id[] = {0xcd};
  Dso other;
  other.kind = DsoKind::kFile;
  other.name = "/opt/app";
  other.build_id = BuildId(id);
  tables_.AddDso(other);
  ASSERT_TRUE(Begin(ProfgenEmitterInfo(), {{"dso", "app"}}).ok());
  AddBranches({{0x1120, 0x1108}});
  ASSERT_TRUE(Finish().ok());
  EXPECT_EQ(diagnostics_.entries().count(
                "the profile is of /opt/app, which has most samples of the "
                "files called app; to choose another build give --dso its "
                "build id, cd"),
            1u);
}

TEST_F(ProfgenTest, SaysThatThereIsNothing) {
  for (const EmitterInfo& format :
       {ProfgenEmitterInfo(), BoltEmitterInfo(), AutofdoEmitterInfo()}) {
    diagnostics_ = Diagnostics();
    ASSERT_TRUE(Begin(format).ok());
    ASSERT_TRUE(Finish().ok());
    uint64_t said = 0;
    for (const auto& [message, entry] : diagnostics_.entries()) {
      said += absl::StartsWith(message, "the profile is empty") ? 1 : 0;
    }
    EXPECT_EQ(said, 1u) << format.name;
  }
}

TEST_F(ProfgenTest, AFileThatIsNotThereIsAnError) {
  ASSERT_TRUE(Begin(ProfgenEmitterInfo(), {{"dso", "nginx"}}).ok());
  AddBranches({{0x1120, 0x1108}});
  const absl::Status status = Finish();
  EXPECT_EQ(status.message(),
            "no branch or sample is in --dso \"nginx\"; the recording has "
            "/opt/lib.so, /opt/app, [kernel.kallsyms]");
}

}  // namespace
}  // namespace perf2x
