// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_BYTE_BUFFER_H_
#define PERF2X_BASE_BYTE_BUFFER_H_

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/strings/string_view.h"

namespace perf2x {

// Bytes that are appended. Unlike a string, does not clear memory that it
// grows by: the caller writes there itself. Not thread-safe.
class ByteBuffer {
 public:
  ByteBuffer() = default;
  ByteBuffer(const ByteBuffer& other) { Append(other.view()); }
  ByteBuffer& operator=(const ByteBuffer&) = delete;
  void Swap(ByteBuffer& other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  // Returns the end of the bytes, with memory for `bytes` more. Invalidates all
  // pointers to bytes.
  char* Reserve(size_t bytes) {
    if (capacity_ - size_ < bytes) Grow(bytes);
    return bytes_.get() + size_;
  }
  // The caller has written the bytes from the end to `end`, which lie in
  // memory that Reserve returned.
  void SetEnd(const char* end) {
    size_ = static_cast<size_t>(end - bytes_.get());
  }
  void Append(absl::string_view bytes) {
    if (bytes.empty()) return;
    char* const end = Reserve(bytes.size());
    std::memcpy(end, bytes.data(), bytes.size());
    SetEnd(end + bytes.size());
  }

  // Valid until the next call that is not const.
  absl::string_view view() const { return {bytes_.get(), size_}; }
  size_t size() const { return size_; }

  // Removes the bytes. Keeps the memory, unless it is more than `most_kept`.
  void Clear(size_t most_kept) {
    size_ = 0;
    if (capacity_ <= most_kept) return;
    bytes_.reset();
    capacity_ = 0;
  }

 private:
  void Grow(size_t bytes) {
    capacity_ = std::max(2 * capacity_, size_ + bytes);
    std::unique_ptr<char[]> grown(new char[capacity_]);
    if (size_ > 0) std::memcpy(grown.get(), bytes_.get(), size_);
    bytes_ = std::move(grown);
  }

  std::unique_ptr<char[]> bytes_;
  size_t size_ = 0, capacity_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_BASE_BYTE_BUFFER_H_
