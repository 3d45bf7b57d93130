// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/chrome/tracepoint_roles.h"

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

TracepointUse UseOf(const Event& event) {
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

}  // namespace perf2x
