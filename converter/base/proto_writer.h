// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_PROTO_WRITER_H_
#define PERF2X_BASE_PROTO_WRITER_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace perf2x {

// Serializes protobuf messages field by field, without building them. Fields
// appear in the order of the calls. Not thread-safe.
class ProtoWriter {
 public:
  // Returns the bytes so far. Valid until the next call. Complete only if every
  // message is closed.
  const std::string& bytes() const { return bytes_; }
  size_t size() const { return bytes_.size(); }
  // Drops all bytes. Requires that every message is closed.
  void Clear() { bytes_.clear(); }

  // Uint and Int write a field of type bool, int32, int64, uint32, uint64 or an
  // enum, even if its value is 0.
  void Uint(int field, uint64_t value) {
    Varint(static_cast<uint64_t>(field) << 3);
    Varint(value);
  }
  void Int(int field, int64_t value) {
    Uint(field, static_cast<uint64_t>(value));
  }
  // Writes a field of type double, even if its value is 0.
  void Double(int field, double value) {
    Varint(static_cast<uint64_t>(field) << 3 | kFixed64);
    const auto bits = std::bit_cast<uint64_t>(value);
    for (int shift = 0; shift < 64; shift += 8) {
      bytes_.push_back(static_cast<char>(bits >> shift));
    }
  }
  // Writes a string, a serialized message or a packed repeated field.
  void Bytes(int field, absl::string_view value) {
    Varint(static_cast<uint64_t>(field) << 3 | kLengthDelimited);
    Varint(value.size());
    bytes_.append(value.data(), value.size());
  }
  // Begins a message in the field `field`. Later fields, up to Close, are
  // fields of that message. Returns the argument for Close.
  size_t Open(int field) {
    Varint(static_cast<uint64_t>(field) << 3 | kLengthDelimited);
    bytes_.push_back(0);
    return bytes_.size();
  }
  // Ends the message for which Open returned `begin`. To be called for the
  // innermost open message.
  void Close(size_t begin);
  // Appends a varint without a field number, for packed repeated fields.
  void Varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) {
      bytes_.push_back(static_cast<char>(value | 0x80));
    }
    bytes_.push_back(static_cast<char>(value));
  }
  // Appends whole fields that another ProtoWriter wrote.
  void Append(absl::string_view bytes) {
    bytes_.append(bytes.data(), bytes.size());
  }

 private:
  enum WireType : uint64_t { kFixed64 = 1, kLengthDelimited = 2 };

  std::string bytes_;
};

}  // namespace perf2x

#endif  // PERF2X_BASE_PROTO_WRITER_H_
