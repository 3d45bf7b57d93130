// SPDX-License-Identifier: Apache-2.0
#include "converter/session/read_deltas.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "converter/perf/records/wire.h"
#include "tests/support/span_of.h"

namespace perf2x {
namespace {

using Growth = std::vector<std::pair<uint64_t, uint64_t>>;  // id, growth

class ReadDeltasTest : public testing::Test {
 protected:
  ReadDeltasTest() {
    attr_.read_format = kReadGroup | kReadId;
    attr_.sample_type = kSampleRead | kSampleTid;
  }
  // A sample whose group holds (value, id) pairs.
  Growth Of(std::vector<uint64_t> members, int32_t tid = 1) {
    SampleRecord sample;
    sample.tid = tid;
    sample.read.nr = members.size() / ReadValues::Stride(attr_.read_format);
    sample.read.members = SpanOf(members);
    Growth growth;
    shrunk_ = deltas_.ForEachGrowth(
        sample, attr_,
        [&](uint64_t id, uint64_t by) { growth.emplace_back(id, by); });
    return growth;
  }

  EventAttr attr_;
  uint64_t shrunk_ = 0;  // of the last sample
  ReadDeltas deltas_;
};

TEST_F(ReadDeltasTest, FirstValueIsGrowthFromZero) {
  EXPECT_EQ(Of({100, 1, 7, 2}), (Growth{{1, 100}, {2, 7}}));
}

TEST_F(ReadDeltasTest, MemberThatDidNotGrowIsNotSampled) {
  Of({100, 1, 7, 2});
  EXPECT_EQ(Of({150, 1, 7, 2}), (Growth{{1, 50}}));
  EXPECT_EQ(Of({150, 1, 9, 2}), (Growth{{2, 2}}));
}

TEST_F(ReadDeltasTest, CounterThatRunsBackwardsIsNotSampledButCounted) {
  Of({1000, 1, 7, 2});
  EXPECT_EQ(shrunk_, 0u);
  EXPECT_EQ(Of({500, 1, 9, 2}), (Growth{{2, 2}}));
  EXPECT_EQ(shrunk_, 1u);
  EXPECT_EQ(Of({600, 1, 9, 2}), (Growth{{1, 100}}));
  EXPECT_EQ(shrunk_, 0u);
}

TEST_F(ReadDeltasTest, InheritedCountersCountForEachThread) {
  attr_.flags = 1 << 1;  // inherit
  Of({100, 1}, 10);
  EXPECT_EQ(Of({30, 1}, 11), (Growth{{1, 30}}));
  EXPECT_EQ(Of({120, 1}, 10), (Growth{{1, 20}}));
}

TEST_F(ReadDeltasTest, OtherCountersCountForAllThreads) {
  Of({100, 1}, 10);
  EXPECT_EQ(Of({130, 1}, 11), (Growth{{1, 30}}));
}

TEST_F(ReadDeltasTest, LostCountsAreSteppedOver) {
  attr_.read_format |= kReadLost;
  EXPECT_EQ(Of({100, 1, 5, 7, 2, 6}), (Growth{{1, 100}, {2, 7}}));
}

TEST_F(ReadDeltasTest, WithoutIdsOnlyTheLeaderIsKnown) {
  attr_.read_format = kReadGroup;
  EXPECT_EQ(Of({100, 7}), (Growth{{0, 100}}));
  EXPECT_EQ(shrunk_, 0u);
  EXPECT_EQ(Of({150, 9}), (Growth{{0, 50}}));
}

TEST_F(ReadDeltasTest, SingleValueGoesByTheSampleItself) {
  attr_.read_format = 0;
  SampleRecord sample;
  sample.id = 9;
  sample.read.value = 40;
  Growth growth;
  deltas_.ForEachGrowth(sample, attr_, [&](uint64_t id, uint64_t by) {
    growth.emplace_back(id, by);
  });
  EXPECT_EQ(growth, (Growth{{9, 40}}));
}

}  // namespace
}  // namespace perf2x
