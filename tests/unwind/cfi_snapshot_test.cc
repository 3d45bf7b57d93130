// SPDX-License-Identifier: Apache-2.0
#include "converter/unwind/cfi_snapshot.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unwind/unwinder_fixture.h"

namespace perf2x {
namespace {

using testing::ElementsAre;

// A function of two rows, for addresses below and from 0x80 on.
class CfiSnapshotTest : public UnwinderTest {
 protected:
  CfiSnapshotTest() {
    UseX86(Code({DW_CFA_advance_loc1, 0x80, DW_CFA_def_cfa_offset, 16}));
    early_.BeginStack(tables_->Snapshot(nullptr));
  }
  static constexpr uint64_t kFirstRow = kFunction,
                            kSecondRow = kFunction + 0x80;
  SnapshotTables early_;  // knows nothing
};

TEST_F(CfiSnapshotTest, KnowsTheRowsThatWereFoundBefore) {
  const RuleId first = tables_->Find(0, kFirstRow + 5);
  SnapshotTables known;
  known.BeginStack(tables_->Snapshot(nullptr));
  EXPECT_EQ(known.Find(0, kFirstRow), first);
  EXPECT_EQ(known.Find(0, kFirstRow + 0x7f), first);
  EXPECT_EQ(known.rules().rule(first).cfa_value, 8);
  EXPECT_FALSE(known.missed());
  EXPECT_EQ(known.Find(0, kSecondRow), kNoRule);
  EXPECT_TRUE(known.missed());
  EXPECT_EQ(known.Find(0, kFirstRow - 1), kNoRule);
}

TEST_F(CfiSnapshotTest, KnowsWhereThereIsNoRow) {
  EXPECT_EQ(tables_->Find(0, kFirstRow - 1), kNoRule);
  EXPECT_EQ(tables_->Find(7, 0x1234), kNoRule);  // no such file
  SnapshotTables known;
  known.BeginStack(tables_->Snapshot(nullptr));
  EXPECT_EQ(known.Find(0, kFirstRow - 1), kNoRule);
  EXPECT_EQ(known.Find(0, uint64_t{1} << 40), kNoRule);  // not in the file
  EXPECT_EQ(known.Find(7, 0x1234), kNoRule);
  EXPECT_TRUE(known.IsPresent(0));
  EXPECT_FALSE(known.IsPresent(7));
  EXPECT_FALSE(known.missed());
}

TEST_F(CfiSnapshotTest, AFileThatWasNotOpenedIsMissed) {
  uint8_t bytes[4];
  EXPECT_EQ(early_.Find(0, kFirstRow), kNoRule);
  EXPECT_TRUE(early_.missed());
  early_.BeginStack(tables_->Snapshot(nullptr));
  EXPECT_FALSE(early_.missed());
  EXPECT_FALSE(early_.IsPresent(0));
  EXPECT_TRUE(early_.missed());
  early_.BeginStack(tables_->Snapshot(nullptr));
  EXPECT_FALSE(early_.ReadConstant(0, 0, 4, bytes));
  EXPECT_TRUE(early_.missed());
}

TEST_F(CfiSnapshotTest, ReadsConstantsOfOpenFiles) {
  EXPECT_TRUE(tables_->IsPresent(0));
  early_.BeginStack(tables_->Snapshot(nullptr));
  uint8_t bytes[4] = {};
  EXPECT_TRUE(early_.ReadConstant(0, 0, 4, bytes));
  EXPECT_THAT(bytes, ElementsAre(0x7f, 'E', 'L', 'F'));
  EXPECT_FALSE(early_.missed());
}

TEST_F(CfiSnapshotTest, ACopyTakesOverWhatDidNotChange) {
  tables_->Find(0, kFirstRow);
  const auto before = tables_->Snapshot(nullptr);
  const auto same = tables_->Snapshot(before.get());
  EXPECT_EQ(same->files[0].rows, before->files[0].rows);
  EXPECT_EQ(same->rules, before->rules);
  tables_->Find(0, kSecondRow);
  EXPECT_EQ(tables_->rows(), 2u);
  const auto after = tables_->Snapshot(same.get());
  EXPECT_EQ(after->files[0].rows->size(), 2u);
  EXPECT_EQ(after->rules->size(), 2u);
  EXPECT_EQ(before->files[0].rows->size(), 1u);
  EXPECT_EQ(before->rules->size(), 1u);
}

// An unwinder that missed a row does not keep that for a rule.
TEST_F(CfiSnapshotTest, AnUnwinderLearns) {
  registers_.pc = kBase + kFirstRow;
  Unwinder helper(*machine_, early_);
  RunBy(helper, {kA, kB, 0});
  EXPECT_TRUE(early_.missed());
  Run({kA, 9, 0});
  early_.BeginStack(tables_->Snapshot(nullptr));
  EXPECT_EQ(RunBy(helper, {kA, 9, 0}), UnwindStop::kComplete);
  EXPECT_FALSE(early_.missed());
  EXPECT_THAT(ips_, ElementsAre(kUserContext, *registers_.pc, kA));
  // The file is known, the row of the leaf is not.
  UseX86(Code({DW_CFA_advance_loc1, 0x80, DW_CFA_def_cfa_offset, 16}));
  SnapshotTables known;
  registers_.pc = kBase + kFirstRow;
  Run({0});
  known.BeginStack(tables_->Snapshot(nullptr));
  Unwinder other(*machine_, known);
  EXPECT_EQ(RunBy(other, {0}), UnwindStop::kComplete);
  EXPECT_FALSE(known.missed());
  RunBy(other, {kA, 9, 0});
  EXPECT_TRUE(known.missed());
}

}  // namespace
}  // namespace perf2x
