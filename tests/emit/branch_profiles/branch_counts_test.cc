// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/branch_profiles/branch_counts.h"

#include <gtest/gtest.h>

#include <map>
#include <tuple>
#include <vector>

#include "tests/emit/branch_profiles/one_dso.h"

namespace perf2x {
namespace {

class BranchCountsTest : public testing::Test {
 protected:
  using Key = std::tuple<uint64_t, uint64_t, uint64_t>;
  using Counts = std::map<Key, std::pair<uint64_t, uint64_t>>;

  BranchCountsTest() {
    tables_.set_frame_source(&source_);
    tables_.AddDso(Dso());
  }
  uint64_t AddressOf(PlaceId place) const {
    return place == kOutside ? 0 : places_.FrameAddressOf(place);
  }
  static Branch BranchOf(uint64_t source, uint64_t target, bool mispredicted) {
    Branch branch;
    branch.source = source;
    branch.target = target;
    branch.mispredicted = mispredicted;
    return branch;
  }
  // A stack of a loop of up to 10 branches, of far more than are kept at hand.
  std::vector<Branch> NextStack() {
    const uint64_t loop = 1 + Random() % 10, first = Random() % 5000;
    std::vector<Branch> stack;
    for (uint64_t i = 0; i < 32; ++i) {
      const uint64_t at = 0x10000 + (first + i % loop) * 16;
      stack.push_back(BranchOf(at, at + 0x100000, Random() % 16 == 0));
    }
    return stack;
  }
  uint64_t Random() {
    random_ = random_ * 6364136223846793005u + 1442695040888963407u;
    return random_ >> 33;
  }

  OneDso source_;
  TraceTables tables_;
  CodePlaces places_{tables_, [](const Dso&) { return true; }};
  Budget budget_;
  uint64_t random_ = 1;
};

TEST_F(BranchCountsTest, EachBranchCounts) {
  for (const auto rule :
       {FallThroughRule::kPerf2bolt, FallThroughRule::kLlvmProfgen}) {
    for (const bool on_thread : {false, true}) {
      BranchCounts counts(rule, places_, budget_, on_thread);
      Counts expected, counted;
      for (int i = 0; i < 3000; ++i) {
        const std::vector<Branch> stack = NextStack();
        Sample sample;
        sample.branches = stack;
        sample.address_space = static_cast<AddressSpaceId>(i % 3);
        counts.Add(sample);
        uint64_t next = 0;
        for (const Branch& branch : stack) {
          auto& [count, mispredicted] =
              expected[{branch.source, branch.target, next}];
          ++count;
          mispredicted += branch.mispredicted ? 1 : 0;
          next = branch.source;
        }
      }
      counts.Finish();
      counts.flows().ForEach([&](const Flow& flow) {
        counted[{AddressOf(flow.source), AddressOf(flow.target),
                 AddressOf(flow.end)}] = {flow.count, flow.mispredicted};
      });
      EXPECT_EQ(counted, expected);
      EXPECT_EQ(counts.samples_with_branches(), 3000u);
    }
  }
}

TEST_F(BranchCountsTest, EveryAddressBeyondTheLimitOfPlacesIsCounted) {
  constexpr uint64_t kPage = 4096, kPages = (1 << 20) - 1;
  for (uint64_t page = 0; page < kPages; ++page) {
    ASSERT_NE(places_.PlaceOf(0, page * kPage), kOutside);
  }
  BranchCounts counts(FallThroughRule::kPerf2bolt, places_, budget_);
  const std::vector<Branch> stack(
      32, BranchOf(16, (kPages + 1) * kPage, /*mispredicted=*/false));
  Sample sample;
  sample.branches = stack;
  counts.Add(sample);
  counts.Finish();
  EXPECT_EQ(places_.beyond_limit(), 32u);
  EXPECT_EQ(counts.flows().size(), 1u);
}

}  // namespace
}  // namespace perf2x
