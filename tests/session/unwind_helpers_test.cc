// SPDX-License-Identifier: Apache-2.0
#include "converter/session/unwind_helpers.h"

#include <dwarf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "converter/perf/records/wire.h"
#include "tests/unwind/test_elf.h"

namespace perf2x {
namespace {

using testing::ElementsAre;

constexpr uint64_t kBase = 0x400000, kStack = 0x7ffe0000, kFunction = 0x1000;

// A program of one function, each of whose instructions has a row.
std::string ProgramFor(const Machine& machine) {
  std::string rows;
  for (int i = 0; i < 200; ++i) {
    rows += {DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset,
             static_cast<char>(8 + i % 2 * 8)};
  }
  const char initial[] = {DW_CFA_def_cfa, 7, 8, static_cast<char>(0x80 | 16),
                          1};
  return TestElf(machine,
                 {{".eh_frame", 0x2000,
                   TestEhFrame(machine, 0x2000, 16, {initial, sizeof(initial)},
                               kFunction, 0x100, rows)}});
}

class UnwindHelpersTest : public testing::Test {
 protected:
  UnwindHelpersTest() {
    MapEntry entry;
    entry.start = kBase;
    entry.end = kBase + 0x2000;
    entry.dso = 0;
    entry.code = MappedCode::kFile;
    map_.Insert(entry, arena_);
  }
  // The stack of an instruction that nothing called.
  UnwindInput StackAt(uint64_t offset) {
    registers_ = {kStack, kBase + kFunction + offset};
    words_ = {0, 0};
    UnwindInput stack;
    stack.abi = 2;
    stack.register_mask = 1 << 7 | 1 << 8;  // sp and ip
    stack.registers = {reinterpret_cast<const uint8_t*>(registers_.data()),
                       registers_.size(), kHostOrder};
    stack.bytes = {reinterpret_cast<const uint8_t*>(words_.data()),
                   words_.size() * 8};
    stack.map = map_;
    return stack;
  }
  bool HelperUnwinds(uint64_t offset) {
    std::unique_ptr<UnwindHelper> helper = helpers_.Acquire();
    std::vector<uint64_t> chain;
    UnwindOutcome how;
    const bool unwound = helper->Append(StackAt(offset), &chain, &how);
    helpers_.Release(std::move(helper));
    if (!unwound) return false;
    EXPECT_EQ(how.stop, UnwindStop::kComplete);
    EXPECT_THAT(chain, ElementsAre(kContextUser, kBase + kFunction + offset));
    return true;
  }
  void Unwind(uint64_t offset) {
    std::vector<uint64_t> chain;
    UnwindOutcome how;
    EXPECT_TRUE(stacks_.Append(StackAt(offset), &chain, &how));
    EXPECT_EQ(how.stop, UnwindStop::kComplete);
  }

  AddressMap::Arena arena_;
  AddressMap map_;
  std::vector<uint64_t> registers_, words_;
  UserStacks stacks_{"x86_64", std::make_unique<TestSource>(std::vector{
                                   ProgramFor(*MachineOf("x86_64", 2))})};
  UnwindHelpers helpers_;
};

TEST_F(UnwindHelpersTest, KnowNothingAtFirst) {
  EXPECT_FALSE(HelperUnwinds(0));
  Unwind(0);
  EXPECT_FALSE(HelperUnwinds(0));
  helpers_.Update(stacks_, 1);
  EXPECT_TRUE(HelperUnwinds(0));
  EXPECT_FALSE(HelperUnwinds(1));
}

TEST_F(UnwindHelpersTest, LearnWhenTheyMissedSomething) {
  for (uint64_t i = 0; i < 190; ++i) Unwind(i);
  Unwind(190);
  helpers_.Update(stacks_, 0);  // nothing was missed
  EXPECT_FALSE(HelperUnwinds(7));
  helpers_.Update(stacks_, 1);
  for (uint64_t i = 0; i <= 190; ++i) EXPECT_TRUE(HelperUnwinds(i)) << i;
  EXPECT_EQ(stacks_.cfi_rows(), 191u);
}

TEST_F(UnwindHelpersTest, KnowNoOtherMachines) {
  Unwind(0);
  helpers_.Update(stacks_, 1);
  std::vector<uint64_t> chain;
  UnwindOutcome how;
  std::unique_ptr<UnwindHelper> helper = helpers_.Acquire();
  for (const uint64_t abi : {0, 1, 3}) {
    UnwindInput stack = StackAt(0);
    stack.abi = abi;
    EXPECT_FALSE(helper->Append(stack, &chain, &how)) << abi;
  }
  EXPECT_TRUE(helper->Append(StackAt(0), &chain, &how));
  UnwindInput stack = StackAt(0);
  stack.abi = 3;
  stacks_.Append(stack, &chain, &how);
  EXPECT_EQ(how.stop, UnwindStop::kUnknownMachine);
}

TEST_F(UnwindHelpersTest, EachThreadHasItsOwn) {
  std::unique_ptr<UnwindHelper> one = helpers_.Acquire(),
                                two = helpers_.Acquire();
  EXPECT_NE(one, two);
  UnwindHelper* const was = one.get();
  helpers_.Release(std::move(one));
  EXPECT_EQ(helpers_.Acquire().get(), was);
}

}  // namespace
}  // namespace perf2x
