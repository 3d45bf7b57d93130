// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_SAMPLE_QUEUE_H_
#define PERF2X_SESSION_SAMPLE_QUEUE_H_

#include <array>
#include <cstddef>
#include <functional>
#include <memory>

#include "absl/base/attributes.h"
#include "absl/base/optimization.h"
#include "absl/status/status.h"
#include "converter/base/block.h"
#include "converter/base/status_macros.h"
#include "converter/model/emitter.h"
#include "converter/model/trace_tables.h"
#include "converter/session/delayed_samples.h"
#include "converter/session/queued_sample.h"
#include "converter/session/sched_tracker.h"
#include "converter/session/stack_builder.h"
#include "converter/session/stack_subset.h"

namespace perf2x {

// Delays each sample by up to 16 others, so that the prefetch of its stack's
// slot completes before the stack is looked up. After DelayForUnwinding, delays
// each sample by up to a thousand others: see DelayedSamples. Emitting a sample
// interns its stack, counts it in `chosen`, passes it to the emitter and
// reports its switch or wake-up, if it has one. Samples are emitted in the
// order of Push. Errors are the emitter's. Not thread-safe.
class SampleQueue {
 public:
  // All must outlive the queue.
  SampleQueue(TraceTables& tables, Emitter& emitter, StackSubset& chosen,
              SchedTracker& sched)
      : tables_(tables), emitter_(emitter), chosen_(chosen), sched_(sched) {}

  // From now on delays samples so that threads of `helpers` can unwind
  // stacks. Calls `set_fields` right before a sample is emitted. `stacks` must
  // outlive the queue.
  absl::Status DelayForUnwinding(StackBuilder& stacks, HelperPool* helpers,
                                 std::function<void(QueuedSample&)> set_fields);
  // Returns true once DelayForUnwinding was called.
  bool delays_for_unwinding() const { return delayed_ != nullptr; }

  // Sets `*slot` to the slot of the next sample. The slot still holds values of
  // an earlier sample. The caller must set them before the next call of Push or
  // Flush. Emits the oldest samples if the queue is full.
  ABSL_ATTRIBUTE_ALWAYS_INLINE absl::Status Push(QueuedSample** slot) {
    if (ABSL_PREDICT_FALSE(delayed_ != nullptr)) return delayed_->Push(slot);
    if (size_ == ring_.size()) RETURN_IF_ERROR(EmitOldest());
    *slot = &ring_[(first_ + size_++) % ring_.size()];
    return absl::OkStatus();
  }
  // To be called after Push. Keeps `block`, which has the sample's record, if
  // the sample is delayed for unwinding. `bytes`: see
  // DelayedSamples::HoldBlock.
  void HoldBlock(const BlockRef& block, size_t bytes) {
    if (ABSL_PREDICT_FALSE(delayed_ != nullptr)) {
      delayed_->HoldBlock(block, bytes);
    }
  }
  // Sets what is to be reported after the sample of the last Push: the switch
  // or wake-up with `numbers` that `payloads` has decoded. Not allowed after
  // DelayForUnwinding.
  void ReportAfter(SchedPayloads* payloads, const SchedNumbers& numbers) {
    QueuedSample& last = ring_[(first_ + size_ - 1) % ring_.size()];
    last.sched = payloads;
    last.sched_numbers = numbers;
    ++sched_events_;
  }
  // Returns true if samples wait with a switch or wake-up.
  bool has_sched_events() const { return sched_events_ > 0; }
  // Emits the samples up to the last one with a switch or wake-up. To be called
  // before threads are added or change: reporting uses them.
  absl::Status FlushSchedEvents() {
    while (sched_events_ > 0) RETURN_IF_ERROR(EmitOldest());
    return absl::OkStatus();
  }
  // Emits all samples except those that are delayed for unwinding.
  absl::Status Flush() {
    while (size_ > 0) RETURN_IF_ERROR(EmitOldest());
    return absl::OkStatus();
  }
  // Emits all samples.
  absl::Status Drain() {
    return delayed_ == nullptr ? Flush() : delayed_->Drain();
  }

 private:
  ABSL_ATTRIBUTE_ALWAYS_INLINE absl::Status EmitOldest() {
    QueuedSample& oldest = ring_[first_];
    RETURN_IF_ERROR(Emit(oldest));
    first_ = (first_ + 1) % ring_.size();
    --size_;
    if (oldest.sched == nullptr) return absl::OkStatus();
    --sched_events_;
    return sched_.ApplyTracepoint(*oldest.sched, oldest.sched_numbers,
                                  oldest.sample);
  }
  ABSL_ATTRIBUTE_ALWAYS_INLINE absl::Status Emit(QueuedSample& queued) {
    Sample& sample = queued.sample;
    sample.stack = tables_.stacks.Intern(queued.hash, sample.address_space,
                                         queued.callchain, queued.stable);
    chosen_.CountSample(sample.stack);
    return emitter_.OnSample(sample);
  }

  TraceTables& tables_;
  Emitter& emitter_;
  StackSubset& chosen_;
  SchedTracker& sched_;
  std::array<QueuedSample, 16> ring_;
  size_t first_ = 0, size_ = 0;
  size_t sched_events_ = 0;  // samples in the ring that have one
  std::unique_ptr<DelayedSamples> delayed_;  // null: not needed
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_SAMPLE_QUEUE_H_
