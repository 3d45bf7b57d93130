// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_BLOCK_POOL_H_
#define PERF2X_BASE_BLOCK_POOL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "converter/base/block.h"

namespace perf2x {

// Recycles the memory of short-lived blocks: when a block is destroyed, a later
// block gets its memory. Thread-safe. Blocks may outlive the pool.
class BlockPool {
 public:
  class PooledBlock;
  // Each block of at most `block_size` bytes gets memory of `block_size` bytes.
  // Larger blocks are not recycled. The pool keeps the memory of at most
  // `max_unused_blocks` destroyed blocks.
  BlockPool(size_t block_size, size_t max_unused_blocks)
      : block_size_(block_size),
        shelf_(std::make_shared<Shelf>(max_unused_blocks)) {}
  ~BlockPool() { shelf_->Close(); }
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  // Returns a block with uninitialized memory for `size` bytes. Its bytes() is
  // empty until set_size.
  std::unique_ptr<PooledBlock> Take(size_t size);

 private:
  using Memory = std::unique_ptr<uint8_t[]>;

  class Shelf {
   public:
    explicit Shelf(size_t max_unused) : max_unused_(max_unused) {}
    // Returns null if no memory is kept.
    Memory Take() {
      std::lock_guard lock(mutex_);
      if (memory_.empty()) return nullptr;
      Memory out = std::move(memory_.back());
      memory_.pop_back();
      return out;
    }
    void Return(Memory memory) {
      std::lock_guard lock(mutex_);
      if (memory_.size() < max_unused_) memory_.push_back(std::move(memory));
    }
    void Close() {
      std::lock_guard lock(mutex_);
      max_unused_ = 0;
      memory_.clear();
    }

   private:
    std::mutex mutex_;  // guards what follows
    size_t max_unused_;
    std::vector<Memory> memory_;  // most recently used last
  };

  const size_t block_size_;
  const std::shared_ptr<Shelf> shelf_;
};

// A block whose destructor returns the memory to the pool. Fill the block
// before moving it into a BlockRef.
class BlockPool::PooledBlock final : public Block {
 public:
  ~PooledBlock() override {
    if (shelf_ != nullptr) shelf_->Return(std::move(memory_));
  }
  // The memory to fill, of the `size` that was passed to Take.
  uint8_t* data() { return memory_.get(); }
  // Sets the number of valid bytes, counted from data(): at most the `size`
  // that was passed to Take.
  void set_size(size_t n) { bytes_ = {memory_.get(), n}; }

 private:
  friend class BlockPool;
  PooledBlock(Memory memory, std::shared_ptr<Shelf> shelf)
      : Block(/*stable=*/false),
        memory_(std::move(memory)),
        shelf_(std::move(shelf)) {}

  Memory memory_;
  const std::shared_ptr<Shelf>
      shelf_;  // null: larger than block_size_, not recycled
};

inline std::unique_ptr<BlockPool::PooledBlock> BlockPool::Take(size_t size) {
  const bool fits = size <= block_size_;
  Memory memory = fits ? shelf_->Take() : nullptr;
  if (memory == nullptr) memory.reset(new uint8_t[fits ? block_size_ : size]);
  return std::unique_ptr<PooledBlock>(
      new PooledBlock(std::move(memory), fits ? shelf_ : nullptr));
}

}  // namespace perf2x

#endif  // PERF2X_BASE_BLOCK_POOL_H_
