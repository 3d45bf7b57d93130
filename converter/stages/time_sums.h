// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_STAGES_TIME_SUMS_H_
#define PERF2X_STAGES_TIME_SUMS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "converter/base/huge_page_allocator.h"
#include "converter/base/pipeline.h"
#include "converter/base/prefetch.h"
#include "converter/base/summing_queue.h"
#include "converter/model/model.h"
#include "converter/model/sample_tags.h"
#include "converter/stages/thread_time.h"

namespace perf2x {

// Sums of stretches that differ only in their times, in the order in which they
// were added. Sums many stretches at a time, so that the memory of their sums
// can be fetched before, through a SummingQueue. Charges no budget; see
// memory(). All calls must come from one thread.
class TimeSums {
 public:
  // What all stretches of a sum have in common.
  struct Key {
    ThreadId thread = 0;
    TagsId tags = 0;
    StackId stack = kNoId;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct alignas(32) Sum {
    uint64_t duration = 0;        // ns; saturates
    uint64_t count : 56 = 0;      // number of stretches
    uint64_t state_bits : 8 = 0;  // a TimeState
    Key key;
    TimeState state() const { return static_cast<TimeState>(state_bits); }
  };
  static_assert(sizeof(Sum) == 32);  // two to a cache line

  // `pipeline` may be null; see SummingQueue.
  explicit TimeSums(Pipeline* pipeline = nullptr);

  // Adds a stretch of `duration` ns to the sum with this key, which is new if
  // there is none. `state` must follow from the key.
  void Add(const Key& key, TimeState state, uint64_t duration) {
    if (state == TimeState::kRunning && !is_drained_) {
      return AddRun(key, duration);
    }
    Pass({key, state, 0, 1, duration});
  }
  // Prefetches what Add uses for stretches of this thread. `thread` may be any.
  void ExpectThread(ThreadId thread) const {
    if (thread < runs_.size()) PrefetchForWriting(&runs_[thread]);
  }
  // As Add, but returns false and does nothing if there is no sum with this
  // key. From now on, stretches are summed on the caller's thread.
  bool AddIfKnown(const Key& key, uint64_t duration);

  // Returns all sums, in the order in which they were added. Valid until the
  // next call of another function. From now on, stretches are summed on the
  // caller's thread.
  const std::vector<Sum, HugePageAllocator<Sum>>& Sums() {
    Drain();
    return sums_;
  }
  // Frees all sums.
  void Clear();
  // Returns the approximate memory in bytes, without that of the last some
  // thousand stretches. Does not depend on when another thread sums them.
  uint64_t memory() const;

 private:
  // Some stretches that have the same key.
  struct Waiting {
    Key key;
    TimeState state;
    uint32_t hash;  // set by Sum
    uint32_t count;
    uint64_t duration;
  };
  static_assert(sizeof(Waiting) == 32);
  using Batch = std::vector<Waiting>;
  // The runs of a thread since its latest run with another key. Its stretches
  // of other states mostly have other keys than the ones before.
  struct Runs {
    TagsId tags = 0;
    StackId stack = kNoId;
    uint64_t duration = 0;
    uint32_t count = 0;
    bool has_key = false;
  };
  // An entry of the hash table.
  struct Slot {
    uint32_t hash = 0;
    uint32_t sum = kNoId;  // index in sums_; kNoId: free
  };
  static constexpr size_t kBatch = 512, kBatches = 8;

  static uint32_t HashOf(const Key& key);
  void AddRun(const Key& key, uint64_t duration);
  void Pass(const Waiting& stretches) {
    batch_.push_back(stretches);
    if (batch_.size() == kBatch) PassBatch();
  }
  void PassBatch();
  void PassRuns(ThreadId thread);
  void Drain();
  void SumBatch(Batch& batch);
  void AddNow(const Waiting& stretches);
  // Returns the slot of the sum with this key, or the free one where it
  // belongs. At least one slot must be free.
  Slot& Find(const Key& key, uint32_t hash);
  void PrefetchSum(uint32_t hash) const;
  void Grow();
  uint64_t MemoryOfSums() const {
    return sums_.capacity() * sizeof(Sum) + slots_.size() * sizeof(Slot);
  }

  // Until Drain, only used by the thread that sums.
  std::vector<Sum, HugePageAllocator<Sum>> sums_;
  using Slots = std::vector<Slot, HugePageAllocator<Slot>>;
  Slots slots_ = Slots(64);  // a power of two, at most half of them are used
  uint64_t summed_ = 0;      // batches

  // MemoryOfSums after a batch; a ring. A batch has been summed when kBatches
  // later ones have been passed.
  std::array<uint64_t, 2 * kBatches> memory_after_{};
  uint64_t passed_ = 0;     // batches
  Batch batch_;             // to be passed on when it is full
  std::vector<Runs> runs_;  // by thread
  bool is_drained_ = false;
  SummingQueue<Batch> batches_;  // uses the members above
};

}  // namespace perf2x

#endif  // PERF2X_STAGES_TIME_SUMS_H_
