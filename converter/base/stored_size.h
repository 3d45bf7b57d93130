// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_STORED_SIZE_H_
#define PERF2X_BASE_STORED_SIZE_H_

#include <sys/stat.h>

#include <cstdint>
#include <string>

namespace perf2x {

// Returns how many bytes of the regular file `fd` are stored: its size without
// its holes, which read as zeros. Data that the file system has compressed, or
// not yet written, is stored. `st` is what fstat(2) says of the file. Keeps the
// file offset.
uint64_t StoredSize(int fd, const struct stat& st);

// Returns what is wrong with a file of `size` bytes of which `stored` are
// stored, and the next step, for an error message.
std::string TooManyHoles(uint64_t size, uint64_t stored);

}  // namespace perf2x

#endif  // PERF2X_BASE_STORED_SIZE_H_
