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

// Passes items from `produce` to `consume`, in order and in batches. A Batch
// can be default-constructed and has Add(item), full() and Clear().
//
// `produce(add)` calls add(item) for each item. If add returns an error,
// `produce` must return that error at once. `consume(batch)` runs on the
// caller's thread. The last batch may be empty.
//
// If `on_thread` is set and a thread can be started, `produce` runs on a thread
// called `name` (see StartThread). There are then `batches` batches, at least
// 1, including the one being filled and the one being consumed. Otherwise
// `produce` runs on the caller's thread, and there is one batch.
//
// Returns the first error of `consume`, or else the error of `produce`. If
// `produce` fails, its last batch may be lost. After an error of `consume`,
// `consume` is not called again. A later add then fails, at the latest when its
// batch is full. If `produce` runs on its own thread, such an error also makes
// ProduceAhead call `stop()`, which must wake a `produce` that waits for input.
// Without an error of `consume`, `stop` is not called.
//
// While the thread of `produce` would wait for a free batch, it calls `idle()`
// as long as that returns true.
template <class Batch, class Produce, class Consume, class Stop, class Idle>
absl::Status ProduceAhead(const char* name, bool on_thread, size_t batches,
                          Produce produce, Consume consume, Stop stop,
                          Idle idle) {
  BoundedQueue<Batch> queue(on_thread ? batches : 0);
  absl::Status produced;
  std::thread thread;
  if (on_thread) {
    thread = StartThread(name, [&] {
      Batch* batch = queue.NextFreeItem();
      const auto add = [&](const auto&... item) {
        batch->Add(item...);
        if (batch->full()) {
          queue.Push();
          batch = queue.NextFreeItem(idle);
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
      absl::Status status = consume(batch);
      batch.Clear();
      return status;
    }));
    return consume(batch);
  }
  absl::Status status;
  while (Batch* batch = status.ok() ? queue.Front() : nullptr) {
    status = consume(*batch);
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
