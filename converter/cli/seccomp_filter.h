// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_SECCOMP_FILTER_H_
#define PERF2X_CLI_SECCOMP_FILTER_H_

namespace perf2x {

// Installs a seccomp filter for the calling thread and all threads that it
// starts later. System calls that a conversion never needs then fail with
// EPERM: calls that start programs, affect other processes, use the network
// (unless `may_connect`), change the user, or change modes and times of files.
// All calls newer than Linux 5.17 fail with ENOSYS, and so do clone3 and
// openat2, whose arguments a filter cannot read. Returns false if the kernel
// refuses the filter or the architecture is not known here. Needs
// PR_SET_NO_NEW_PRIVS.
bool InstallSeccompFilter(bool may_connect);

}  // namespace perf2x

#endif  // PERF2X_CLI_SECCOMP_FILTER_H_
