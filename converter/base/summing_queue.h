// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_SUMMING_QUEUE_H_
#define PERF2X_BASE_SUMMING_QUEUE_H_

#include <cstddef>
#include <functional>
#include <utility>

#include "absl/status/status.h"
#include "converter/base/consumer_queue.h"
#include "converter/base/helped_queue.h"
#include "converter/base/pipeline.h"
#include "converter/base/spare_work.h"

namespace perf2x {

// Passes batches to a consumer that sums them, in order: on a thread of its own
// if the pipeline has one for Edge::kSumSamples, else on the caller's thread
// and as SpareWork of the thread that reads records, until that has ended.
// Batches, and the memory that they own, are allocated once and reused. All
// calls must come from one thread.
template <class Batch>
class SummingQueue {
 public:
  // Sums a batch and empties it for its next use.
  using Sum = std::function<void(Batch&)>;

  // Without a pipeline, Push sums on the caller's thread. `name` is the
  // thread's, see StartThread. `capacity`, at least 1, is the number of batches
  // that wait or are being summed. `pipeline` must outlive the queue.
  SummingQueue(const char* name, Pipeline* pipeline, size_t capacity, Sum sum)
      : pipeline_(pipeline),
        spare_work_(has_thread() || pipeline == nullptr
                        ? nullptr
                        : pipeline->spare_work()),
        shared_(capacity, sum),
        on_thread_(name, has_thread() || spare_work_ != nullptr, capacity,
                   [sum](Batch& batch) {
                     sum(batch);
                     return absl::OkStatus();
                   }) {
    if (spare_work_ != nullptr) {
      offer_ = spare_work_->Offer([this] { return shared_.Help(); });
    }
  }
  // Discards pushed batches that are not summed yet.
  ~SummingQueue() {
    if (spare_work_ != nullptr) spare_work_->Withdraw(offer_);
  }
  SummingQueue(const SummingQueue&) = delete;
  SummingQueue& operator=(const SummingQueue&) = delete;

  // Exchanges `batch` for an empty one. If all batches wait or are being
  // summed, waits. On the caller's thread, sums the oldest one if half of them
  // wait.
  void Push(Batch& batch) {
    if (spare_work_ != nullptr && has_thread()) EndSharing();
    if (spare_work_ != nullptr) return shared_.Push(batch);
    std::swap(batch, on_thread_.item());
    on_thread_.Push().IgnoreError();  // the consumer returns none
    std::swap(batch, on_thread_.item());
  }
  // Returns when all batches are summed.
  void Drain() {
    if (spare_work_ != nullptr) shared_.Finish();
    on_thread_.Drain().IgnoreError();
  }
  // As Drain. Push must not be called afterwards.
  void Finish() {
    if (spare_work_ != nullptr) EndSharing();
    on_thread_.Finish().IgnoreError();
  }

 private:
  bool has_thread() const {
    return pipeline_ != nullptr &&
           pipeline_->has_thread(Pipeline::Edge::kSumSamples);
  }
  void EndSharing() {
    shared_.Finish();
    std::exchange(spare_work_, nullptr)->Withdraw(offer_);
  }

  Pipeline* const pipeline_;
  SpareWork* spare_work_;  // null: batches go through on_thread_
  SpareWork::OfferId offer_ = 0;
  HelpedQueue<Batch> shared_;
  ConsumerQueue<Batch> on_thread_;
};

}  // namespace perf2x

#endif  // PERF2X_BASE_SUMMING_QUEUE_H_
