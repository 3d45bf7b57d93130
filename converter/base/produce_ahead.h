// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_PRODUCE_AHEAD_H_
#define PERF2X_BASE_PRODUCE_AHEAD_H_

#include <cstddef>
#include <thread>

#include "absl/status/status.h"
#include "converter/base/bounded_queue.h"
#include "converter/base/status_macros.h"
#include "converter/base/thread.h"

namespace perf2x {

// Passes items from `produce` to `take`, in order and in batches. A batch has
// Add(item), full() and Clear(); the last one may be empty.
//
// `produce(add)` calls add(item) for each item. If add returns an error,
// `produce` must return it. `take(batch)` runs on the caller's thread. So does
// `produce`, unless `on_thread` is set: then it has a thread `name` (see
// StartThread) if one can be started, and there are `places` batches, including
// the one that is filled and the one that is taken.
//
// After an error of `take`, add returns an error, too, at the latest when its
// batch is full. If `produce` has a thread, `stop()` is called then; it must
// end a wait of `produce` for input. Returns the error of `take`, or else that
// of `produce`; items added before the latter may not have been taken.
template <class Batch, class Produce, class Take, class Stop>
absl::Status ProduceAhead(const char* name, bool on_thread, size_t places,
                          Produce produce, Take take, Stop stop) {
  BoundedQueue<Batch> queue(on_thread ? places : 0);
  absl::Status produced;
  std::thread thread;
  if (on_thread) {
    thread = StartThread(name, [&] {
      Batch* batch = queue.NextFreeItem();
      const auto add = [&](const auto&... item) {
        batch->Add(item...);
        if (batch->full()) {
          queue.Push();
          batch = queue.NextFreeItem();
          if (batch == nullptr) return absl::CancelledError();
        }
        return absl::OkStatus();
      };
      produced = produce(add);
      if (batch != nullptr) queue.Push();
      queue.Finish();
    });
  }
  if (!thread.joinable()) {
    Batch batch;
    RETURN_IF_ERROR(produce([&](const auto&... item) {
      batch.Add(item...);
      if (!batch.full()) return absl::OkStatus();
      absl::Status status = take(batch);
      batch.Clear();
      return status;
    }));
    return take(batch);
  }
  absl::Status status;
  while (Batch* batch = status.ok() ? queue.Front() : nullptr) {
    status = take(*batch);
    batch->Clear();
    queue.Pop();
  }
  queue.Close();
  if (!status.ok()) stop();
  thread.join();
  return status.ok() ? produced : status;
}

}  // namespace perf2x

#endif  // PERF2X_BASE_PRODUCE_AHEAD_H_
