// SPDX-License-Identifier: Apache-2.0

// Stacks that are put together from several records, against those that a
// simulated program had.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <random>
#include <vector>

#include "converter/session/deferred_stacks.h"
#include "converter/session/lbr_stacks.h"

namespace perf2x {
namespace {

using Words = std::vector<uint64_t>;

WordSpan SpanOf(const Words& words) {
  return {reinterpret_cast<const uint8_t*>(words.data()), words.size(),
          kHostOrder};
}

// A program of functions that call each other, and the memory of a processor in
// call-stack mode: a call writes to the next slot of a ring, a return empties
// the last. What reads it stops at the first empty slot.
class Program {
 public:
  Program(size_t slots, uint32_t seed) : ring_(slots), random_(seed) {}

  // Calls and returns, so that the depth wanders up to `deepest`.
  void Step(size_t deepest) {
    // Mostly it calls from one loop, now and then it goes elsewhere.
    if (random_() % 16 == 0) {
      const bool elsewhere = random_() % 16 == 0;
      if (elsewhere) base_ = random_() % deepest;
      goal_ = base_ + random_() % 8;
    }
    const bool calls =
        stack_.size() < goal_ ? random_() % 8 != 0 : random_() % 8 == 0;
    if (calls) {
      // Each function calls some others, mostly the first.
      const uint64_t caller = stack_.empty() ? 0 : stack_.back().to >> 12;
      const uint64_t site = random_() % 4 == 0 ? random_() % 4 : 0;
      const uint64_t callee = 1 + (caller * 7 + site * 13 + 5) % 200;
      stack_.push_back({caller << 12 | (site + 1) << 4, callee << 12});
      ring_[slot_ = (slot_ + 1) % ring_.size()] = stack_.back();
    } else if (!stack_.empty()) {
      stack_.pop_back();
      ring_[slot_] = {};
      slot_ = (slot_ + ring_.size() - 1) % ring_.size();
    }
  }
  // What a sample has of it. Empty when the memory is.
  SampleRecord Sample(int32_t tid) {
    branches_.clear();
    for (size_t i = 0; i < ring_.size(); ++i) {
      const Call& call = ring_[(slot_ + ring_.size() - i) % ring_.size()];
      if (call.from == 0) break;
      branches_.insert(branches_.end(), {call.from, call.to, 0});
    }
    SampleRecord sample;
    sample.tid = tid;
    sample.branch_hw_index = slot_;
    sample.branches = SpanOf(branches_);
    return sample;
  }
  // The callchain behind its leaf.
  Words Callers() const {
    Words callers;
    for (auto call = stack_.rbegin(); call != stack_.rend(); ++call) {
      callers.push_back(call->from + 1);
    }
    return callers;
  }

 private:
  struct Call {
    uint64_t from = 0, to = 0;
  };
  std::vector<Call> stack_, ring_;
  size_t slot_ = 0, base_ = 0, goal_ = 1;
  Words branches_;
  std::mt19937 random_;
};

// Two threads at a time, whose samples come in turn.
TEST(SimulatedStacksTest, StitchedLbrStacksAreThoseOfTheProgram) {
  for (const size_t slots : {8u, 16u, 32u}) {
    LbrStacks stacks;
    Program programs[] = {{slots, 1}, {slots, 2}};
    size_t samples = 0, whole = 0, wrong = 0, whole_alone = 0;
    for (int step = 0; step < 400'000; ++step) {
      const int32_t tid = step % 2;
      Program& program = programs[tid];
      program.Step(/*deepest=*/3 * slots);
      if (step % 20 > 1) continue;
      const SampleRecord sample = program.Sample(tid);
      if (sample.branches.empty()) continue;
      Words chain;
      stacks.Append(sample, 5, &chain);
      ASSERT_GE(chain.size(), 2 + sample.branches.size() / 3);
      const Words ours(chain.begin() + 2, chain.end()),
          truth = program.Callers();
      ++samples;
      whole += ours == truth;
      whole_alone += sample.branches.size() / 3 == truth.size();
      wrong += ours.size() > truth.size() ||
               !std::equal(ours.begin(), ours.end(), truth.begin());
    }
    std::printf(
        "%zu slots: of %zu stacks %zu whole without stitching, %zu with, %zu "
        "wrong\n",
        slots, samples, whole_alone, whole, wrong);
    EXPECT_GT(samples, 30'000u);
    EXPECT_GT(whole, whole_alone * 3 / 2);
    EXPECT_LT(wrong * 50, samples);
  }
}

// Threads enter the kernel, are sampled there any number of times, and return;
// only then is told what they were called by. Some never return.
TEST(SimulatedStacksTest, DeferredCallchainsAreThoseOfTheirSamples) {
  struct Thread {
    uint64_t stay = 0;  // in the kernel, its cookie; 0: in user space
    Words user;
  };
  std::mt19937_64 random(1);
  BlockRef block(std::make_unique<MemoryBlock>(8));
  DeferredStacks stacks;
  std::vector<Thread> threads(20);
  std::deque<Words> truths;  // of held records, in order
  uint64_t cookie = 0, records = 0, given = 0, wrong = 0, without = 0;
  const auto release = [&](bool all) {
    const absl::Status status = stacks.Release(
        all, [&](const RawRecord& record, std::optional<uint64_t>,
                 absl::Span<const uint64_t> user) {
          wrong += record.offset != given;
          if (all && user.empty()) {
            // Those that never returned have none.
            without += !truths[given].empty();
          } else if (Words(user.begin(), user.end()) != truths[given]) {
            ++wrong;
          }
          ++given;
          return absl::OkStatus();
        });
    EXPECT_TRUE(status.ok());
  };
  for (int step = 0; step < 100'000; ++step) {
    const size_t tid = random() % threads.size();
    Thread& thread = threads[tid];
    RawRecord record;
    record.offset = records;
    record.block = &block;
    const uint64_t what = random() % 8;
    if (what < 2) {  // a record of something else
      truths.push_back({});
      stacks.Hold(record, {}, {}, static_cast<int32_t>(tid));
      ++records;
    } else if (thread.stay == 0) {
      thread.stay = ++cookie;
      thread.user = {kContextUser, random() >> 17};
      for (uint64_t n = random() % 9; n > 0; --n) {
        thread.user.push_back(random() >> 17);
      }
    } else if (what < 5) {  // a sample in the kernel
      truths.push_back(thread.user);
      stacks.Hold(record, {}, thread.stay, static_cast<int32_t>(tid));
      ++records;
    } else if (step < 99'000 || tid != 7) {  // it returns
      stacks.Resolve(thread.stay, static_cast<int32_t>(tid),
                     SpanOf(thread.user));
      thread.stay = 0;
    }
    release(/*all=*/false);
    EXPECT_LE(given, records);
  }
  release(/*all=*/true);
  EXPECT_EQ(given, records);
  EXPECT_EQ(wrong, 0u);
  EXPECT_GT(records, 40'000u);
  EXPECT_LT(without, 100u);
}

}  // namespace
}  // namespace perf2x
