// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_SAMPLE_ROWS_H_
#define PERF2X_EMIT_SAMPLE_ROWS_H_

#include <cstdint>
#include <limits>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "converter/base/chunked.h"
#include "converter/base/pipeline.h"
#include "converter/base/prefetch.h"
#include "converter/base/summing_queue.h"
#include "converter/model/model.h"

namespace perf2x {

// Identifies the labels of a sample. Samples of one stack and event are summed
// if their LabelSetIds are equal. For pprof, it is an id of LabelSets. For
// folded stacks, it is the StringId of the thread's name. Memory grows with the
// largest id. Must not be kNoId.
using LabelSetId = uint32_t;

// Returns a + b, or the largest int64_t if the sum exceeds it.
constexpr uint64_t SumOfPeriods(uint64_t a, uint64_t b) {
  constexpr uint64_t kMax = std::numeric_limits<int64_t>::max();
  return b > kMax - a ? kMax : a + b;
}

// Sums samples by stack, labels and event, in rows of 24 bytes. Rows of one
// stack form a list, which begins at the stack's index. Rows never move.
// Charges no budget. All calls must come from one thread.
class SampleRows {
 public:
  // Samples with equal keys are summed.
  struct Key {
    StackId stack;
    LabelSetId labels;
    EventId event;  // below kMaxEvents, which the caller checks
    friend bool operator==(const Key&, const Key&) = default;
  };
  // The sum of the samples with one key.
  struct Row {
    uint64_t value = 0;  // sum of periods; saturates at the largest int64
    // Number of samples; 0 if SumEqualStacks moved them to another stack. Fits
    // a hundred days at a million samples a second.
    uint64_t count : 43 = 0;
    // In a stack's first row: set if the stack has more than kNear rows. A hash
    // table then finds them.
    uint64_t is_crowded : 1 = 0;
    uint64_t event : 20 = 0;    // an EventId
    LabelSetId labels = kNoId;  // kNoId: no row yet
    uint32_t next = kNoId;      // index of the stack's next row; kNoId: none
  };
  // The number of events that Row::event can tell apart.
  static constexpr EventId kMaxEvents = 1 << 20;

  // Sums through a SummingQueue. `pipeline` must outlive the rows.
  explicit SampleRows(Pipeline& pipeline);

  // Adds one sample with the period `value`. `space` is the address space of
  // the stack. Must not be called after Finish.
  void Add(const Key& key, AddressSpaceId space, uint64_t value) {
    batch_.push_back({key, space, value});
    if (batch_.size() == kBatch) batches_.Push(batch_);
  }
  // Waits until all samples are summed.
  void Drain();
  // As Drain. To be called once.
  void Finish();

  // The following must be called only after Finish, or between Drain and Add.

  // Adds `count` samples; `value` is the sum of their periods. The stack must
  // be less than stacks(). Returns true if this made a new row.
  bool AddUnbatched(const Key& key, uint64_t count, uint64_t value) {
    bool is_new = false;
    Row& row = (*this)[FindOrAdd(key, &is_new)];
    row.count += count;
    row.value = SumOfPeriods(row.value, value);
    return is_new;
  }
  // Returns true if Add was called for these labels with stacks of several
  // address spaces. Requires that Add was called for these labels. Ignores
  // AddUnbatched.
  bool HasSeveralAddressSpaces(LabelSetId labels) const {
    return address_space_of_[labels] == kSeveral;
  }
  // Returns true if HasSeveralAddressSpaces is true for any labels.
  bool AnyHasSeveralAddressSpaces() const { return any_has_several_; }
  // Frees all rows; stacks() is then 0.
  void Clear();
  // Frees all rows, of stacks that must not be used any more. Does not change
  // stacks(): Add is for later stacks.
  void FreeAll();
  // May free the first rows of stacks below `end`. These stacks must not be
  // used any more. Does not change stacks().
  void FreeBelow(StackId end) { first_.FreeBelow(end); }
  // Returns one more than the highest stack with rows; 0 if there are none.
  uint32_t stacks() const { return first_.size(); }
  // Prefetches row number `position`, from 0, of the stack's list, if there is
  // one. Reads all rows before that row: they should be in the cache. `stack`
  // may be any id.
  void Prefetch(StackId stack, int position = 1) {
    if (stack >= stacks()) return;
    uint32_t row = first_[stack].next;
    for (; row != kNoId && position > 1; --position) row = (*this)[row].next;
    if (row != kNoId) perf2x::Prefetch(&(*this)[row]);
  }
  // Returns the index of the first row of a stack; kNoId if it has no rows. The
  // stack must be less than stacks(). Row::next leads through all rows, in no
  // order.
  uint32_t first(StackId stack) {
    return (*this)[stack].labels == kNoId ? kNoId : stack;
  }
  // Returns the row with the index `i`. `i` must be from first() or Row::next,
  // and not kNoId.
  Row& operator[](uint32_t i) {
    return (i & kFurther) == 0 ? first_[i] : further_[i & ~kFurther];
  }

 private:
  struct Waiting {
    Key key;
    AddressSpaceId space;
    uint64_t value;
  };
  using Batch = std::vector<Waiting>;
  // Rows of a crowded stack with the same labels and neighbouring events, which
  // lie side by side in the stack's list.
  struct Group {
    StackId stack = kNoId;
    LabelSetId labels = kNoId;
    EventId events = 0;  // an EventId, divided by kEventsInGroup
    friend bool operator==(const Group&, const Group&) = default;
    template <class H>
    friend H AbslHashValue(H h, const Group& g) {
      return H::combine(std::move(h), g.stack, g.labels, g.events);
    }
  };
  static constexpr EventId kEventsInGroup = 8;

  // Marks the index of a row that is not the first of its stack.
  static constexpr uint32_t kFurther = 1u << 31;
  // The most rows of a stack that are searched one by one. A stack with more
  // rows is crowded: far_ finds groups of its rows. So a stack that thousands
  // of threads have in common costs little more than another.
  static constexpr int kNear = 16;
  static constexpr size_t kBatch = 1024, kBatches = 64;
  // The first rows of so many stacks stay in a CPU's cache: to prefetch them
  // costs more than to wait for them.
  static constexpr uint32_t kCachedStacks = 1 << 12;

  void Sum(Batch& batch);
  void NoteAddressSpace(LabelSetId labels, AddressSpaceId space);
  bool IsRowOf(uint32_t at, const Key& key) {
    const Row& row = (*this)[at];
    return row.labels == key.labels && row.event == key.event;
  }
  static Group GroupOf(const Key& key) {
    return {key.stack, key.labels, key.event / kEventsInGroup};
  }
  // Returns true if a row of the group's stack is in the group.
  bool IsIn(uint32_t at, const Group& group) {
    const Row& row = (*this)[at];
    return row.labels == group.labels &&
           row.event / kEventsInGroup == group.events;
  }
  void PrefetchRow(const Key& key) {
    if (key.stack >= stacks()) return;
    if (first_[key.stack].is_crowded) {
      far_.prefetch(GroupOf(key));
    } else {
      Prefetch(key.stack, 2);
    }
  }
  void AddWaiting(const Waiting& w) {
    if (AddUnbatched(w.key, 1, w.value))
      NoteAddressSpace(w.key.labels, w.space);
  }
  // Returns the index of the row. Sets `*is_new` to true if there was none.
  uint32_t FindOrAdd(const Key& key, bool* is_new) {
    const Row& first = first_[key.stack];
    if (!first.is_crowded && IsRowOf(key.stack, key)) return key.stack;
    return FindOrAddFurther(key, is_new);
  }
  uint32_t FindOrAddFurther(const Key& key, bool* is_new);
  uint32_t FindOrAddCrowded(const Key& key, bool* is_new);
  uint32_t EndOfFirstGroup(StackId stack);
  uint32_t AddAfter(uint32_t before, const Key& key);
  void AddToFar(StackId stack);

  // Until Finish, only used by the thread that sums.
  Chunked<Row> first_, further_;
  absl::flat_hash_map<Group, uint32_t> far_;  // to the first row of a group
  // The latest group and its first row. Consecutive samples often differ only
  // in the event.
  Group latest_;
  uint32_t latest_row_ = kNoId;
  static constexpr AddressSpaceId kSeveral = kNoId - 1;
  std::vector<AddressSpaceId> address_space_of_;  // by labels; kNoId: none
  bool any_has_several_ = false;

  Batch batch_;                  // to be passed on when it is full
  SummingQueue<Batch> batches_;  // uses the members above
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_SAMPLE_ROWS_H_
