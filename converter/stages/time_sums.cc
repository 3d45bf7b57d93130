// SPDX-License-Identifier: Apache-2.0
#include "converter/stages/time_sums.h"

#include <utility>

#include "absl/hash/hash.h"
#include "converter/base/prefetch.h"
#include "converter/base/saturating_add.h"

namespace perf2x {

uint32_t TimeSums::HashOf(const Key& key) {
  const uint64_t hash =
      absl::HashOf(uint64_t{key.thread} << 32 | key.tags, key.stack);
  return static_cast<uint32_t>(hash ^ hash >> 32);
}

void TimeSums::Add(const Key& key, TimeState state, uint64_t duration) {
  if (size_ == kWaiting) {
    AddNow(waiting_[first_]);
    first_ = (first_ + 1) % kWaiting;
    --size_;
  }
  const uint32_t hash = HashOf(key);
  Prefetch(&slots_[hash & (slots_.size() - 1)]);
  waiting_[(first_ + size_++) % kWaiting] = {key, state, hash, duration};
  // By now, the slot of an earlier one is in the cache.
  PrefetchSum(waiting_[(first_ + size_ / 2) % kWaiting].hash);
}

bool TimeSums::AddIfKnown(const Key& key, uint64_t duration) {
  AddWaiting();
  const Slot& slot = Find(key, HashOf(key));
  if (slot.sum == kNoId) return false;
  Sum& sum = sums_[slot.sum];
  sum.duration = SaturatingAdd(sum.duration, duration);
  ++sum.count;
  return true;
}

void TimeSums::AddWaiting() {
  for (; size_ > 0; --size_) {
    AddNow(waiting_[first_]);
    first_ = (first_ + 1) % kWaiting;
  }
}

void TimeSums::AddNow(const Waiting& stretch) {
  Slot* slot = &Find(stretch.key, stretch.hash);
  if (slot->sum == kNoId) {
    if (sums_.size() + 1 > slots_.size() / 2) {
      Grow();
      slot = &Find(stretch.key, stretch.hash);
    }
    *slot = {stretch.hash, static_cast<uint32_t>(sums_.size())};
    Sum& added = sums_.emplace_back();
    added.key = stretch.key;
    added.state_bits = static_cast<uint8_t>(stretch.state);
  }
  Sum& sum = sums_[slot->sum];
  sum.duration = SaturatingAdd(sum.duration, stretch.duration);
  ++sum.count;
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
