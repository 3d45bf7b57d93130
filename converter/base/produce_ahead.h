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

// Collects in batches the items that `produce` adds, and passes each batch to
// `take`, in order and on the caller's thread. `produce` runs on the caller's
// thread or, with `on_thread`, on a thread `name` (see StartThread) that is at
// most `places` batches ahead. `produce` is called with a function that adds an
// item, and must return that function's error. A batch has Add(item), full()
// and Clear(). An error of `take` ends both; if `produce` has a thread, `stop`
// is then called, which must wake `produce` if it waits.
template <class Batch, class Produce, class Take, class Stop>
absl::Status ProduceAhead(const char* name, bool on_thread, size_t places,
                          Produce produce, Take take, Stop stop) {
  BoundedQueue<Batch> queue(on_thread ? places : 0);
  absl::Status produced;
  std::thread thread;
  if (on_thread) {
    thread = StartThread(name, [&] {
      Batch* batch = queue.Place();
      const auto add = [&](const auto&... item) {
        batch->Add(item...);
        if (batch->full()) {
          queue.Push();
          batch = queue.Place();
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
      const absl::Status status = take(batch);
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
