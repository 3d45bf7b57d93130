// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/tracepoint_roles.h"

#include <gtest/gtest.h>

#include <string>

namespace perf2x {
namespace {

Event Tracepoint(const std::string& system, const std::string& name) {
  // The user may call it as he likes.
  return {.name = "mine",
          .kind = EventKind::kTracepoint,
          .tracepoint = {system, name}};
}

TracepointUse Use(const std::string& system, const std::string& name) {
  return TracepointUseOf(Tracepoint(system, name));
}

TEST(TracepointRolesTest, FollowFromSystemAndName) {
  EXPECT_EQ(Use("sched", "sched_migrate_task").role,
            TracepointRole::kMigration);
  EXPECT_EQ(Use("raw_syscalls", "sys_enter").role,
            TracepointRole::kSyscallEnter);
  EXPECT_EQ(Use("raw_syscalls", "sys_enter").syscall, "");
  EXPECT_EQ(Use("syscalls", "sys_exit_openat").role,
            TracepointRole::kSyscallExit);
  EXPECT_EQ(Use("syscalls", "sys_exit_openat").syscall, "openat");
}

TEST(TracepointRolesTest, OthersAreInstants) {
  EXPECT_EQ(Use("sched", "sched_switch").role, TracepointRole::kInstant);
  EXPECT_EQ(Use("syscalls", "sys_enter_").role, TracepointRole::kInstant);
  EXPECT_EQ(Use("raw_syscalls", "sys_enter_x").role, TracepointRole::kInstant);
  EXPECT_EQ(TracepointUseOf({.name = "sched:sched_migrate_task"}).role,
            TracepointRole::kInstant);
}

TEST(TracepointRolesTest, SwitchesAndWakeupsFollowFromSystemAndName) {
  EXPECT_TRUE(IsSwitchOrWakeup(Tracepoint("sched", "sched_switch")));
  EXPECT_TRUE(IsSwitchOrWakeup(Tracepoint("sched", "sched_wakeup_new")));
  EXPECT_FALSE(IsSwitchOrWakeup(Tracepoint("my", "sched_switch")));
  EXPECT_FALSE(IsSwitchOrWakeup(Tracepoint("sched", "sched_stat_wait")));
  EXPECT_FALSE(IsSwitchOrWakeup({.name = "sched:sched_switch"}));
}

}  // namespace
}  // namespace perf2x
