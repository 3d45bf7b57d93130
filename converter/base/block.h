// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_BLOCK_H_
#define PERF2X_BASE_BLOCK_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/types/span.h"

namespace perf2x {

// An immutable range of input bytes with a reference count: a mapped file, a
// chunk read from a pipe, one piece of decompressed output. Records point into
// blocks. Code that keeps a record must also hold a BlockRef to the record's
// block, unless the block is stable(). Once filled, a block may be used on any
// thread.
class Block {
 public:
  virtual ~Block() = default;
  // The block's bytes, valid as long as the block.
  absl::Span<const uint8_t> bytes() const { return bytes_; }
  // Returns true if the bytes stay valid until the conversion ends, as in a
  // mapped input. Pointers to them may then be kept without a BlockRef.
  bool stable() const { return stable_; }
  // Hint: maps the pages that lie wholly in `part`, a part of bytes(), at once,
  // as MAP_POPULATE does. This costs less than one page fault per page. Only
  // mapped files act on it.
  virtual void Populate(absl::Span<const uint8_t> /*part*/) const {}
  // Hint, as above: drops the pages from memory. The next access reads the file
  // again.
  virtual void Release(absl::Span<const uint8_t> /*part*/) const {}
  // Returns true if an access has hit a lost page, see
  // FileMapping::has_lost_bytes. Always false for a part of another block: ask
  // that block.
  virtual bool has_lost_bytes() const { return false; }

 protected:
  explicit Block(bool stable) : stable_(stable) {}
  absl::Span<const uint8_t> bytes_;

 private:
  friend class BlockRef;
  std::atomic<uint32_t> refs_{0};
  const bool stable_;
};

// A counted reference to a Block; may be null. May be copied and dropped on any
// thread.
class BlockRef {
 public:
  BlockRef() = default;
  explicit BlockRef(std::unique_ptr<Block> block) : block_(block.release()) {
    Ref();
  }
  BlockRef(const BlockRef& other) : block_(other.block_) { Ref(); }
  BlockRef(BlockRef&& other) noexcept
      : block_(std::exchange(other.block_, nullptr)) {}
  BlockRef& operator=(BlockRef other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~BlockRef() { Unref(); }

  const Block* get() const { return block_; }
  const Block* operator->() const { return block_; }
  explicit operator bool() const { return block_ != nullptr; }
  friend bool operator==(const BlockRef& a, const BlockRef& b) {
    return a.block_ == b.block_;
  }

 private:
  void Ref() {
    if (block_ != nullptr)
      block_->refs_.fetch_add(1, std::memory_order_relaxed);
  }
  void Unref() {
    if (block_ != nullptr &&
        block_->refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      delete block_;
    }
  }
  Block* block_ = nullptr;
};

// A block that owns its memory, which is not initialized. bytes() is empty
// until set_size. Fill the block before moving it into a BlockRef.
class MemoryBlock final : public Block {
 public:
  explicit MemoryBlock(size_t capacity)
      : Block(false), memory_(new uint8_t[capacity]), capacity_(capacity) {}
  // The memory to fill, of capacity() bytes.
  uint8_t* data() { return memory_.get(); }
  size_t capacity() const { return capacity_; }
  // Sets the number of valid bytes, counted from data(): at most capacity().
  void set_size(size_t n) { bytes_ = {memory_.get(), n}; }

 private:
  std::unique_ptr<uint8_t[]> memory_;
  size_t capacity_;
};

}  // namespace perf2x

#endif  // PERF2X_BASE_BLOCK_H_
