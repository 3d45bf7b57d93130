// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_REOPEN_H_
#define PERF2X_BASE_REOPEN_H_

#include <string>

#include "converter/base/file_descriptor.h"

namespace perf2x {

// Opens for reading the very file that `found`, a descriptor of O_PATH, is of,
// whatever has its name by now. Waits for nothing: neither for the writer of a
// FIFO nor, when it is read, for bytes (O_NONBLOCK). `name`, in the folder
// `folder` or AT_FDCWD, is where it was found, for machines without /proc; with
// `flags` besides. -1 when that fails; errno says why.
FileDescriptor Reopen(int found, int folder, const std::string& name,
                      int flags = 0);

}  // namespace perf2x

#endif  // PERF2X_BASE_REOPEN_H_
