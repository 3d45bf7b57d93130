#include "converter/emit/pprof_rows.h"

#include <limits>

namespace perf2x {

void SampleRows::Add(StackId stack, LabelSetId labels, EventId event,
                     uint64_t count, uint64_t value) {
  if (stack >= stacks_) {
    stacks_ = stack + 1;
    first_.Reserve(stacks_);
  }
  __builtin_prefetch(&first_[stack], /*for writing*/ 1);
  if (waiting_count_ == waiting_.size()) {
    AddNow(waiting_[waiting_first_]);
    waiting_first_ = (waiting_first_ + 1) % waiting_.size();
    --waiting_count_;
  }
  waiting_[(waiting_first_ + waiting_count_++) % waiting_.size()] = {
      {stack, labels, event}, count, value};
}

void SampleRows::Flush() {
  for (; waiting_count_ > 0; --waiting_count_) {
    AddNow(waiting_[waiting_first_]);
    waiting_first_ = (waiting_first_ + 1) % waiting_.size();
  }
}

void SampleRows::AddNow(const Waiting& sample) {
  const Key& key = sample.key;
  uint32_t at = key.stack;
  if (first_[at].labels == kNoId) {
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
      // Beyond the near rows the order does not matter: a new one is put first.
      auto [it, inserted] = far_.try_emplace(key, kNoId);
      if (inserted) {
        it->second = NewFurther(key);
        (*this)[it->second].next = at;
        (*this)[last].next = it->second;
      }
      at = it->second;
    } else if (at == kNoId) {
      at = NewFurther(key);
      (*this)[last].next = at;
    }
  }
  Row& row = (*this)[at];
  row.count += sample.count;
  constexpr uint64_t kMost = std::numeric_limits<int64_t>::max();
  row.value =
      sample.value > kMost - row.value ? kMost : row.value + sample.value;
}

uint32_t SampleRows::NewFurther(const Key& key) {
  further_.Reserve(further_count_ + 1);
  Row& row = further_[further_count_];
  row.labels = key.labels;
  row.event = key.event;
  return kFurther | further_count_++;
}

}  // namespace perf2x
