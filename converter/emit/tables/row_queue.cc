// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/tables/row_queue.h"

#include "converter/base/status_macros.h"

namespace perf2x {

RowQueue::RowQueue(TraceTables& tables, PathNumbers& paths,
                   DeferredBudget& budget, WorkerPool& workers, bool on_thread)
    : paths_(paths),
      budget_(budget),
      workers_(workers),
      words_(tables.stacks),
      thread_("perf2x-rows", on_thread ? 1 : 0),
      batches_(
          &thread_, [this](Batch& batch) { return OnDone(batch); }, Batch(this),
          decltype(batches_)::Order::kOneByOne) {}

absl::Status RowQueue::Add(const Sample& sample) {
  if (sample.event >= named_events_) {
    named_events_ = sample.event + 1;
    for (Table* table : of_samples_) table->OnNewEvent(sample.event);
  }
  // What paths take is charged when a batch is pushed: that of few long stacks
  // must not wait for many samples, nor must their rows.
  constexpr size_t kManyWords = 1 << 17;
  Batch& batch = batches_.chunk();
  batch.samples.Add(sample);
  words_.Add(sample.stack);
  return batch.samples.full() || words_.words() >= kManyWords
             ? Push()
             : absl::OkStatus();
}

absl::Status RowQueue::Add(const RecordEvent& record) {
  Batch& batch = batches_.chunk();
  batch.records.Add(record);
  return batch.records.full() ? Push() : absl::OkStatus();
}

absl::Status RowQueue::Push() {
  Batch& batch = batches_.chunk();
  stacks_.clear();
  for (const Sample& sample : batch.samples.samples()) {
    stacks_.push_back(sample.stack);
  }
  paths_.PathsOf(stacks_, workers_, &batch.paths);
  words_.Clear();
  batch.sites = static_cast<uint32_t>(paths_.sites().size());
  batch.limits = budget_.LimitsNow();
  return batches_.Push();
}

absl::Status RowQueue::OnDone(Batch& batch) {
  budget_.Charge(batch.used);
  return batch.status;
}

absl::Status RowQueue::Finish() {
  const Batch& batch = batches_.chunk();
  if (!batch.samples.empty() || !batch.records.empty()) {
    RETURN_IF_ERROR(Push());
  }
  RETURN_IF_ERROR(batches_.Finish());
  budget_.Begin(budget_.LimitsNow());
  return absl::OkStatus();
}

// After an error, tables get nothing more.
void RowQueue::Batch::Work() {
  queue_->budget_.Begin(limits);
  if (!queue_->has_failed_) status = MakeRows();
  queue_->has_failed_ |= !status.ok();
  used = queue_->budget_.used();
}

absl::Status RowQueue::Batch::MakeRows() {
  if (!samples.empty()) {
    const SamplesWithPaths rows{samples.samples(), paths, sites};
    for (Table* table : queue_->of_samples_) {
      RETURN_IF_ERROR(table->OnSamples(rows));
    }
  }
  for (const RecordEvent& record : records.records()) {
    for (Table* table : queue_->of_records_) {
      RETURN_IF_ERROR(table->OnRecord(record));
    }
  }
  return absl::OkStatus();
}

void RowQueue::Batch::Clear() {
  samples.Clear();
  records.Clear();
}

}  // namespace perf2x
