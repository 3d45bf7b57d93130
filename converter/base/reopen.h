// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_REOPEN_H_
#define PERF2X_BASE_REOPEN_H_

#include <string>

#include "converter/base/file_descriptor.h"

namespace perf2x {

// Opens for reading the file that `found`, an O_PATH descriptor, refers to,
// even if another file has its name by now. Never blocks: neither for the
// writer of a FIFO nor when the file is read (O_NONBLOCK). On machines without
// /proc, opens `name` in the folder `folder` (or AT_FDCWD) with the additional
// `flags`, and fails if that is another file. Returns a descriptor of -1 on
// failure; errno says why.
FileDescriptor Reopen(int found, int folder, const std::string& name,
                      int flags = 0);

}  // namespace perf2x

#endif  // PERF2X_BASE_REOPEN_H_
