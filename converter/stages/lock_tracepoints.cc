// SPDX-License-Identifier: Apache-2.0
#include "converter/stages/lock_tracepoints.h"

#include "absl/strings/match.h"

namespace perf2x {

std::optional<LockTracepoint> LockTracepointOf(const TracepointName& name) {
  for (const bool begins : {false, true}) {
    if (name.system == "syscalls" &&
        absl::StartsWith(name.name,
                         begins ? "sys_enter_futex" : "sys_exit_futex")) {
      return LockTracepoint{LockKind::kFutex, begins};
    }
    if (name.system == "lock" &&
        name.name == (begins ? "contention_begin" : "contention_end")) {
      return LockTracepoint{LockKind::kKernel, begins};
    }
  }
  return std::nullopt;
}

}  // namespace perf2x
