// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/sample_rows.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "converter/base/prefetch.h"

namespace perf2x {

SampleRows::SampleRows(bool on_thread)
    : batches_("perf2x-sum", on_thread, kBatches, [this](Batch& batch) {
        Sum(batch);
        return absl::OkStatus();
      }) {}

void SampleRows::Finish() {
  batches_.Finish().IgnoreError();  // Sum returns no error
  Sum(batches_.item());
}

void SampleRows::Clear() {
  first_ = {};
  further_ = {};
  far_ = {};
}

void SampleRows::Sum(Batch& batch) {
  uint32_t stacks = 0;
  for (const Waiting& w : batch) stacks = std::max(stacks, w.key.stack + 1);
  first_.GrowTo(stacks);
  // Prefetches the stack's first row, then, once that is cached, further rows.
  constexpr size_t kAhead = 8;
  for (size_t i = 0; i < batch.size(); ++i) {
    if (i + 3 * kAhead < batch.size()) {
      PrefetchForWriting(&first_[batch[i + 3 * kAhead].key.stack]);
    }
    for (int rows = 1; rows <= 2; ++rows) {
      const size_t ahead = i + (3 - rows) * kAhead;
      if (ahead < batch.size()) Prefetch(batch[ahead].key.stack, rows);
    }
    const auto& [key, space, value] = batch[i];
    if (AddNow(key, 1, value)) NoteAddressSpace(key.labels, space);
  }
  batch.clear();
}

void SampleRows::NoteAddressSpace(LabelSetId labels, AddressSpaceId space) {
  if (labels >= address_space_of_.size())
    address_space_of_.resize(labels + 1, kNoId);
  AddressSpaceId& seen = address_space_of_[labels];
  if (seen == kNoId) seen = space;
  if (seen == space) return;
  seen = kSeveral;
  any_has_several_ = true;
}

bool SampleRows::AddNow(const Key& key, uint64_t count, uint64_t value) {
  uint32_t at = key.stack;
  bool is_new = false;
  if (first_[at].labels == kNoId) {
    is_new = true;
    first_[at].labels = key.labels;
    first_[at].event = key.event;
  } else {
    uint32_t last = kNoId;
    int steps = 0;
    for (; at != kNoId && steps < kNear; ++steps) {
      const Row& row = (*this)[at];
      if (row.labels == key.labels && row.event == key.event) break;
      last = at;
      at = row.next;
    }
    if (steps == kNear) {
      // Beyond the near rows the order does not matter: a new row is inserted
      // right after them.
      auto [it, inserted] = far_.try_emplace(key, kNoId);
      is_new = inserted;
      if (inserted) {
        it->second = NewFurther(key);
        (*this)[it->second].next = at;
        (*this)[last].next = it->second;
      }
      at = it->second;
    } else if (at == kNoId) {
      is_new = true;
      at = NewFurther(key);
      (*this)[last].next = at;
    }
  }
  Row& row = (*this)[at];
  row.count += count;
  constexpr uint64_t kMax = std::numeric_limits<int64_t>::max();
  row.value = value > kMax - row.value ? kMax : row.value + value;
  return is_new;
}

uint32_t SampleRows::NewFurther(const Key& key) {
  Row row;
  row.labels = key.labels;
  row.event = key.event;
  further_.push_back(row);
  return kFurther | (further_.size() - 1);
}

}  // namespace perf2x
