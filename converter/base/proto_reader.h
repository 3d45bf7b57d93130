// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_PROTO_READER_H_
#define PERF2X_BASE_PROTO_READER_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"

namespace perf2x {

// Reads the varint at `*at` and advances `*at` past it. Returns false and
// changes nothing if the varint does not end before `end` or is longer than ten
// bytes. Drops bits beyond the 64th.
inline bool ReadVarint(const uint8_t** at, const uint8_t* end,
                       uint64_t* value) {
  const uint8_t* p = *at;
  if (p < end && *p < 0x80) {
    *value = *p;
    *at = p + 1;
    return true;
  }
  uint64_t out = 0;
  for (int shift = 0; p < end && shift < 64; shift += 7) {
    const uint8_t byte = *p++;
    out |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) {
      *value = out;
      *at = p;
      return true;
    }
  }
  return false;
}

// Reads the fields of one serialized protobuf message, in order, without
// building the message. Treats groups as damage: no schema here has any. Not
// thread-safe.
class ProtoReader {
 public:
  // `message` must outlive the reader and the bytes that the reader returns.
  explicit ProtoReader(absl::Span<const uint8_t> message)
      : at_(message.data()), end_(message.data() + message.size()) {}

  // Moves to the next field. Returns false at the end of the message and at
  // damage.
  bool Next();
  // Returns false once the reader has met damage. Next then returns false, too.
  bool ok() const { return ok_; }
  // Points just after the present field. Before the first Next, points to the
  // message's first byte.
  const uint8_t* position() const { return at_; }

  // Describe the present field; valid after Next has returned true. field() is
  // its number. If is_bytes(), the value is bytes() (a string, a message or
  // packed numbers), and number() is 0. If not, the value is number() (a
  // varint, fixed32 or fixed64), and bytes() is empty.
  uint64_t field() const { return field_; }
  bool is_bytes() const { return is_bytes_; }
  uint64_t number() const { return number_; }
  // number() as an int32 or int64: in two's complement.
  int64_t signed_number() const { return static_cast<int64_t>(number_); }
  absl::Span<const uint8_t> bytes() const { return bytes_; }

  // Calls `add(number)` for each element that the present field holds. Requires
  // that its type is a repeated varint, packed or not. At damage, stops and
  // makes ok() false.
  template <class F>
  void ForEachNumber(F add) {
    if (!is_bytes_) return add(number_);
    const uint8_t* at = bytes_.data();
    const uint8_t* const end = at + bytes_.size();
    uint64_t number = 0;
    while (at != end) {
      if (!ReadVarint(&at, end, &number)) {
        ok_ = false;
        return;
      }
      add(number);
    }
  }

 private:
  bool Fail() {
    ok_ = false;
    at_ = end_;
    return false;
  }

  const uint8_t* at_;
  const uint8_t* end_;
  bool ok_ = true, is_bytes_ = false;
  uint64_t field_ = 0, number_ = 0;
  absl::Span<const uint8_t> bytes_;
};

}  // namespace perf2x

#endif  // PERF2X_BASE_PROTO_READER_H_
