// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_SAMPLE_QUEUE_H_
#define PERF2X_SESSION_SAMPLE_QUEUE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "converter/base/hash.h"
#include "converter/base/status_macros.h"
#include "converter/model/emitter.h"
#include "converter/model/trace_tables.h"
#include "converter/session/stack_subset.h"

namespace perf2x {

// A sample whose stack is not in the table yet.
struct QueuedSample {
  Sample sample;  // `stack` is not set
  // StackTable::HashOf the address space and the callchain.
  Hash128 hash;
  // Empty if an earlier sample that is or was in the queue has the same stack.
  absl::Span<const uint8_t> callchain;
  bool stable = false;  // of `callchain`, see Block::stable
  // The bytes of `callchain`, if it cannot point into the record.
  std::vector<uint8_t> copy;

  // Copies by halves: `from` was just stored as two words, and one wide load of
  // them would defeat store forwarding.
  void SetHash(const Hash128& from) {
    hash.low = from.low;
    hash.high = from.high;
  }
};

// Delays each sample by up to 16 others, so that the prefetch of its stack's
// slot completes before the stack is looked up. To emit a sample is to intern
// its stack, to count it in `chosen` and to pass it to the emitter. Errors are
// the emitter's. Not thread-safe.
class SampleQueue {
 public:
  // All must outlive the queue.
  SampleQueue(TraceTables& tables, Emitter& emitter, StackSubset& chosen)
      : tables_(tables), emitter_(emitter), chosen_(chosen) {}

  // Sets `*slot` to the slot of the next sample, which still holds values of an
  // earlier one. The caller must set them before the next call of Push or
  // Flush. Emits the oldest sample if the queue is full.
  ABSL_ATTRIBUTE_ALWAYS_INLINE absl::Status Push(QueuedSample** slot) {
    if (size_ == ring_.size()) RETURN_IF_ERROR(EmitOldest());
    *slot = &ring_[(first_ + size_++) % ring_.size()];
    return absl::OkStatus();
  }
  // Emits all samples, oldest first.
  absl::Status Flush() {
    while (size_ > 0) RETURN_IF_ERROR(EmitOldest());
    return absl::OkStatus();
  }

 private:
  ABSL_ATTRIBUTE_ALWAYS_INLINE absl::Status EmitOldest() {
    QueuedSample& oldest = ring_[first_];
    Sample& sample = oldest.sample;
    sample.stack = tables_.stacks.Intern(oldest.hash, sample.address_space,
                                         oldest.callchain, oldest.stable);
    chosen_.Add(sample.stack);
    RETURN_IF_ERROR(emitter_.OnSample(sample));
    first_ = (first_ + 1) % ring_.size();
    --size_;
    return absl::OkStatus();
  }

  TraceTables& tables_;
  Emitter& emitter_;
  StackSubset& chosen_;
  std::array<QueuedSample, 16> ring_;
  size_t first_ = 0, size_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_SAMPLE_QUEUE_H_
