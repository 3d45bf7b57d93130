// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/sample_rows.h"

#include <algorithm>
#include <utility>

#include "converter/base/prefetch.h"

namespace perf2x {

SampleRows::SampleRows(Pipeline& pipeline)
    : batches_("perf2x-sum", &pipeline, kBatches,
               [this](Batch& batch) { Sum(batch); }) {}

void SampleRows::Drain() {
  batches_.Drain();
  Sum(batch_);
}

void SampleRows::Finish() {
  batches_.Finish();
  Sum(batch_);
}

void SampleRows::Clear() {
  FreeAll();
  first_ = {};
}

void SampleRows::FreeAll() {
  first_.FreeBelow(first_.size());
  further_ = {};
  far_ = {};
  latest_ = Group();
}

void SampleRows::Sum(Batch& batch) {
  uint32_t stacks = 0;
  for (const Waiting& w : batch) stacks = std::max(stacks, w.key.stack + 1);
  first_.GrowTo(stacks);
  if (stacks <= kCachedStacks) {
    for (const Waiting& w : batch) AddWaiting(w);
    batch.clear();
    return;
  }
  // Prefetches the stack's first row, then, once that is cached, further rows.
  constexpr size_t kAhead = 8;
  for (size_t i = 0; i < batch.size(); ++i) {
    if (i + 3 * kAhead < batch.size()) {
      PrefetchForWriting(&first_[batch[i + 3 * kAhead].key.stack]);
    }
    if (const size_t ahead = i + kAhead; ahead < batch.size()) {
      PrefetchRow(batch[ahead].key);
    }
    if (const size_t ahead = i + 2 * kAhead; ahead < batch.size()) {
      Prefetch(batch[ahead].key.stack);
    }
    AddWaiting(batch[i]);
  }
  batch.clear();
}

void SampleRows::NoteAddressSpace(LabelSetId labels, AddressSpaceId space) {
  if (labels >= address_space_of_.size()) {
    address_space_of_.resize(labels + 1, kNoId);
  }
  AddressSpaceId& seen = address_space_of_[labels];
  if (seen == kNoId) seen = space;
  if (seen == space) return;
  seen = kSeveral;
  any_has_several_ = true;
}

uint32_t SampleRows::FindOrAddFurther(const Key& key, bool* is_new) {
  Row& first = first_[key.stack];
  if (first.is_crowded) return FindOrAddCrowded(key, is_new);
  if (first.labels == kNoId) {
    *is_new = true;
    first.labels = key.labels;
    first.event = key.event;
    return key.stack;
  }
  uint32_t last = kNoId;
  int rows = 0;
  for (uint32_t at = key.stack; at != kNoId; at = (*this)[at].next, ++rows) {
    if (IsRowOf(at, key)) return at;
    last = at;
  }
  *is_new = true;
  const uint32_t at = AddAfter(last, key);
  if (rows + 1 > kNear) AddToFar(key.stack);
  return at;
}

uint32_t SampleRows::FindOrAddCrowded(const Key& key, bool* is_new) {
  const Group group = GroupOf(key);
  if (!(latest_ == group)) {
    const auto [it, inserted] = far_.try_emplace(group, kNoId);
    if (inserted) it->second = AddAfter(EndOfFirstGroup(key.stack), key);
    *is_new = inserted;
    latest_ = group;
    latest_row_ = it->second;
  }
  uint32_t last = latest_row_;
  for (uint32_t at = last; at != kNoId && IsIn(at, group);
       at = (*this)[at].next) {
    if ((*this)[at].event == key.event) return at;
    last = at;
  }
  *is_new = true;
  return AddAfter(last, key);
}

// Returns the last row of the group with which the stack's list begins.
uint32_t SampleRows::EndOfFirstGroup(StackId stack) {
  const Row& first = first_[stack];
  const Group group =
      GroupOf({stack, first.labels, static_cast<EventId>(first.event)});
  uint32_t last = stack;
  for (uint32_t at = first.next; at != kNoId && IsIn(at, group);
       at = (*this)[at].next) {
    last = at;
  }
  return last;
}

// Makes the stack a crowded one: puts the rows of each group side by side.
void SampleRows::AddToFar(StackId stack) {
  std::vector<uint32_t> rows;
  for (uint32_t at = stack; at != kNoId; at = (*this)[at].next) {
    rows.push_back(at);
  }
  uint32_t last = kNoId;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] == kNoId) continue;  // in its group already
    const Row& first = (*this)[rows[i]];
    const Group group =
        GroupOf({stack, first.labels, static_cast<EventId>(first.event)});
    far_.emplace(group, rows[i]);
    for (size_t j = i; j < rows.size(); ++j) {
      if (rows[j] == kNoId || !IsIn(rows[j], group)) continue;
      if (last != kNoId) (*this)[last].next = rows[j];
      last = std::exchange(rows[j], kNoId);
    }
  }
  (*this)[last].next = kNoId;
  first_[stack].is_crowded = 1;
}

// Adds a row to the list that the row `before` is in, and returns its index.
uint32_t SampleRows::AddAfter(uint32_t before, const Key& key) {
  Row row;
  row.labels = key.labels;
  row.event = key.event;
  row.next = (*this)[before].next;
  further_.push_back(row);
  return (*this)[before].next = kFurther | (further_.size() - 1);
}

}  // namespace perf2x
