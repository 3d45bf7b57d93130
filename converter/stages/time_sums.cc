// SPDX-License-Identifier: Apache-2.0
#include "converter/stages/time_sums.h"

#include <utility>

#include "absl/hash/hash.h"
#include "converter/base/saturating_add.h"

namespace perf2x {

uint32_t TimeSums::HashOf(const Key& key) {
  const uint64_t hash =
      absl::HashOf(uint64_t{key.thread} << 32 | key.tags, key.stack);
  return static_cast<uint32_t>(hash ^ hash >> 32);
}

TimeSums::TimeSums(Pipeline* pipeline)
    : batches_("perf2x-times", pipeline, kBatches,
               [this](Batch& batch) { SumBatch(batch); }) {}

// The first run with a key is passed on at once, as the order of sums is that
// of their first stretches.
void TimeSums::AddRun(const Key& key, uint64_t duration) {
  if (key.thread >= runs_.size()) runs_.resize(key.thread + 1);
  Runs& runs = runs_[key.thread];
  constexpr uint32_t kMaxCount = ~uint32_t{0};
  if (runs.has_key && runs.tags == key.tags && runs.stack == key.stack &&
      runs.count < kMaxCount) {
    runs.duration = SaturatingAdd(runs.duration, duration);
    ++runs.count;
    return;
  }
  PassRuns(key.thread);
  runs = {key.tags, key.stack, 0, 0, true};
  Pass({key, TimeState::kRunning, 0, 1, duration});
}

void TimeSums::PassRuns(ThreadId thread) {
  const Runs& runs = runs_[thread];
  if (runs.count == 0) return;
  Pass({{thread, runs.tags, runs.stack},
        TimeState::kRunning,
        0,
        runs.count,
        runs.duration});
}

void TimeSums::PassBatch() {
  ++passed_;
  if (is_drained_) return SumBatch(batch_);
  batches_.Push(batch_);
}

// Sums what was added, and ends the thread.
void TimeSums::Drain() {
  if (!is_drained_) {
    for (ThreadId thread = 0; thread < runs_.size(); ++thread) {
      PassRuns(thread);
    }
    runs_ = std::vector<Runs>();
    batches_.Finish();
    is_drained_ = true;
  }
  SumBatch(batch_);
}

bool TimeSums::AddIfKnown(const Key& key, uint64_t duration) {
  Drain();
  const Slot& slot = Find(key, HashOf(key));
  if (slot.sum == kNoId) return false;
  Sum& sum = sums_[slot.sum];
  sum.duration = SaturatingAdd(sum.duration, duration);
  ++sum.count;
  return true;
}

void TimeSums::Clear() {
  Drain();
  sums_ = decltype(sums_)();
  slots_ = Slots(64);
}

uint64_t TimeSums::memory() const {
  const uint64_t of_runs = runs_.capacity() * sizeof(Runs);
  if (is_drained_) return MemoryOfSums();
  return of_runs +
         (passed_ < kBatches
              ? 0
              : memory_after_[(passed_ - kBatches) % memory_after_.size()]);
}

void TimeSums::SumBatch(Batch& batch) {
  for (Waiting& stretches : batch) stretches.hash = HashOf(stretches.key);
  while (sums_.size() + batch.size() > slots_.size() / 2) Grow();
  const size_t mask = slots_.size() - 1;
  constexpr size_t kAhead = 8;
  const size_t size = batch.size();
  for (size_t i = 0; i < size; ++i) {
    if (i + 2 * kAhead < size) {
      Prefetch(&slots_[batch[i + 2 * kAhead].hash & mask]);
    }
    // By now, the slot of an earlier one is in the cache.
    if (i + kAhead < size) PrefetchSum(batch[i + kAhead].hash);
    AddNow(batch[i]);
  }
  batch.clear();
  memory_after_[++summed_ % memory_after_.size()] = MemoryOfSums();
}

void TimeSums::AddNow(const Waiting& stretches) {
  Slot& slot = Find(stretches.key, stretches.hash);
  if (slot.sum == kNoId) {
    slot = {stretches.hash, static_cast<uint32_t>(sums_.size())};
    Sum& added = sums_.emplace_back();
    added.key = stretches.key;
    added.state_bits = static_cast<uint8_t>(stretches.state);
  }
  Sum& sum = sums_[slot.sum];
  sum.duration = SaturatingAdd(sum.duration, stretches.duration);
  sum.count += stretches.count;
}

TimeSums::Slot& TimeSums::Find(const Key& key, uint32_t hash) {
  const size_t mask = slots_.size() - 1;
  size_t at = hash & mask;
  while (slots_[at].sum != kNoId &&
         !(slots_[at].hash == hash && sums_[slots_[at].sum].key == key)) {
    at = (at + 1) & mask;
  }
  return slots_[at];
}

void TimeSums::PrefetchSum(uint32_t hash) const {
  const size_t mask = slots_.size() - 1;
  size_t at = hash & mask;
  while (slots_[at].sum != kNoId && slots_[at].hash != hash) {
    at = (at + 1) & mask;
  }
  if (slots_[at].sum != kNoId) PrefetchForWriting(&sums_[slots_[at].sum]);
}

void TimeSums::Grow() {
  const Slots old = std::exchange(slots_, Slots(2 * slots_.size()));
  const size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.sum == kNoId) continue;
    size_t at = slot.hash & mask;
    while (slots_[at].sum != kNoId) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

}  // namespace perf2x
