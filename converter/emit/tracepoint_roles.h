// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_TRACEPOINT_ROLES_H_
#define PERF2X_EMIT_TRACEPOINT_ROLES_H_

#include <cstdint>
#include <string>

#include "converter/model/model.h"

namespace perf2x {

// What samples of a tracepoint mean in a trace, besides an instant for each.
enum class TracepointRole : uint8_t {
  kInstant,       // nothing else
  kMigration,     // a migration: replaces those inferred from switches
  kSyscallEnter,  // the begin of a slice of a system call
  kSyscallExit,   // the end of this slice
};

struct TracepointUse {
  TracepointRole role = TracepointRole::kInstant;
  // Of kSyscallEnter and kSyscallExit: name of the system call that the
  // tracepoint traces. Empty: it traces all calls, and its field "id" has the
  // call's number.
  std::string syscall = "";
};

// Returns the use of an event's tracepoint; kInstant for all other events.
TracepointUse UseOf(const Event& event);

// Returns true for a tracepoint whose samples emitters also get as switches or
// wake-ups.
bool IsSwitchOrWakeup(const Event& event);

}  // namespace perf2x

#endif  // PERF2X_EMIT_TRACEPOINT_ROLES_H_
