// SPDX-License-Identifier: Apache-2.0
#include "converter/stages/lock_tracepoints.h"

#include "absl/strings/match.h"

namespace perf2x {

bool BeginsLockWait(const TracepointName& name) {
  return (name.system == "syscalls" &&
          absl::StartsWith(name.name, "sys_enter_futex")) ||
         (name.system == "lock" && name.name == "contention_begin");
}

bool EndsLockWait(const TracepointName& name) {
  return (name.system == "syscalls" &&
          absl::StartsWith(name.name, "sys_exit_futex")) ||
         (name.system == "lock" && name.name == "contention_end");
}

}  // namespace perf2x
