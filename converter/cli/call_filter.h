// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_CALL_FILTER_H_
#define PERF2X_CLI_CALL_FILTER_H_

namespace perf2x {

// Refuses this process, and every thread it starts from now on, the system
// calls that reading recordings and writing files never needs, as if permission
// was missing: programs and processes, the network unless `may_connect`, other
// users, modes and times of files, and all that came with newer kernels than
// this was written for. False: the kernel cannot. Needs PR_SET_NO_NEW_PRIVS.
bool EnterCallFilter(bool may_connect);

}  // namespace perf2x

#endif  // PERF2X_CLI_CALL_FILTER_H_
