// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_STAGES_LOCK_TRACEPOINTS_H_
#define PERF2X_STAGES_LOCK_TRACEPOINTS_H_

#include "converter/model/model.h"

namespace perf2x {

// Return true for tracepoints that fire when a thread begins or stops waiting
// for a lock: entry and exit of futex calls, and contention in the kernel.
bool BeginsLockWait(const TracepointName& name);
bool EndsLockWait(const TracepointName& name);

}  // namespace perf2x

#endif  // PERF2X_STAGES_LOCK_TRACEPOINTS_H_
