// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_STREAM_JOINED_BLOCK_H_
#define PERF2X_PERF_STREAM_JOINED_BLOCK_H_

#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/types/span.h"
#include "converter/base/block.h"

namespace perf2x {

// Returns a block with copies of `head` followed by `rest`.
inline BlockRef JoinedBlock(absl::Span<const uint8_t> head,
                            absl::Span<const uint8_t> rest) {
  auto block = std::make_unique<MemoryBlock>(head.size() + rest.size());
  if (!head.empty()) std::memcpy(block->data(), head.data(), head.size());
  if (!rest.empty()) {
    std::memcpy(block->data() + head.size(), rest.data(), rest.size());
  }
  block->set_size(head.size() + rest.size());
  return BlockRef(std::move(block));
}

}  // namespace perf2x

#endif  // PERF2X_PERF_STREAM_JOINED_BLOCK_H_
