// SPDX-License-Identifier: Apache-2.0
#include "converter/model/frame_prefetcher.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <optional>
#include <set>
#include <thread>
#include <vector>

namespace perf2x {
namespace {

// Stack i has i % 7 + 1 frames at addresses from i % 50 on.
class FramePrefetcherTest : public testing::Test, public FrameSource {
 protected:
  FramePrefetcherTest() { tables_.set_frame_source(this); }
  void AppendPlaces(StackId stack, std::vector<FramePlace>* places) override {
    threads_.insert(std::this_thread::get_id());
    if (stack % wait_before_ == wait_before_ - 1) usleep(5000);
    for (uint64_t i = 0; i < stack % 7 + 1; ++i) {
      const uint64_t address = stack % kinds_ + i;
      places->push_back({FrameTable::HashOf(3, address), address, 3, 0});
    }
  }
  void AddressesDiffer() { kinds_ = 1'000'000; }

  uint32_t kinds_ = 50;
  TraceTables tables_;
  StackId wait_before_ = kNoId;        // every so many stacks
  std::set<std::thread::id> threads_;  // that found frames
};

TEST_F(FramePrefetcherTest, GivesEveryStackInOrder) {
  constexpr size_t kStacks = 50'000;
  for (const bool ahead : {false, true}) {
    FramePrefetcher frames(tables_, FramePrefetcher::Result::kFrames, 0,
                           kStacks, ahead);
    for (StackId stack = 0; stack < kStacks; ++stack) {
      const absl::Span<const FrameId> got = frames.Next();
      ASSERT_EQ(got.size(), stack % 7 + 1);
      for (size_t i = 0; i < got.size(); ++i) {
        ASSERT_EQ(tables_.frames()[got[i]].address, stack % 50 + i);
      }
    }
  }
  EXPECT_EQ(tables_.frames().size(), 56u);
}

TEST_F(FramePrefetcherTest, BeginsWithAnyStack) {
  for (const bool ahead : {false, true}) {
    FramePrefetcher frames(tables_, FramePrefetcher::Result::kFrames, 5000,
                           9000, ahead);
    for (StackId stack = 5000; stack < 9000; ++stack) {
      const absl::Span<const FrameId> got = frames.Next();
      ASSERT_EQ(got.size(), stack % 7 + 1);
      ASSERT_EQ(tables_.frames()[got[0]].address, stack % 50);
    }
  }
}

// Whoever has the time interns; ids must not tell.
// Starting a thread takes longer than they do.
TEST_F(FramePrefetcherTest, FewStacksNeedNoThread) {
  for (const size_t stacks : {size_t{20}, size_t{20'000}}) {
    threads_.clear();
    FramePrefetcher frames(tables_, FramePrefetcher::Result::kFrames, 0, stacks,
                           true);
    for (StackId stack = 0; stack < stacks; ++stack) {
      ASSERT_EQ(frames.Next().size(), stack % 7 + 1);
    }
    EXPECT_EQ(threads_.count(std::this_thread::get_id()), stacks == 20);
    EXPECT_EQ(threads_.size(), 1u);
  }
}

TEST_F(FramePrefetcherTest, IdsAreTheSameWhoeverWaits) {
  constexpr size_t kStacks = 200'000;
  std::vector<std::vector<FrameId>> of_stack;
  for (int slow = 0; slow < 3; ++slow) {  // no one, who uses, who fills
    TraceTables tables;
    tables.set_frame_source(this);
    wait_before_ = slow == 2 ? kStacks / 10 : kStacks;
    FramePrefetcher frames(tables, FramePrefetcher::Result::kFrames, 0, kStacks,
                           true);
    for (StackId stack = 0; stack < kStacks; ++stack) {
      if (slow == 1 && stack % (kStacks / 10) == 0) usleep(5000);
      const absl::Span<const FrameId> got = frames.Next();
      if (slow == 0) {
        of_stack.emplace_back(got.begin(), got.end());
      } else {
        ASSERT_EQ(std::vector(got.begin(), got.end()), of_stack[stack]);
      }
    }
  }
}

// The stack at which it stops does not depend on the threads.
TEST_F(FramePrefetcherTest, InternsNoMoreThanMaxFrames) {
  constexpr size_t kStacks = 50'000, kMaxFrames = 30;
  std::vector<StackId> first_without;
  for (const bool ahead : {false, true}) {
    TraceTables tables;
    tables.set_frame_source(this);
    AddressesDiffer();
    FramePrefetcher frames(tables, FramePrefetcher::Result::kFrames, 0, kStacks,
                           ahead, std::nullopt, kMaxFrames);
    first_without.push_back(kNoId);
    for (StackId stack = 0; stack < kStacks; ++stack) {
      const absl::Span<const FrameId> got = frames.Next();
      if (got.empty()) {
        if (first_without.back() == kNoId) first_without.back() = stack;
      } else {
        ASSERT_EQ(first_without.back(), kNoId);
        ASSERT_EQ(got.size(), stack % 7 + 1);
      }
    }
    EXPECT_GE(tables.frames().size(), kMaxFrames);
    EXPECT_LT(tables.frames().size(), 10'000u);
  }
  EXPECT_NE(first_without[0], kNoId);
  EXPECT_EQ(first_without[0], first_without[1]);
}

TEST_F(FramePrefetcherTest, GivesPlacesOfWantedStacks) {
  constexpr size_t kStacks = 20'000;
  std::vector<bool> wanted(kStacks);
  for (size_t i = 0; i < kStacks; i += 3) wanted[i] = true;
  for (const bool ahead : {false, true}) {
    FramePrefetcher frames(tables_, FramePrefetcher::Result::kPlaces, 0,
                           kStacks, ahead, wanted);
    for (StackId stack = 0; stack < kStacks; stack += 3) {
      const absl::Span<const FramePlace> got = frames.NextPlaces();
      ASSERT_EQ(got.size(), stack % 7 + 1);
      for (size_t i = 0; i < got.size(); ++i) {
        ASSERT_EQ(got[i].address, stack % 50 + i);
      }
    }
  }
  EXPECT_TRUE(tables_.frames().empty());
}

// A stack of a profile may have a million frames.
class LargeStacks : public FrameSource {
 public:
  static constexpr size_t kFrames = 1 << 19;
  void AppendPlaces(StackId, std::vector<FramePlace>* places) override {
    places->resize(places->size() + kFrames,
                   FramePlace(FrameTable::HashOf(3, 1), 1, 3, 0));
    ++stacks_;
  }
  std::atomic<size_t> stacks_ = 0;
};

TEST(LargeStacksTest, FewWaitInMemory) {
  for (const auto result :
       {FramePrefetcher::Result::kFrames, FramePrefetcher::Result::kPlaces}) {
    LargeStacks source;
    TraceTables tables;
    tables.set_frame_source(&source);
    constexpr size_t kStacks = 12;
    FramePrefetcher frames(tables, result, 0, kStacks, true);
    for (size_t used = 1; used <= kStacks; ++used) {
      const size_t got = result == FramePrefetcher::Result::kFrames
                             ? frames.Next().size()
                             : frames.NextPlaces().size();
      ASSERT_EQ(got, LargeStacks::kFrames);
      usleep(20'000);  // the time to compute many more
      ASSERT_LE(source.stacks_, used + 1);
    }
  }
}

TEST_F(FramePrefetcherTest, MayBeLeftMidway) {
  FramePrefetcher frames(tables_, FramePrefetcher::Result::kFrames, 0,
                         1'000'000, true);
  EXPECT_EQ(frames.Next().size(), 1u);
}

}  // namespace
}  // namespace perf2x
