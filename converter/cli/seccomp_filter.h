// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_SECCOMP_FILTER_H_
#define PERF2X_CLI_SECCOMP_FILTER_H_

#include <linux/filter.h>

#include <vector>

namespace perf2x {

// Installs a seccomp filter for the calling thread and all threads that it
// starts later, for good. The caller must have set PR_SET_NO_NEW_PRIVS with
// prctl.
//
// System calls that a conversion never needs then fail with EPERM. Among them
// are those that start programs, affect other processes, administer the system,
// change the user, or change the owners, modes and times of files. This list is
// not complete; seccomp_filter.cc has all. Network calls fail, too. With
// `may_connect`, a client's calls are allowed (IPv4, IPv6 and Unix sockets);
// bind, listen and accept still fail. Calls newer than Linux 5.17 fail with
// ENOSYS, and so do clone3 and openat2, whose arguments a filter cannot read.
//
// Returns false, with no filter installed, if the kernel refuses it or the
// filter does not know the architecture.
bool InstallSeccompFilter(bool may_connect);

// Returns the filter: a program in classic BPF on a seccomp_data.
std::vector<sock_filter> SeccompProgram(bool may_connect);

}  // namespace perf2x

#endif  // PERF2X_CLI_SECCOMP_FILTER_H_
