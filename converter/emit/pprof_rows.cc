#include "converter/emit/pprof_rows.h"

#include <limits>

namespace perf2x {

void SampleRows::Add(StackId stack, LabelSetId labels, EventId event,
                     uint64_t count, uint64_t value) {
  if (stack >= first_.size()) first_.resize(stack + 1, kNoId);
  uint32_t at = first_[stack], last = kNoId;
  int steps = 0;
  while (at != kNoId && steps < kNear) {
    const Row& row = (*this)[at];
    if (row.labels == labels && row.event == event) break;
    last = at;
    at = row.next;
    ++steps;
  }
  if (steps == kNear) {
    // Beyond the near rows the order does not matter: a new one is put first.
    auto [it, inserted] = far_.try_emplace(Key{stack, labels, event}, size_);
    if (inserted) {
      NewRow(labels, event);
      (*this)[it->second].next = at;
      (*this)[last].next = it->second;
    }
    at = it->second;
  } else if (at == kNoId) {
    at = NewRow(labels, event);
    (last == kNoId ? first_[stack] : (*this)[last].next) = at;
  }
  Row& row = (*this)[at];
  row.count += count;
  constexpr uint64_t kMost = std::numeric_limits<int64_t>::max();
  row.value = value > kMost - row.value ? kMost : row.value + value;
}

uint32_t SampleRows::NewRow(LabelSetId labels, EventId event) {
  if ((size_ & kMask) == 0) chunks_.emplace_back(new Row[size_t{kMask} + 1]);
  Row& row = (*this)[size_];
  row.labels = labels;
  row.event = event;
  return size_++;
}

}  // namespace perf2x
