// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "converter/emit/emitters.h"
#include "tests/emit/branch_profiles/branch_trace.h"

namespace perf2x {
namespace {

class BoltTest : public BranchTrace {};

TEST_F(BoltTest, BranchesAndFallThroughs) {
  ASSERT_TRUE(Begin(BoltEmitterInfo()).ok());
  AddBranches({{0x1120, 0x1108}, {0x1208, 0x1110}, {0x110c, 0x1200}});
  AddBranches({{0x1130, kLibrary}, {0x1120, 0x1108}});
  Branch missed;
  missed.source = RunTime(0x1120);
  missed.target = RunTime(0x1108);
  missed.mispredicted = true;
  AddStack({missed});
  ASSERT_TRUE(Finish().ok());
  EXPECT_EQ(output(),
            "B 110c 1200 1 0\n"
            "B 1120 1108 3 1\n"
            "B 1130 0 1 0\n"
            "B 1208 1110 1 0\n"
            "F 1108 1130 1\n"
            "f 1110 1120 1\n"
            "f 1200 1208 1\n");
}

// An interrupt returns to where it came from.
TEST_F(BoltTest, BranchesIntoTheKernelDoNotEndARun) {
  ASSERT_TRUE(Begin(BoltEmitterInfo(), {{"dso", "app"}}).ok());
  AddBranches({{0x1120, 0x1108},
               {kKernel, 0x1114},
               {0x1110, kKernel},
               {0x1208, 0x1110}});
  ASSERT_TRUE(Finish().ok());
  EXPECT_EQ(output(), "B 1120 1108 1 0\nB 1208 1110 1 0\nf 1110 1120 1\n");
  EXPECT_EQ(Skipped("branch into or out of the kernel, an interrupt"), 2u);
}

class BoltKernelTest : public BoltTest {
 protected:
  // User code, and a system call with a branch of its own.
  void AddSystemCall(uint64_t kernel) {
    AddBranches({{0x1120, 0x1108},
                 {kernel + 0x40, 0x1114},
                 {kernel + 0x20, kernel + 0x30},
                 {0x1110, kernel},
                 {0x1208, 0x1110}});
  }
  // Adds a part of the kernel whose code is not found.
  void AddKernel(DsoKind kind, const char* name, const BuildId& build_id,
                 uint64_t start) {
    Dso dso;
    dso.kind = kind;
    dso.name = name;
    dso.build_id = build_id;
    tables_.AddMapping({tables_.AddDso(dso), start, start + 0x1000, 0});
  }
};

TEST_F(BoltKernelTest, IsKnownByItsKindHoweverItIsNamed) {
  constexpr uint64_t kFirst = 0xffffffff80000000, kModule = 0xffffffff80100000;
  const uint8_t id[] = {0xcd};
  AddKernel(DsoKind::kKernel, "[kernel.first]", BuildId(id), kFirst);
  AddKernel(DsoKind::kKernelModule, "/lib/modules/fs.ko.zst", {}, kModule);
  const std::pair<const char*, uint64_t> names[] = {
      {"[kernel.first]", kFirst},
      {"cd", kFirst},
      {"fs.ko.zst", kModule},
      {"/lib/modules/fs.ko.zst", kModule}};
  for (const auto& [name, at] : names) {
    outputs_.clear();
    ASSERT_TRUE(Begin(BoltEmitterInfo(), {{"dso", name}}).ok());
    AddSystemCall(at);
    ASSERT_TRUE(Finish().ok());
    const auto hex = [at = at](uint64_t offset) {
      return absl::StrCat(absl::Hex(at + offset));
    };
    EXPECT_EQ(
        output(),
        absl::StrCat("B 0 ", hex(0), " 1 0\nB ", hex(0x20), " ", hex(0x30),
                     " 1 0\nB ", hex(0x40), " 0 1 0\nF ", hex(0), " ",
                     hex(0x20), " 1\nF ", hex(0x30), " ", hex(0x40), " 1\n"))
        << name;
  }
  EXPECT_EQ(Skipped("branch into or out of the kernel, an interrupt"), 0u);
}

TEST_F(BoltKernelTest, IsChosenIfNothingElseWasSampled) {
  ASSERT_TRUE(Begin(BoltEmitterInfo()).ok());
  AddBranches({{kKernel + 0x20, kKernel + 0x30}, {kOther, kKernel}});
  ASSERT_TRUE(Finish().ok());
  EXPECT_EQ(output(),
            "B 0 ffffffff81000100 1 0\n"
            "B ffffffff81000120 ffffffff81000130 1 0\n"
            "F ffffffff81000100 ffffffff81000120 1\n");
  EXPECT_EQ(diagnostics_.entries().count(
                "the code of [kernel.kallsyms] was not found (of this build), "
                "so addresses may "
                "be off and branches were not checked: pass the kernel's file "
                "with --vmlinux"),
            1u);
}

TEST_F(BoltKernelTest, IsApartFromTheProgram) {
  ASSERT_TRUE(Begin(BoltEmitterInfo()).ok());
  AddSystemCall(kKernel);
  ASSERT_TRUE(Finish().ok());
  EXPECT_EQ(output(), "B 1120 1108 1 0\nB 1208 1110 1 0\nf 1110 1120 1\n");
  EXPECT_EQ(Skipped("branch into or out of the kernel, an interrupt"), 3u);
}

TEST_F(BoltTest, WhatLeavesItsFunctionIsDroppedAndCounted) {
  ASSERT_TRUE(Begin(BoltEmitterInfo(), {{"dso", "app"}}).ok());
  AddBranches({{0x1204, 0x1108}, {0x1208, 0x1110}});  // into another function
  AddBranches({{0x1104, 0x1108}, {0x1208, 0x1110}});  // backwards
  AddBranches({{0x1150, 0x1108}, {0x1208, 0x1150}});  // in no function
  ASSERT_TRUE(Finish().ok());
  EXPECT_EQ(output(),
            "B 0 1108 1 0\nB 1104 1108 1 0\nB 1204 1108 1 0\nB 1208 0 1 0\n"
            "B 1208 1110 2 0\n");
  EXPECT_EQ(Skipped("fall-through across the end of a function"), 1u);
  EXPECT_EQ(Skipped("fall-through that goes backwards"), 1u);
  EXPECT_EQ(Skipped("fall-through in no function"), 1u);
}

TEST_F(BoltTest, Traces) {
  ASSERT_TRUE(Begin(BoltEmitterInfo(), {{"bolt-format", "traces"}}).ok());
  AddBranches({{0x1120, 0x1108}, {0x1208, 0x1110}});
  AddBranches({{0x1120, 0x1108}, {kLibrary, 0x1110}});
  ASSERT_TRUE(Finish().ok());
  EXPECT_EQ(output(), "T 1208 1110 1120 1\nT 0 1110 1120 1\nB 1120 1108 2 0\n");
}

TEST_F(BoltTest, SamplesWithoutBranches) {
  ASSERT_TRUE(Begin(BoltEmitterInfo()).ok());
  AddIp(0x1108, 3);
  AddIp(0x1204);
  AddIp(0x1150);
  ASSERT_TRUE(Finish().ok());
  EXPECT_EQ(output(), "no_lbr cycles:\n1 main 8 3\n1 leaf/1 4 1\n");
  EXPECT_EQ(Skipped("sample in no function"), 1u);
}

class CodeWithStub final : public TestCode {
 public:
  std::optional<Function> FunctionAt(uint64_t address) const override {
    if (address >= 0x1300 && address < 0x1310) {
      return Function{0x1300, 0x1310, 0x1310, "memcpy@plt", 0};
    }
    return TestCode::FunctionAt(address);
  }
};

TEST_F(BoltTest, StubsHaveTheNameThatBoltGivesThem) {
  app_code_ = std::make_shared<CodeWithStub>();
  ASSERT_TRUE(Begin(BoltEmitterInfo()).ok());
  AddIp(0x1304, 2);
  ASSERT_TRUE(Finish().ok());
  EXPECT_EQ(output(), "no_lbr cycles:\n1 memcpy@PLT 4 2\n");
}

// As of --latency: they stand for samples that were counted.
TEST_F(BoltTest, SamplesOfDerivedEventsDoNotCount) {
  const EventId cycles = std::exchange(cycles_, AddEvent("latency"));
  tables_.events[cycles_].derived = true;
  ASSERT_TRUE(Begin(BoltEmitterInfo()).ok());
  AddIp(0x1108);
  AddBranches({{0x1208, 0x1110}});
  cycles_ = cycles;
  AddIp(0x1108);
  ASSERT_TRUE(Finish().ok());
  EXPECT_EQ(output(), "no_lbr cycles:\n1 main 8 1\n");
}

TEST_F(BoltTest, SamplesWithoutBranchesEndWithTheOutput) {
  Budget& budget = Limit({{{1 << 20, 0}, {1 << 20, 0}, {1000, 0}}});
  ASSERT_TRUE(Begin(BoltEmitterInfo()).ok());
  AddIp(0x1108, 3);
  AddIp(0x1204);
  budget.ReleaseReserve();
  budget.Spend(Budget::kOutput, 1000);
  ASSERT_TRUE(Finish().ok());
  EXPECT_EQ(output(), "no_lbr cycles:\n");
  EXPECT_EQ(Skipped("sample beyond the limit on output"), 4u);
}

TEST_F(BoltTest, NamesAreSafeWords) {
  tables_.events[cycles_].name = "a b\x1b[1m\n";
  ASSERT_TRUE(Begin(BoltEmitterInfo()).ok());
  AddIp(0x1108);
  ASSERT_TRUE(Finish().ok());
  EXPECT_EQ(output().find('\x1b'), std::string::npos);
  EXPECT_EQ(output().substr(0, 11), "no_lbr a\\ b");
  EXPECT_EQ(std::count(output().begin(), output().end(), '\n'), 2);
}

TEST_F(BoltTest, SamplesWithoutBranchesForLaterVersions) {
  ASSERT_TRUE(Begin(BoltEmitterInfo(), {{"bolt-format", "traces"}}).ok());
  AddIp(0x1108, 3);
  ASSERT_TRUE(Finish().ok());
  EXPECT_EQ(output(), "E cycles\nS 1108 3\n");
}

// So that BOLT divides a block's samples by its instructions.
TEST_F(BoltTest, SamplesOfTimeAreSaidToBeOfCyclesToo) {
  cycles_ = AddEvent("cpu-clock:u", "nanoseconds");
  for (const auto& [form, expected] :
       {std::pair("branches", "no_lbr cpu-clock:u: cycles:\n1 main 8 3\n"),
        std::pair("traces", "E cpu-clock:u\nE cycles\nS 1108 3\n")}) {
    outputs_.clear();
    ASSERT_TRUE(Begin(BoltEmitterInfo(), {{"bolt-format", form}}).ok());
    AddIp(0x1108, 3);
    ASSERT_TRUE(Finish().ok());
    EXPECT_EQ(output(), expected);
  }
}

TEST_F(BoltTest, UnknownFormsAreRefused) {
  EXPECT_FALSE(BoltEmitterInfo().check({{"bolt-format", "yaml"}}).ok());
  EXPECT_FALSE(Begin(BoltEmitterInfo(), {{"bolt-format", "yaml"}}).ok());
}

}  // namespace
}  // namespace perf2x
