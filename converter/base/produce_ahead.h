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

// Gives `take` batches of what `produce` adds, on the caller's thread and in
// order: by calls, or through a queue from a thread `name` (see StartThread)
// that is `places` batches ahead at most. `produce` gets a function that adds
// an item and whose error it returns. A batch has Add(item), full() and
// Clear(). An error of `take` ends both; then `stop` is called, which is to
// wake `produce` from what it waits for.
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
