// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_BYTE_READER_H_
#define PERF2X_BASE_BYTE_READER_H_

#include <cstdint>
#include <cstring>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/base/byte_order.h"

namespace perf2x {

// A view of u64 words inside a block, unaligned and in the recording's byte
// order: callchains, registers, ids. Valid as long as the block. Sizes and
// indices count words; operator[] does not check its index.
class WordSpan {
 public:
  WordSpan() = default;
  // `data` has `size` words of 8 bytes, and must outlive the span.
  WordSpan(const uint8_t* data, size_t size, ByteOrder order)
      : data_(data), size_(size), order_(order) {}

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  uint64_t operator[](size_t i) const {
    return Load<uint64_t>(data_ + i * 8, order_);
  }
  // Returns the bytes of the words, in order().
  absl::Span<const uint8_t> bytes() const { return {data_, size_ * 8}; }
  ByteOrder order() const { return order_; }

 private:
  const uint8_t* data_ = nullptr;
  size_t size_ = 0;
  ByteOrder order_ = kHostOrder;
};

// Reads input bytes in order, with bounds checks. The first read past the end
// makes the reader fail for good. The failing read and all later reads return
// zero or empty. ok() is then false and left() is 0. Callers check ok() once,
// after the last read. The bytes must outlive the reader and what it returns.
class ByteReader {
 public:
  ByteReader(absl::Span<const uint8_t> bytes, ByteOrder order)
      : begin_(bytes.data()),
        at_(bytes.data()),
        end_(bytes.data() + bytes.size()),
        order_(order) {}

  bool ok() const { return ok_; }
  ByteOrder order() const { return order_; }
  // Returns the number of bytes that are not read yet.
  size_t left() const { return static_cast<size_t>(end_ - at_); }
  // Returns the number of bytes read so far. After a failure, returns the
  // number of all bytes.
  size_t offset() const { return static_cast<size_t>(at_ - begin_); }

  // Read an unsigned integer in the reader's byte order.
  uint8_t U8() { return Number<uint8_t>(); }
  uint16_t U16() { return Number<uint16_t>(); }
  uint32_t U32() { return Number<uint32_t>(); }
  uint64_t U64() { return Number<uint64_t>(); }

  // Reads `n` bytes, without copying them.
  absl::Span<const uint8_t> Bytes(uint64_t n) {
    if (!Has(n)) return {};
    absl::Span<const uint8_t> out(at_, static_cast<size_t>(n));
    at_ += n;
    return out;
  }
  // Reads `n` words of 8 bytes, without copying them.
  WordSpan Words(uint64_t n) {
    if (CheckedCount(n, 8) == 0) return {};
    WordSpan out(at_, static_cast<size_t>(n), order_);
    at_ += n * 8;
    return out;
  }
  // Skips `n` bytes.
  void Skip(uint64_t n) {
    if (Has(n)) at_ += n;
  }

  // Returns `n` if the bytes left suffice for `n` elements of `element_size`
  // bytes. Otherwise makes the reader fail and returns 0. Reads nothing.
  // Requires an `element_size` of at least 1. To be called for each count from
  // input, before a loop or an allocation of that size.
  uint64_t CheckedCount(uint64_t n, size_t element_size) {
    if (!ok_ || n > left() / element_size) {
      Fail();
      return 0;
    }
    return n;
  }

  // Reads a NUL-terminated string and its NUL. Returns the string without the
  // NUL. Fails if no NUL is left.
  absl::string_view CString() {
    const void* nul = left() == 0 ? nullptr : std::memchr(at_, 0, left());
    if (!ok_ || nul == nullptr) {
      Fail();
      return {};
    }
    const auto* stop = static_cast<const uint8_t*>(nul);
    absl::string_view out(reinterpret_cast<const char*>(at_),
                          static_cast<size_t>(stop - at_));
    at_ = stop + 1;
    return out;
  }

  // Reads `n` bytes and returns the string in them, which ends at the first NUL
  // or after all `n` bytes.
  absl::string_view FixedString(uint64_t n) {
    absl::Span<const uint8_t> bytes = Bytes(n);
    const char* p = reinterpret_cast<const char*>(bytes.data());
    return {p, bytes.empty() ? 0 : strnlen(p, bytes.size())};
  }

  // Reads all remaining bytes, without copying them.
  absl::Span<const uint8_t> Rest() { return Bytes(left()); }

  // Makes this and all later reads fail.
  void Fail() {
    ok_ = false;
    at_ = end_;
  }

 private:
  bool Has(uint64_t n) {
    if (n <= left()) return true;
    Fail();
    return false;
  }
  template <class T>
  T Number() {
    if (left() < sizeof(T)) {
      Fail();
      return 0;
    }
    T v = Load<T>(at_, order_);
    at_ += sizeof(T);
    return v;
  }

  const uint8_t* begin_;
  const uint8_t* at_;
  const uint8_t* end_;
  ByteOrder order_;
  bool ok_ = true;
};

}  // namespace perf2x

#endif  // PERF2X_BASE_BYTE_READER_H_
