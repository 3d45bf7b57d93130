// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_MAPPED_BLOCK_H_
#define PERF2X_BASE_MAPPED_BLOCK_H_

#include <cstdint>

#include "converter/base/block.h"

namespace perf2x {

// Maps `size` bytes of the file `fd` from `offset`, a multiple of the page
// size. With a size of 0, returns a block without bytes. The caller keeps `fd`
// and may close it. Advises the kernel that the bytes will be read in order.
// `stable`: see Block::stable(). Returns null on failure; errno says why.
BlockRef MapFile(int fd, uint64_t offset, uint64_t size, bool stable);

}  // namespace perf2x

#endif  // PERF2X_BASE_MAPPED_BLOCK_H_
