// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/tracepoint_roles.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace perf2x {
namespace {

struct KnownTracepoint {
  absl::string_view system, name;
  TracepointRole role;
  bool ends_with_syscall = false;  // the call's name follows `name`
};
constexpr KnownTracepoint kKnown[] = {
    {.system = "sched",
     .name = "sched_migrate_task",
     .role = TracepointRole::kMigration},
    {.system = "raw_syscalls",
     .name = "sys_enter",
     .role = TracepointRole::kSyscallEnter},
    {.system = "raw_syscalls",
     .name = "sys_exit",
     .role = TracepointRole::kSyscallExit},
    {.system = "syscalls",
     .name = "sys_enter_",
     .role = TracepointRole::kSyscallEnter,
     .ends_with_syscall = true},
    {.system = "syscalls",
     .name = "sys_exit_",
     .role = TracepointRole::kSyscallExit,
     .ends_with_syscall = true},
};

}  // namespace

TracepointUse TracepointUseOf(const Event& event) {
  for (const KnownTracepoint& known : kKnown) {
    absl::string_view rest = event.tracepoint.name;
    if (event.tracepoint.system == known.system &&
        absl::ConsumePrefix(&rest, known.name) &&
        rest.empty() != known.ends_with_syscall) {
      return {known.role, std::string(rest)};
    }
  }
  return {};
}

bool IsSwitchOrWakeup(const Event& event) {
  constexpr absl::string_view kNames[] = {"sched_switch", "sched_waking",
                                          "sched_wakeup", "sched_wakeup_new"};
  return event.tracepoint.system == "sched" &&
         std::find(std::begin(kNames), std::end(kNames),
                   event.tracepoint.name) != std::end(kNames);
}

}  // namespace perf2x
