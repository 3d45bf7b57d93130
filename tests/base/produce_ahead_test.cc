// SPDX-License-Identifier: Apache-2.0
#include "converter/base/produce_ahead.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace perf2x {
namespace {

struct Batch {
  void Add(int item) { items.push_back(item); }
  bool full() const { return items.size() == 3; }
  void Clear() { items.clear(); }
  std::vector<int> items;
};

constexpr auto kNotIdle = [] { return false; };

class ProduceAheadTest : public testing::TestWithParam<bool> {};

TEST_P(ProduceAheadTest, GivesAllInOrder) {
  for (const int count : {0, 1, 3, 1000}) {
    std::vector<int> got;
    std::thread::id producer;
    const absl::Status status = ProduceAhead<Batch>(
        "test", GetParam(), 4,
        [&](auto add) -> absl::Status {
          producer = std::this_thread::get_id();
          for (int i = 0; i < count; ++i) RETURN_IF_ERROR(add(i));
          return absl::OkStatus();
        },
        [&](const Batch& batch) {
          got.insert(got.end(), batch.items.begin(), batch.items.end());
          return absl::OkStatus();
        },
        [] { FAIL(); }, kNotIdle);
    EXPECT_TRUE(status.ok());
    ASSERT_EQ(got.size(), static_cast<size_t>(count));
    for (int i = 0; i < count; ++i) ASSERT_EQ(got[i], i);
    EXPECT_EQ(producer == std::this_thread::get_id(), !GetParam());
  }
}

TEST_P(ProduceAheadTest, AnErrorOfTheProducerComesAfterWhatItAdded) {
  size_t got = 0;
  const absl::Status status = ProduceAhead<Batch>(
      "test", GetParam(), 4,
      [](auto add) -> absl::Status {
        for (int i = 0; i < 30; ++i) RETURN_IF_ERROR(add(i));
        return absl::DataLossError("cut");
      },
      [&](const Batch& batch) {
        got += batch.items.size();
        return absl::OkStatus();
      },
      [] { FAIL(); }, kNotIdle);
  EXPECT_EQ(status.message(), "cut");
  EXPECT_EQ(got, 30u);
}

TEST_P(ProduceAheadTest, AnErrorOfTheTakerStopsAProducerThatWaits) {
  std::atomic<bool> stopped{false};
  const absl::Status status = ProduceAhead<Batch>(
      "test", GetParam(), 2,
      [&](auto add) -> absl::Status {
        for (int i = 0; i < 6; ++i) RETURN_IF_ERROR(add(i));
        while (!stopped) std::this_thread::yield();  // for what never comes
        return absl::OkStatus();
      },
      [](const Batch&) { return absl::DataLossError("full"); },
      [&] { stopped = true; }, kNotIdle);
  EXPECT_EQ(status.message(), "full");
  EXPECT_EQ(stopped, GetParam());
}

TEST(ProduceAheadTest, AProducerThatWaitsIsNotIdle) {
  // The consumer waits for what the producer does while the queue is full.
  std::atomic<int> done{0};
  int got = 0;
  const absl::Status status = ProduceAhead<Batch>(
      "test", true, 2,
      [](auto add) -> absl::Status {
        for (int i = 0; i < 100; ++i) RETURN_IF_ERROR(add(i));
        return absl::OkStatus();
      },
      [&](const Batch& batch) {
        while (done < 3) std::this_thread::yield();
        got += static_cast<int>(batch.items.size());
        return absl::OkStatus();
      },
      [] { FAIL(); }, [&] { return ++done < 3; });
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(got, 100);
}

INSTANTIATE_TEST_SUITE_P(OnThread, ProduceAheadTest, testing::Bool());

}  // namespace
}  // namespace perf2x
