// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/branch_profiles/flow_counter.h"

#include <gtest/gtest.h>

#include <map>
#include <tuple>
#include <vector>

namespace perf2x {
namespace {

using Counts = std::tuple<uint64_t, uint64_t, uint32_t>;

std::map<std::tuple<PlaceId, PlaceId, PlaceId>, Counts> CountsOf(
    const FlowCounter& counter) {
  std::map<std::tuple<PlaceId, PlaceId, PlaceId>, Counts> counts;
  counter.flows().ForEach([&](const Flow& flow) {
    const bool is_new =
        counts
            .try_emplace({flow.source, flow.target, flow.end}, flow.count,
                         flow.bounds, flow.mispredicted)
            .second;
    EXPECT_TRUE(is_new);
  });
  return counts;
}

// Flow number `i`, of `distinct` ones.
Flow FlowAt(uint32_t i, uint32_t distinct) {
  const uint32_t n = i * 2654435761u % distinct;
  return {n / 3 + 1, n / 7 + 1, n % 2 == 0 ? kOutside : n, i % 2, 1 + i % 3, 0};
}

TEST(FlowCounterTest, AThreadMakesNoDifference) {
  constexpr uint32_t kFlows = 100'000, kDistinct = 30'000;
  Budget budget;
  FlowCounter here(false, budget), on_thread(true, budget);
  std::map<std::tuple<PlaceId, PlaceId, PlaceId>, Counts> expected;
  for (uint32_t i = 0; i < kFlows; ++i) {
    const Flow flow = FlowAt(i, kDistinct);
    auto& [count, bounds, mispredicted] =
        expected[{flow.source, flow.target, flow.end}];
    count += flow.count;
    mispredicted += flow.mispredicted;
    ASSERT_EQ(here.Add(flow), on_thread.Add(flow));
    ASSERT_EQ(here.memory(), on_thread.memory());
  }
  EXPECT_GT(here.memory(), 0u);
  here.Finish();
  on_thread.Finish();
  EXPECT_EQ(CountsOf(here), expected);
  EXPECT_EQ(CountsOf(on_thread), expected);
  EXPECT_EQ(here.memory(), on_thread.memory());
  EXPECT_GE(here.memory(), here.flows().size() * sizeof(Flow));
}

// Flows that are known still count; new ones are dropped, from the next batch
// on.
TEST(FlowCounterTest, BeyondTheBudgetNothingIsAdded) {
  constexpr uint32_t kFlows = 20'000;
  std::vector<size_t> sizes;
  for (const bool is_on_thread : {false, true}) {
    Budget budget;
    FlowCounter counter(is_on_thread, budget);
    for (uint32_t i = 1; i <= kFlows; ++i) counter.Add({i, i, i, 0, 1, 0});
    budget.Spend(Budget::kMemory, uint64_t{1} << 40);
    uint64_t all = 2 * kFlows;  // branches and runs
    for (uint32_t i = 1; i <= 2 * kFlows; ++i, all += 5) {
      counter.Add({i, i, i, 0, 3, 1});
    }
    counter.Finish();
    uint64_t counted = 0;
    counter.flows().ForEach(
        [&](const Flow& flow) { counted += flow.taken() + flow.runs(); });
    EXPECT_EQ(counted + counter.dropped(), all);
    EXPECT_GT(counter.dropped(), 0u);
    sizes.push_back(counter.flows().size());
  }
  EXPECT_LT(sizes[0], kFlows + 2000);
  EXPECT_EQ(sizes[0], sizes[1]);
}

TEST(FlowCounterTest, MispredictionsStopAtTheLargestNumber) {
  Budget budget;
  FlowCounter counter(false, budget);
  for (int i = 0; i < 3; ++i) counter.Add({1, 2, 0, 1u << 31, 1u << 31, 0});
  counter.Finish();
  EXPECT_EQ(CountsOf(counter).begin()->second,
            Counts(uint64_t{3} << 31, 0, ~0u));
}

}  // namespace
}  // namespace perf2x
