// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_TRACEPOINT_ROLES_H_
#define PERF2X_EMIT_TRACEPOINT_ROLES_H_

#include <cstdint>
#include <string>

#include "converter/model/model.h"

namespace perf2x {

// What a trace shows for the samples of a tracepoint.
enum class TracepointRole : uint8_t {
  kInstant,       // instants
  kMigration,     // instants, in place of migrations inferred from switches
  kSyscallEnter,  // instants, and the begin of a system call's slice
  kSyscallExit,   // instants, and the end of the slice
};

// The role of an event's tracepoint, with its details.
struct TracepointUse {
  TracepointRole role = TracepointRole::kInstant;
  // For kSyscallEnter and kSyscallExit: the name of the traced system call.
  // Empty if the tracepoint traces all calls; its field "id" then has the
  // call's number.
  std::string syscall = "";
};

// Returns the use of an event's tracepoint; kInstant for all other events.
TracepointUse TracepointUseOf(const Event& event);

// Returns true for tracepoints of switches and wake-ups. Emitters get their
// samples also by OnSwitch or OnWakeup.
bool IsSwitchOrWakeup(const Event& event);

}  // namespace perf2x

#endif  // PERF2X_EMIT_TRACEPOINT_ROLES_H_
