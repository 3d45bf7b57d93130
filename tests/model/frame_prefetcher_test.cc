// SPDX-License-Identifier: Apache-2.0
#include "converter/model/frame_prefetcher.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace perf2x {
namespace {

HelperPool* NoHelpers() { return nullptr; }

// Stack i has i % 7 + 1 frames at addresses from i % 50 on. The parameter is
// true for a source with finders. The first stack that is a multiple of 10,000
// makes the source add something.
class FramePrefetcherTest : public FrameSource,
                            public testing::TestWithParam<bool> {
 protected:
  FramePrefetcherTest() { tables_.set_frame_source(this); }
  void AppendPlaces(StackId stack, FramePlaces* places) override {
    if (stack > 0 && stack % 10'000 == 0 && !has_added_) {
      first_ = std::min(first_, stack);
      has_added_ = true;
    }
    Append(stack, places);
  }
  std::unique_ptr<PlaceFinder> MakeFinder() override {
    return GetParam() ? std::make_unique<Finder>(*this) : nullptr;
  }
  void AddressesDiffer() { kinds_ = 1'000'000; }
  std::set<std::thread::id> threads() {
    std::lock_guard lock(mutex_);
    return threads_;
  }

  uint32_t kinds_ = 50;
  TraceTables tables_;
  HelperPool one_{"test", 1}, three_{"test", 3};
  StackId wait_before_ = kNoId;  // every so many stacks
  std::mutex mutex_;
  std::set<std::thread::id> threads_;  // that found frames
  std::atomic<bool> has_added_ = false;
  StackId first_ = kNoId;  // that made the source add something

 private:
  class Finder final : public PlaceFinder {
   public:
    explicit Finder(FramePrefetcherTest& source) : source_(source) {}
    bool AppendPlaces(StackId stack, FramePlaces* places) override {
      if (stack > 0 && stack % 10'000 == 0 && !source_.has_added_) {
        places->Append(3);
        return false;
      }
      source_.Append(stack, places);
      return true;
    }
    bool AppendPlacesOfChain(AddressSpaceId, absl::Span<const uint8_t>,
                             FramePlaces*) override {
      return true;
    }

   private:
    FramePrefetcherTest& source_;
  };

  void Append(StackId stack, FramePlaces* places) {
    {
      std::lock_guard lock(mutex_);
      threads_.insert(std::this_thread::get_id());
    }
    if (stack % wait_before_ == wait_before_ - 1) usleep(5000);
    for (uint64_t i = 0; i < stack % 7 + 1; ++i) {
      const uint64_t address = stack % kinds_ + i;
      places->push_back({FrameTable::HashOf(3, address), address, 3, 0});
    }
  }
};

TEST_P(FramePrefetcherTest, GivesEveryStackInOrder) {
  constexpr size_t kStacks = 50'000;
  for (HelperPool* const helpers : {NoHelpers(), &one_, &three_}) {
    FramePrefetcher frames(tables_, FramePrefetcher::Result::kFrames, 0,
                           kStacks, helpers);
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

TEST_P(FramePrefetcherTest, BeginsWithAnyStack) {
  for (HelperPool* const helpers : {NoHelpers(), &one_, &three_}) {
    FramePrefetcher frames(tables_, FramePrefetcher::Result::kFrames, 5000,
                           9000, helpers);
    for (StackId stack = 5000; stack < 9000; ++stack) {
      const absl::Span<const FrameId> got = frames.Next();
      ASSERT_EQ(got.size(), stack % 7 + 1);
      ASSERT_EQ(tables_.frames()[got[0]].address, stack % 50);
    }
  }
}

// Starting a thread takes longer than they do.
TEST_P(FramePrefetcherTest, FewStacksNeedNoThread) {
  FramePrefetcher frames(tables_, FramePrefetcher::Result::kFrames, 0, 20,
                         &three_);
  for (StackId stack = 0; stack < 20; ++stack) {
    ASSERT_EQ(frames.Next().size(), stack % 7 + 1);
  }
  EXPECT_EQ(threads(), std::set{std::this_thread::get_id()});
}

TEST_P(FramePrefetcherTest, HelpersFindPlaces) {
  FramePrefetcher frames(tables_, FramePrefetcher::Result::kFrames, 0,
                         1'000'000, &one_);
  StackId stack = 0;
  for (; stack < 1'000'000 && threads().size() < 2; ++stack) {
    ASSERT_EQ(frames.Next().size(), stack % 7 + 1);
  }
  EXPECT_LT(stack, 1'000'000u);
}

// What the source adds to the tables must not depend on threads.
TEST_P(FramePrefetcherTest, TheFirstStackThatNeedsSomethingAddsIt) {
  constexpr size_t kStacks = 50'000;
  for (HelperPool* const helpers : {NoHelpers(), &one_, &three_}) {
    has_added_ = false;
    first_ = kNoId;
    FramePrefetcher frames(tables_, FramePrefetcher::Result::kFrames, 0,
                           kStacks, helpers);
    for (StackId stack = 0; stack < kStacks; ++stack) {
      ASSERT_EQ(frames.Next().size(), stack % 7 + 1);
    }
    EXPECT_EQ(first_, 10'000u);
  }
}

TEST_P(FramePrefetcherTest, IdsAreTheSameWhoeverWaits) {
  constexpr size_t kStacks = 200'000;
  std::vector<std::vector<FrameId>> of_stack;
  for (int slow = 0; slow < 3; ++slow) {  // no one, who uses, who fills
    TraceTables tables;
    tables.set_frame_source(this);
    wait_before_ = slow == 2 ? kStacks / 10 : kStacks;
    FramePrefetcher frames(tables, FramePrefetcher::Result::kFrames, 0, kStacks,
                           &three_);
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
TEST_P(FramePrefetcherTest, InternsNoMoreThanMaxFrames) {
  constexpr size_t kStacks = 50'000, kMaxFrames = 30;
  std::vector<StackId> first_without;
  for (HelperPool* const helpers : {NoHelpers(), &one_, &three_}) {
    TraceTables tables;
    tables.set_frame_source(this);
    AddressesDiffer();
    FramePrefetcher frames(tables, FramePrefetcher::Result::kFrames, 0, kStacks,
                           helpers, std::nullopt, kMaxFrames);
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

TEST_P(FramePrefetcherTest, GivesHashesOfWantedStacks) {
  constexpr size_t kStacks = 20'000;
  std::vector<bool> wanted(kStacks);
  for (size_t i = 0; i < kStacks; i += 3) wanted[i] = true;
  std::map<std::pair<StackId, StackId>, uint64_t> hash_of;  // by frames
  std::set<uint64_t> hashes;
  for (HelperPool* const helpers : {NoHelpers(), &one_, &three_}) {
    FramePrefetcher frames(tables_, FramePrefetcher::Result::kHashes, 0,
                           kStacks, helpers, wanted);
    for (StackId stack = 0; stack < kStacks; stack += 3) {
      const uint64_t hash = frames.NextHash().low;
      const auto [it, inserted] =
          hash_of.try_emplace({stack % 7, stack % 50}, hash);
      ASSERT_EQ(it->second, hash);
      hashes.insert(hash);
    }
  }
  EXPECT_EQ(hash_of.size(), 350u);
  EXPECT_EQ(hashes.size(), 350u);
  EXPECT_TRUE(tables_.frames().empty());
}

// A stack of a profile may have a million frames.
class LargeStacks : public FrameSource {
 public:
  static constexpr size_t kFrames = 1 << 19;
  void AppendPlaces(StackId, FramePlaces* places) override {
    for (size_t i = 0; i < kFrames; ++i) {
      places->push_back(FramePlace(FrameTable::HashOf(3, 1), 1, 3, 0));
    }
    ++stacks_;
  }
  std::atomic<size_t> stacks_ = 0;
};

TEST(LargeStacksTest, FewWaitInMemory) {
  LargeStacks source;
  TraceTables tables;
  tables.set_frame_source(&source);
  HelperPool helpers("test", 2);
  constexpr size_t kStacks = 300;
  FramePrefetcher frames(tables, FramePrefetcher::Result::kFrames, 0, kStacks,
                         &helpers);
  for (size_t used = 1; used <= 12; ++used) {
    ASSERT_EQ(frames.Next().size(), LargeStacks::kFrames);
    usleep(20'000);  // the time to compute many more
    ASSERT_LE(source.stacks_, used + 1);
  }
}

TEST_P(FramePrefetcherTest, MayBeLeftMidway) {
  FramePrefetcher frames(tables_, FramePrefetcher::Result::kFrames, 0,
                         1'000'000, &three_);
  EXPECT_EQ(frames.Next().size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Finders, FramePrefetcherTest, testing::Bool());

}  // namespace
}  // namespace perf2x
