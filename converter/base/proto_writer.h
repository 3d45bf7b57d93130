// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_PROTO_WRITER_H_
#define PERF2X_BASE_PROTO_WRITER_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "absl/strings/string_view.h"

namespace perf2x {

// Serializes protobuf messages field by field, without building them. Fields
// appear in the order of the calls. A moved-from writer must not be used. Not
// thread-safe.
class ProtoWriter {
 public:
  // Returns the bytes so far. Valid until the next call. Complete only if every
  // message is closed.
  absl::string_view bytes() const { return {bytes_.get(), size_}; }
  size_t size() const { return size_; }
  // Drops all bytes. Requires that every message is closed.
  void Clear() { size_ = 0; }

  // Uint and Int write a field of type bool, int32, int64, uint32, uint64 or an
  // enum, even if its value is 0.
  void Uint(int field, uint64_t value) {
    char* const to = Room(2 * kMaxVarint);
    Advance(Put(value, Put(static_cast<uint64_t>(field) << 3, to)));
  }
  void Int(int field, int64_t value) {
    Uint(field, static_cast<uint64_t>(value));
  }
  // Writes a field of type double, even if its value is 0.
  void Double(int field, double value) {
    char* to = Room(kMaxVarint + sizeof(value));
    to = Put(static_cast<uint64_t>(field) << 3 | kFixed64, to);
    const auto bits = std::bit_cast<uint64_t>(value);
    for (int shift = 0; shift < 64; shift += 8) {
      *to++ = static_cast<char>(bits >> shift);
    }
    Advance(to);
  }
  // Writes a string, a serialized message or a packed repeated field.
  void Bytes(int field, absl::string_view value) {
    char* const to = Room(2 * kMaxVarint);
    Advance(Put(value.size(),
                Put(static_cast<uint64_t>(field) << 3 | kLengthDelimited, to)));
    Append(value);
  }
  // Begins a message in the field `field`. Later fields, up to Close, are
  // fields of that message. Returns the argument for Close.
  size_t Open(int field) {
    char* const to = Room(kMaxVarint + 1);
    char* const end =
        Put(static_cast<uint64_t>(field) << 3 | kLengthDelimited, to);
    *end = 0;
    Advance(end + 1);
    return size_;
  }
  // Ends the message for which Open returned `begin`. To be called for the
  // innermost open message.
  void Close(size_t begin) {
    const size_t size = size_ - begin;
    if (size < 0x80) {
      bytes_[begin - 1] = static_cast<char>(size);
    } else {
      CloseLong(begin);
    }
  }
  // Appends a varint without a field number, for packed repeated fields.
  void Varint(uint64_t value) { Advance(Put(value, Room(kMaxVarint))); }
  // Appends whole fields that another ProtoWriter wrote.
  void Append(absl::string_view bytes) {
    if (bytes.empty()) return;
    std::memcpy(Room(bytes.size()), bytes.data(), bytes.size());
    size_ += bytes.size();
  }

 private:
  enum WireType : uint64_t { kFixed64 = 1, kLengthDelimited = 2 };
  static constexpr size_t kMaxVarint = 10;

  // Returns where the next `more` bytes go.
  char* Room(size_t more) {
    if (capacity_ - size_ < more) Grow(more);
    return &bytes_[size_];
  }
  void Advance(const char* end) {
    size_ = static_cast<size_t>(end - bytes_.get());
  }
  // Writes a varint and returns its end.
  static char* Put(uint64_t value, char* to) {
    for (; value >= 0x80; value >>= 7) *to++ = static_cast<char>(value | 0x80);
    *to++ = static_cast<char>(value);
    return to;
  }
  void Grow(size_t more);
  void CloseLong(size_t begin);

  std::unique_ptr<char[]> bytes_;
  size_t size_ = 0, capacity_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_BASE_PROTO_WRITER_H_
