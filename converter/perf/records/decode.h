// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_RECORDS_DECODE_H_
#define PERF2X_PERF_RECORDS_DECODE_H_

#include <cstdint>
#include <type_traits>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/base/byte_reader.h"
#include "converter/perf/records/attr.h"
#include "converter/perf/records/number_span.h"
#include "converter/perf/records/raw_record.h"

namespace perf2x {

// The visitor that decodes a record. Reads the fields that Fields() lists, in
// order, from the record's bytes. Parameters without a name are for other
// visitors. Spans and strings point into the bytes. A field fails if the bytes
// end inside it, or if a string lacks its NUL. That field and all later ones
// then become zero or empty, Derive fields get f(0), and ok() returns false.
class Decoder {
 public:
  // `bytes` is the body without the sample_id trailer. `attr` belongs to the
  // record's event; an empty one suffices where Fields() does not use it.
  // `attr` must outlive the decoder.
  Decoder(absl::Span<const uint8_t> bytes, ByteOrder order, uint16_t misc,
          const EventAttr& attr)
      : in_(bytes, order), misc_(misc), attr_(attr) {}

  // Reads an integer of the size of T.
  template <class T>
  requires std::is_integral_v<T>
  void operator()(const char*, T& value) {
    if constexpr (sizeof(T) == 8) {
      value = static_cast<T>(in_.U64());
    } else if constexpr (sizeof(T) == 4) {
      value = static_cast<T>(in_.U32());
    } else if constexpr (sizeof(T) == 2) {
      value = static_cast<T>(in_.U16());
    } else {
      value = static_cast<T>(in_.U8());
    }
  }
  // As operator(): only Dumper shows such numbers in another way.
  template <class T>
  void Hex(const char* name, T& value) {
    (*this)(name, value);
  }
  // Reads `n` elements of `stride` words each.
  void Words(const char*, uint64_t n, int stride, WordSpan& words) {
    words = in_.Words(in_.CheckedCount(n, 8 * stride) * stride);
  }
  // Sets `bytes` to the next `n` bytes.
  void Bytes(const char*, uint64_t n, absl::Span<const uint8_t>& bytes) {
    bytes = in_.Bytes(n);
  }
  // Reads a NUL-terminated string and its NUL.
  void Text(const char*, absl::string_view& text) { text = in_.CString(); }
  // Reads `n` bytes. Sets `text` to the bytes before their first NUL, or to all
  // `n` if there is none.
  void FixedText(const char*, uint64_t n, absl::string_view& text) {
    text = in_.FixedString(n);
  }
  // Reads `n` numbers of `width` bytes each.
  void Numbers(const char*, uint64_t n, size_t width, NumberSpan& numbers) {
    numbers = {in_.Bytes(in_.CheckedCount(n, width) * width), width,
               in_.order()};
  }
  // Sets `bytes` to all bytes that are left.
  void Rest(const char*, absl::Span<const uint8_t>& bytes) {
    bytes = in_.Rest();
  }
  // Reads `n` structs of E::kSize bytes each.
  template <class E>
  void List(const char*, uint64_t n, std::vector<E>& elements) {
    elements.resize(in_.CheckedCount(n, E::kSize));
    for (E& element : elements) E::Fields(*this, element);
  }
  // Sets `value` to f(number of bytes left). The record's bytes do not hold
  // `value`.
  template <class T, class F>
  void Derive(T& value, F f) {
    value = static_cast<T>(f(in_.left()));
  }
  // Skips `n` bytes of padding.
  void Skip(uint64_t n) { in_.Skip(n); }
  // Return the constructor's arguments: the fields of some records depend on
  // them.
  uint16_t misc() const { return misc_; }
  const EventAttr& attr() const { return attr_; }

  // Returns false if the bytes ended inside a field, or a string had no NUL.
  bool ok() const { return in_.ok(); }

 protected:
  ByteReader& in() { return in_; }

 private:
  ByteReader in_;
  uint16_t misc_;
  const EventAttr& attr_;
};

// Decodes `bytes`, the body without the sample_id trailer, into `*record`.
// `misc` is from the record's header. `attr` is as for Decoder. Returns false
// if the bytes end early; the fields before that end are then set. Surplus
// bytes are allowed: newer writers append fields.
template <class R>
bool Decode(absl::Span<const uint8_t> bytes, ByteOrder order, uint16_t misc,
            const EventAttr& attr, R* record) {
  Decoder decoder(bytes, order, misc, attr);
  R::Fields(decoder, *record);
  return decoder.ok();
}

// Decodes a record whose fields do not depend on its event's attr. `trailer` is
// the size of the sample_id trailer in bytes, at most the size of the body.
// With 0, a trailer stays in the bytes, as surplus.
template <class R>
bool Decode(const RawRecord& raw, R* record, size_t trailer = 0) {
  return Decode(raw.body.first(raw.body.size() - trailer), raw.order, raw.misc,
                EventAttr(), record);
}

}  // namespace perf2x

#endif  // PERF2X_PERF_RECORDS_DECODE_H_
