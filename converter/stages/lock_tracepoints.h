// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_STAGES_LOCK_TRACEPOINTS_H_
#define PERF2X_STAGES_LOCK_TRACEPOINTS_H_

#include <optional>

#include "converter/model/model.h"
#include "converter/stages/thread_time.h"

namespace perf2x {

// A tracepoint that fires when a thread begins or stops waiting for a lock:
// entry and exit of futex calls, and contention in the kernel.
struct LockTracepoint {
  LockKind kind = LockKind::kFutex;
  bool begins = false;
};
// Returns nullopt for other tracepoints.
std::optional<LockTracepoint> LockTracepointOf(const TracepointName& name);

}  // namespace perf2x

#endif  // PERF2X_STAGES_LOCK_TRACEPOINTS_H_
