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

// Passes items from `produce` to `take`, in order and in batches. A Batch can
// be default-constructed and has Add(item), full() and Clear().
//
// `produce(add)` calls add(item) for each item. If add returns an error,
// `produce` must return that error at once. `take(batch)` runs on the caller's
// thread. The last batch may be empty.
//
// If `on_thread` is set and a thread can be started, `produce` runs on a thread
// called `name` (see StartThread). There are then `places` batches, at least 1,
// including the one being filled and the one being taken. Otherwise `produce`
// runs on the caller's thread, and there is one batch.
//
// Returns the error of `take` if it fails; otherwise that of `produce`. If
// `produce` fails, the items of its last batch may not be taken. If `take`
// fails, no more batches are taken, and add fails at the latest when its batch
// is full. If `produce` has a thread, `stop()` is then called: it must end a
// wait of `produce` for input.
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
