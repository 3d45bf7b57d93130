// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_SECCOMP_FILTER_H_
#define PERF2X_CLI_SECCOMP_FILTER_H_

namespace perf2x {

// Installs a seccomp filter for the calling thread and all threads that it
// starts later. The filter refuses system calls that reading recordings and
// writing files never needs: those on programs and processes, the network
// unless `may_connect`, other users, and modes and times of files. They fail
// with EPERM; all calls newer than Linux 5.17, and clone3 and openat2, whose
// arguments a filter cannot read, fail with ENOSYS. Returns false if the kernel
// refuses the filter or the architecture is not known here. Needs
// PR_SET_NO_NEW_PRIVS.
bool InstallSeccompFilter(bool may_connect);

}  // namespace perf2x

#endif  // PERF2X_CLI_SECCOMP_FILTER_H_
