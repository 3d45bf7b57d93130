// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/seccomp_filter.h"

#include <errno.h>
#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace perf2x {
namespace {

// What the kernel does with a filter.
struct FilterVerdict {
  uint32_t value = 0;  // SECCOMP_RET_ALLOW, or SECCOMP_RET_ERRNO and an error
  int steps = 0;
};

FilterVerdict RunFilter(const std::vector<sock_filter>& program,
                        const seccomp_data& data) {
  uint32_t a = 0;
  int steps = 0;
  for (size_t at = 0; at < program.size();) {
    const sock_filter& i = program[at++];
    ++steps;
    const auto jump = [&](bool holds) { at += holds ? i.jt : i.jf; };
    switch (i.code) {
      case BPF_LD | BPF_W | BPF_ABS:
        std::memcpy(&a, reinterpret_cast<const char*>(&data) + i.k, sizeof(a));
        break;
      case BPF_ALU | BPF_AND | BPF_K:
        a &= i.k;
        break;
      case BPF_JMP | BPF_JEQ | BPF_K:
        jump(a == i.k);
        break;
      case BPF_JMP | BPF_JGT | BPF_K:
        jump(a > i.k);
        break;
      case BPF_JMP | BPF_JGE | BPF_K:
        jump(a >= i.k);
        break;
      case BPF_JMP | BPF_JSET | BPF_K:
        jump((a & i.k) != 0);
        break;
      case BPF_JMP | BPF_JA:
        at += i.k;
        break;
      case BPF_RET | BPF_K:
        return {i.k, steps};
      default:
        ADD_FAILURE() << "an instruction with the code " << i.code;
        return {};
    }
  }
  ADD_FAILURE() << "it does not end";
  return {};
}

// The architecture that the filter is for: its second instruction compares it.
seccomp_data CallOf(const std::vector<sock_filter>& program, long number) {
  seccomp_data data = {};
  data.arch = program[1].k;
  data.nr = static_cast<int>(number);
  return data;
}

TEST(SeccompFilterTest, EachCallIsDecidedSoon) {
  for (const bool may_connect : {false, true}) {
    const auto program = SeccompProgram(may_connect);
    int most = 0, refused = 0;
    for (int number = 0; number < 600; ++number) {
      const FilterVerdict got = RunFilter(program, CallOf(program, number));
      most = std::max(most, got.steps);
      refused += got.value == (SECCOMP_RET_ERRNO | EPERM);
    }
    EXPECT_LE(most, 32) << "of " << program.size() << " instructions";
    EXPECT_GE(refused, 100);
  }
}

TEST(SeccompFilterTest, FindsTheCallsOfTheList) {
  const auto program = SeccompProgram(/*may_connect=*/false);
  const auto of = [&](long number) {
    return RunFilter(program, CallOf(program, number)).value;
  };
  for (const long number : {SYS_execve, SYS_ptrace, SYS_socket, SYS_bind,
                            SYS_mount, SYS_bpf, SYS_reboot, SYS_vhangup}) {
    EXPECT_EQ(of(number), SECCOMP_RET_ERRNO | EPERM) << number;
  }
  for (const long number : {SYS_read, SYS_write, SYS_mmap, SYS_futex,
                            SYS_exit_group, SYS_getpid, SYS_openat}) {
    EXPECT_EQ(of(number), SECCOMP_RET_ALLOW) << number;
  }
  EXPECT_EQ(of(SYS_clone3), SECCOMP_RET_ERRNO | ENOSYS);
  EXPECT_EQ(of(10'000), SECCOMP_RET_ERRNO | ENOSYS);
}

TEST(SeccompFilterTest, RefusesAnotherArchitecture) {
  const auto program = SeccompProgram(/*may_connect=*/true);
  seccomp_data data = CallOf(program, SYS_read);
  data.arch ^= 1;
  EXPECT_EQ(RunFilter(program, data).value, SECCOMP_RET_ERRNO | EPERM);
}

}  // namespace
}  // namespace perf2x
