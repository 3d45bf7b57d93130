// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/syscall_names.h"

#include <gtest/gtest.h>

namespace perf2x {
namespace {

TEST(SyscallNamesTest, KnowsNumbersByArchitecture) {
  EXPECT_EQ(SyscallName("x86_64", 0), "read");
  EXPECT_EQ(SyscallName("x86_64", 59), "execve");
  EXPECT_EQ(SyscallName("x86_64", 334), "rseq");
  EXPECT_EQ(SyscallName("x86_64", 424), "pidfd_send_signal");  // after a gap
  EXPECT_EQ(SyscallName("aarch64", 63), "read");
  EXPECT_EQ(SyscallName("riscv64", 462), "mseal");
}

TEST(SyscallNamesTest, HasNoNameForOthers) {
  EXPECT_EQ(SyscallName("x86_64", 400), "");
  EXPECT_EQ(SyscallName("x86_64", ~uint64_t{0}), "");
  EXPECT_EQ(SyscallName("s390x", 1), "");
}

}  // namespace
}  // namespace perf2x
