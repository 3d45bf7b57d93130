// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_REOPEN_H_
#define PERF2X_BASE_REOPEN_H_

#include <string>

#include "converter/base/file_descriptor.h"

namespace perf2x {

// Opens the file of the O_PATH descriptor `found` for reading, even if another
// file now has its name. Opens with O_NONBLOCK: neither this call nor reads of
// the result block, even if a FIFO has no writer. `found` stays open. Returns a
// descriptor of -1 on failure; errno says why.
//
// Without /proc, opens `name` in the folder `folder` (or AT_FDCWD) with the
// additional `flags`. Fails with ENOENT if `name` is another file than `found`.
// With /proc, these three arguments are not used.
FileDescriptor Reopen(int found, int folder, const std::string& name,
                      int flags = 0);

}  // namespace perf2x

#endif  // PERF2X_BASE_REOPEN_H_
