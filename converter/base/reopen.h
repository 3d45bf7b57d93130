// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_REOPEN_H_
#define PERF2X_BASE_REOPEN_H_

#include <string>

#include "converter/base/file_descriptor.h"

namespace perf2x {

// Opens for reading the file that the O_PATH descriptor `found` refers to, even
// if another file has its name by now. Never blocks, and neither do reads
// (O_NONBLOCK): a FIFO may have no writer. `found` stays open. Returns a
// descriptor of -1 on failure; errno says why.
//
// The other arguments are for machines without /proc: opens `name` in the
// folder `folder` (or AT_FDCWD) with the additional `flags`. Fails with ENOENT
// if that is another file.
FileDescriptor Reopen(int found, int folder, const std::string& name,
                      int flags = 0);

}  // namespace perf2x

#endif  // PERF2X_BASE_REOPEN_H_
