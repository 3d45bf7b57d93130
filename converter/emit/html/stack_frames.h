// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_HTML_STACK_FRAMES_H_
#define PERF2X_EMIT_HTML_STACK_FRAMES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "converter/base/budget.h"
#include "converter/model/model.h"

namespace perf2x {

// A list of stacks with their frames. Charges memory to the budget; does not
// check it. Not thread-safe.
class StackFrames {
 public:
  struct Stack {
    StackId id = 0;
    absl::Span<const FrameId> frames;  // leaf first
  };

  explicit StackFrames(Budget& budget) : memory_(budget) {}

  // Appends a copy of a stack.
  void Add(const Stack& stack) {
    const size_t size = kHead + stack.frames.size();
    if (blocks_.empty() ||
        blocks_.back().capacity() - blocks_.back().size() < size) {
      blocks_.emplace_back().reserve(std::max(kBlock, size));
      held_ += blocks_.back().capacity() * sizeof(uint32_t);
      memory_.Set(held_);
    }
    std::vector<uint32_t>& block = blocks_.back();
    block.push_back(stack.id);
    block.push_back(static_cast<uint32_t>(stack.frames.size()));
    block.insert(block.end(), stack.frames.begin(), stack.frames.end());
  }

  // Calls `use(Stack)` for each stack, in the order of Add, and empties the
  // list. After the last stack of a block of memory, calls `flush()`, then
  // frees the block. Stack::frames is valid until that flush() returns.
  template <class Use, class Flush>
  void Drain(Use use, Flush flush) {
    for (std::vector<uint32_t>& block : blocks_) {
      const absl::Span<const uint32_t> all = block;
      for (size_t at = 0; at < all.size();) {
        const size_t size = all[at + 1];
        use(Stack{all[at], all.subspan(at + kHead, size)});
        at += kHead + size;
      }
      flush();
      held_ -= block.capacity() * sizeof(uint32_t);
      memory_.Set(held_);
      std::vector<uint32_t>().swap(block);
    }
    blocks_.clear();
  }

 private:
  static constexpr size_t kHead = 2;         // words before the frames
  static constexpr size_t kBlock = 1 << 18;  // words

  Budget::Share memory_;
  uint64_t held_ = 0;
  std::vector<std::vector<uint32_t>> blocks_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_HTML_STACK_FRAMES_H_
