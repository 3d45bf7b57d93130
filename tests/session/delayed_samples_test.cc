// SPDX-License-Identifier: Apache-2.0
#include "converter/session/delayed_samples.h"

#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "tests/session/tracker_test.h"
#include "tests/support/span_of.h"

namespace perf2x {
namespace {

constexpr size_t kInChunk = 64, kChunks = 16;

// Tells when it is destroyed.
class WatchedBlock final : public Block {
 public:
  explicit WatchedBlock(bool* is_there)
      : Block(/*stable=*/false), is_there_(is_there) {
    *is_there = true;
  }
  ~WatchedBlock() override { *is_there_ = false; }

 private:
  bool* const is_there_;
};

// The parameter is the number of threads that help.
class DelayedSamplesTest : public TrackerTest,
                           public testing::WithParamInterface<int> {
 protected:
  DelayedSamplesTest() {
    stacks_.SetUnwinding("x86_64", nullptr);
    delayed_.emplace(stacks_, &pool_, [this](QueuedSample& queued) {
      EXPECT_TRUE(queued.hash == StackTable::HashOf(queued.sample.address_space,
                                                    queued.callchain));
      emitted_.push_back(queued.sample.ip);
      leaves_.push_back(Load<uint64_t>(&queued.callchain[8], kHostOrder));
      return emitted_.size() == fails_at_ ? absl::DataLossError("full")
                                          : absl::OkStatus();
    });
  }
  // A sample of a stack dump without any code: only its leaf is found.
  absl::Status Push(uint64_t ip, size_t bytes = 100, bool has_dump = true) {
    SampleRecord sample;
    sample.ip = ip;
    if (has_dump) {
      sample.user_abi = 2;
      sample.stack_size = sample.stack_dyn_size = stack_.size();
      sample.stack = stack_;
    } else {
      const std::vector<uint64_t>& chain =
          chains_.emplace_back(std::vector<uint64_t>{kContextUser, ip});
      sample.nr = chain.size();
      sample.ips = SpanOf(chain);
    }
    QueuedSample* slot = nullptr;
    RETURN_IF_ERROR(delayed_->Push(&slot));
    delayed_->HoldBlock(block_, bytes);
    slot->sample = Sample();
    slot->sample.ip = ip;
    EXPECT_NE(slot->pending, nullptr);
    const EventAttr attr;
    const SampleContext context = {
        Raw(kRecordSample, kMiscUser), 1, 0, attr, {}};
    stacks_.SetStack(sample, context, threads_.table().GetProcess(7), slot);
    EXPECT_EQ(slot->pending->waits, has_dump);
    return absl::OkStatus();
  }
  Budget budget_;
  WorkMeter work_{budget_};
  StackBuilder stacks_{tables_, spaces_, /*max_stack=*/0, work_};
  std::vector<uint64_t> emitted_, leaves_;
  size_t fails_at_ = 0;
  const std::vector<uint8_t> stack_ = std::vector<uint8_t>(8);
  std::deque<std::vector<uint64_t>> chains_;
  BlockRef block_{std::make_unique<MemoryBlock>(8)};
  HelperPool pool_{"test", static_cast<size_t>(GetParam())};
  std::optional<DelayedSamples> delayed_;
};

TEST_P(DelayedSamplesTest, KeepsTheOrder) {
  for (uint64_t i = 0; i < 5000; ++i) {
    ASSERT_TRUE(Push(i, 100, i % 3 != 0).ok());
    if (i % 999 == 0) {
      ASSERT_TRUE(delayed_->Drain().ok());
      EXPECT_EQ(emitted_.size(), i + 1);
    }
  }
  ASSERT_TRUE(delayed_->Drain().ok());
  ASSERT_TRUE(delayed_->Drain().ok());
  ASSERT_EQ(emitted_.size(), 5000u);
  for (uint64_t i = 0; i < 5000; ++i) ASSERT_EQ(emitted_[i], i);
  EXPECT_EQ(leaves_, emitted_);
  EXPECT_EQ(stacks_.user_stacks().stacks(), 5000u - 1667u);
}

TEST_P(DelayedSamplesTest, WhenASampleIsEmittedDoesNotDependOnTiming) {
  for (size_t i = 0; i < kChunks * kInChunk; ++i) {
    ASSERT_TRUE(Push(i).ok());
    ASSERT_TRUE(emitted_.empty());
  }
  ASSERT_TRUE(Push(1).ok());
  EXPECT_EQ(emitted_.size(), kInChunk);
  // Two records of this size fill a chunk, too.
  ASSERT_TRUE(delayed_->Drain().ok());
  emitted_.clear();
  for (size_t i = 0; i < kChunks * 2; ++i) {
    ASSERT_TRUE(Push(i, 256 << 10).ok());
    ASSERT_TRUE(emitted_.empty());
  }
  ASSERT_TRUE(Push(1).ok());
  EXPECT_EQ(emitted_.size(), 2u);
}

TEST_P(DelayedSamplesTest, HoldsTheBytesOfRecords) {
  bool is_there = false;
  BlockRef watched(std::make_unique<WatchedBlock>(&is_there));
  std::swap(block_, watched);
  ASSERT_TRUE(Push(1).ok());
  ASSERT_TRUE(Push(2).ok());
  std::swap(block_, watched);
  watched = BlockRef();
  EXPECT_TRUE(is_there);
  for (size_t i = 0; i < kChunks * kInChunk; ++i) ASSERT_TRUE(Push(i).ok());
  EXPECT_FALSE(is_there);
}

TEST_P(DelayedSamplesTest, AnErrorIsReturned) {
  fails_at_ = 70;
  for (size_t i = 0; i < 500; ++i) ASSERT_TRUE(Push(i).ok());
  EXPECT_EQ(delayed_->Drain().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(emitted_.size(), 70u);
}

TEST_P(DelayedSamplesTest, CanBeDroppedAnyTime) {
  for (size_t i = 0; i < 500; ++i) ASSERT_TRUE(Push(i).ok());
  delayed_.reset();
  EXPECT_TRUE(emitted_.empty());
}

INSTANTIATE_TEST_SUITE_P(Helpers, DelayedSamplesTest, testing::Values(0, 1, 3));

}  // namespace
}  // namespace perf2x
