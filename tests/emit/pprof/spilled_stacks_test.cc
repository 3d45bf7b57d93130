// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/pprof/spilled_stacks.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace perf2x {
namespace {

class SpilledStacksTest : public testing::Test {
 protected:
  using Frames = std::vector<FrameId>;
  using Rows = std::vector<SpilledStacks::Row>;

  // What is read back, in this order.
  static std::vector<std::pair<Frames, Rows>> Read(SpilledStacks& spilled) {
    std::vector<std::pair<Frames, Rows>> out;
    const absl::Status status = spilled.Read(
        [&](absl::Span<const FrameId> frames,
            absl::Span<const SpilledStacks::Row> rows) -> absl::Status {
          out.emplace_back(Frames(frames.begin(), frames.end()),
                           Rows(rows.begin(), rows.end()));
          return absl::OkStatus();
        });
    EXPECT_TRUE(status.ok()) << status;
    return out;
  }
};

TEST_F(SpilledStacksTest, SumsEqualRowsAndOrdersThem) {
  SpilledStacks spilled;
  spilled.Add(Frames{5, 6}, Rows{{2, 1, 10, 100}, {1, 1, 1, 2}});
  spilled.Add(Frames{6, 5}, Rows{{2, 1, 1, 1}});
  spilled.Add(Frames{5, 6}, Rows{{1, 0, 3, 4}, {2, 1, 5, 7}});
  constexpr uint64_t kMax = std::numeric_limits<int64_t>::max();
  spilled.Add(Frames{7}, Rows{{1, 1, 1, kMax}});
  spilled.Add(Frames{7}, Rows{{1, 1, 1, 9}});
  EXPECT_EQ(spilled.file_bytes(), 0u);  // so few
  std::map<Frames, Rows> read;
  for (const auto& [frames, rows] : Read(spilled)) {
    EXPECT_TRUE(read.emplace(frames, rows).second);
  }
  ASSERT_EQ(read.size(), 3u);
  const Rows& rows = read.at({5, 6});
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].labels, 1u);
  EXPECT_EQ(rows[0].event, 0u);
  EXPECT_EQ(rows[0].count, 3u);
  EXPECT_EQ(rows[1].event, 1u);
  EXPECT_EQ(rows[1].value, 2u);
  EXPECT_EQ(rows[2].labels, 2u);
  EXPECT_EQ(rows[2].count, 15u);
  EXPECT_EQ(rows[2].value, 107u);
  EXPECT_EQ(read.at({7})[0].value, kMax);
  EXPECT_EQ(read.at({7})[0].count, 2u);
}

TEST_F(SpilledStacksTest, ReadsFilesOfManyBlocksBack) {
  std::vector<std::pair<Frames, Rows>> first;
  for (int round = 0; round < 2; ++round) {
    SpilledStacks spilled;
    std::map<std::tuple<Frames, LabelSetId, EventId>,
             std::pair<uint64_t, uint64_t>>
        expected;
    uint64_t random = 1;
    for (int i = 0; i < 150'000; ++i) {
      random = random * 6364136223846793005 + 1442695040888963407;
      Frames frames(1 + (random >> 60), static_cast<FrameId>(random >> 45));
      if (i % 50'000 == 0) frames.resize(200'000, 3);  // more than a block
      const auto labels = static_cast<LabelSetId>(random >> 40 & 3);
      const uint64_t value = random >> 20 & 1023;
      spilled.Add(frames, Rows{{labels, 0, 1, value}});
      auto& sum = expected[{frames, labels, 0}];
      ++sum.first;
      sum.second += value;
    }
    EXPECT_GT(spilled.file_bytes(), 4u << 20);
    EXPECT_TRUE(spilled.status().ok());
    auto read = Read(spilled);
    for (const auto& [frames, rows] : read) {
      for (const SpilledStacks::Row& row : rows) {
        const auto found = expected.find({frames, row.labels, row.event});
        ASSERT_NE(found, expected.end());
        ASSERT_EQ(std::pair(row.count, row.value), found->second);
        expected.erase(found);
      }
    }
    EXPECT_TRUE(expected.empty());
    // The order depends on nothing but what was added.
    if (round == 0) {
      first = std::move(read);
      continue;
    }
    ASSERT_EQ(read.size(), first.size());
    for (size_t i = 0; i < read.size(); ++i) {
      ASSERT_EQ(read[i].first, first[i].first) << i;
    }
  }
}

TEST_F(SpilledStacksTest, AnErrorOfTheUserEndsReading) {
  SpilledStacks spilled;
  for (FrameId frame = 0; frame < 100; ++frame) {
    spilled.Add(Frames{frame}, Rows{{0, 0, 1, 1}});
  }
  int calls = 0;
  const absl::Status status = spilled.Read([&](auto, auto) -> absl::Status {
    return ++calls == 3 ? absl::UnavailableError("full") : absl::OkStatus();
  });
  EXPECT_EQ(status, absl::UnavailableError("full"));
  EXPECT_EQ(calls, 3);
}

}  // namespace
}  // namespace perf2x
