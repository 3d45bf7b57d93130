// SPDX-License-Identifier: Apache-2.0
// Samples of event groups, whose records hold the readings of all members.
#include <gmock/gmock.h>

#include "absl/strings/str_cat.h"
#include "tests/session/sample_processor_test.h"
#include "tests/support/span_of.h"

namespace perf2x {
namespace {

// All members of a group tell of the leader's access.
TEST_F(SampleProcessorTest, AGroupHasOneAccess) {
  Make({.accesses = true});
  const EventAttr attr = {
      .sample_type = kType | kSampleAddr | kSampleId | kSampleRead,
      .read_format = kReadGroup | kReadId};
  AddEvent(attr, {11});
  AddEvent(attr, {12});
  SampleRecord sample = Of(8);
  sample.id = 11;
  sample.addr = 0x7008;
  const uint64_t members[] = {100, 11, 7, 12};
  sample.read.nr = 2;
  sample.read.members = {reinterpret_cast<const uint8_t*>(members), 4,
                         kHostOrder};
  ASSERT_TRUE(Apply(sample, 1).ok());
  const Lines lines = Emitted();
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_NE(lines[2].find(" period=100 access#1=7008 "), std::string::npos);
  EXPECT_NE(lines[3].find(" period=7 access#1=7008 "), std::string::npos);
}

// {a,b}:S: the leader's samples hold the counters of both.
TEST_F(SampleProcessorTest, AGroupsSampleIsOneOfEachMemberThatGrew) {
  SampleProcessor& samples = Make();
  const EventAttr attr = {.sample_type = kType | kSampleId | kSampleRead,
                          .read_format = kReadGroup | kReadId};
  AddEvent(attr, {11});
  AddEvent(attr, {12});
  SampleRecord sample = Of(8);
  sample.id = 11;
  uint64_t members[] = {100, 11, 7, 12};
  sample.read.nr = 2;
  sample.read.members = {reinterpret_cast<const uint8_t*>(members), 4,
                         kHostOrder};
  ASSERT_TRUE(Apply(sample, 1).ok());
  members[0] = 150;
  ASSERT_TRUE(Apply(sample, 2).ok());
  members[0] = 10;
  ASSERT_TRUE(Apply(sample, 3).ok());
  ASSERT_TRUE(Apply(sample, 4).ok());
  ASSERT_TRUE(samples.Flush().ok());
  EXPECT_EQ(trackers_->events.totals()[0].period, 150u);
  EXPECT_EQ(trackers_->events.totals()[1].period, 7u);
  EXPECT_EQ(Diagnosed(),
            (Lines{"1 x SAMPLE record in which no counter grew",
                   "1 x SAMPLE record with a counter that runs backwards"}));
}

TEST_F(SampleProcessorTest, ARecordWithUnknownMembersIsCountedOnce) {
  SampleProcessor& samples = Make();
  AddEvent({.sample_type = kType | kSampleId | kSampleRead,
            .read_format = kReadGroup | kReadId},
           {11});
  const uint64_t members[] = {100, 11, 7, 98, 7, 99};
  SampleRecord sample = Of(8);
  sample.id = 11;
  sample.read.nr = 3;
  sample.read.members = {reinterpret_cast<const uint8_t*>(members), 6,
                         kHostOrder};
  ASSERT_TRUE(Apply(sample, 1).ok());
  ASSERT_TRUE(samples.Flush().ok());
  EXPECT_EQ(trackers_->events.totals()[0].samples, 1u);
  EXPECT_EQ(Diagnosed(),
            (Lines{"1 x SAMPLE record with a group member that is not known"}));
}

TEST_F(SampleProcessorTest, CountersOfAGroupWithoutIdsAreCounted) {
  SampleProcessor& samples = Make();
  AddEvent({.sample_type = kType | kSampleId | kSampleRead,
            .read_format = kReadGroup},
           {11});
  const uint64_t members[] = {100, 120, 130};
  SampleRecord sample = Of(8);
  sample.id = 11;
  sample.read.nr = 3;
  sample.read.members = {reinterpret_cast<const uint8_t*>(members), 3,
                         kHostOrder};
  ASSERT_TRUE(Apply(sample, 1).ok());
  ASSERT_TRUE(samples.Flush().ok());
  EXPECT_EQ(trackers_->events.totals()[0].samples, 1u);
  EXPECT_EQ(trackers_->events.totals()[0].period, 100u);
  EXPECT_EQ(Diagnosed(),
            (Lines{"1 x SAMPLE record of a group whose counters have no ids"}));
}

// Each member of a group has all branches of the record.
TEST_F(SampleProcessorTest, MembersTimesBranchesAreBounded) {
  Make({.branches = true});
  AddEvent({.sample_type = kType | kSampleId | kSampleRead | kSampleBranchStack,
            .read_format = kReadGroup | kReadId},
           {11});
  constexpr size_t kMembers = 300, kBranches = 1000;
  std::vector<uint64_t> members, branches;
  for (size_t i = 0; i < kMembers; ++i) {
    members.insert(members.end(), {i + 1, 11});
  }
  for (size_t i = 0; i < kBranches; ++i) {
    branches.insert(branches.end(), {0x1000 + i, 0x2000, 0});
  }
  SampleRecord sample = Of(8);
  sample.id = 11;
  sample.read.nr = kMembers;
  sample.read.members = SpanOf(members);
  sample.branch_nr = kBranches;
  sample.branches = SpanOf(branches);
  ASSERT_TRUE(Apply(sample, 1).ok());
  const EventTotals& total = trackers_->events.totals()[0];
  EXPECT_EQ(total.samples, kMembers);
  EXPECT_THAT(Emitted().back(),
              testing::HasSubstr(absl::StrCat("branches=", kBranches)));
  trackers_->work.Flush();
  EXPECT_GE(budget_.used(Budget::kWork), kMembers * kBranches);

  budget_.Spend(Budget::kWork,
                budget_.Limit(Budget::kWork) - budget_.used(Budget::kWork));
  ASSERT_FALSE(budget_.exhausted());
  for (size_t i = 0; i < 2 * kMembers; i += 2) members[i] += 1000;
  ASSERT_TRUE(Apply(sample, 2).ok());
  EXPECT_GT(total.samples, kMembers);
  EXPECT_LT(total.samples, kMembers + 70'000 / kBranches);
  EXPECT_TRUE(Diagnosed().empty());
  trackers_->counts.ReportSkipped();
  ASSERT_EQ(Diagnosed().size(), 1u);
  EXPECT_EQ(Diagnosed()[0].substr(0, 10), "1 x record");
}

}  // namespace
}  // namespace perf2x
