// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_RECORDS_ENCODE_H_
#define PERF2X_PERF_RECORDS_ENCODE_H_

#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/base/byte_order.h"
#include "converter/base/byte_reader.h"
#include "converter/perf/records/attr.h"
#include "converter/perf/records/const_visitor.h"
#include "converter/perf/records/number_span.h"

namespace perf2x {

// The visitor (see kernel_records.h) that writes a record's Fields, in either
// byte order. Writes counts unchanged and arrays in full: the caller must make
// each count fit its array. Only Bytes() and FixedText() write exactly `n`
// bytes: they truncate longer values, and pad shorter ones with zeros.
class Encoder : public ConstVisitor<Encoder> {
 public:
  // `misc` is from the record's header. `attr` belongs to the record's event,
  // and must outlive the encoder.
  Encoder(ByteOrder order, uint16_t misc, const EventAttr& attr)
      : ConstVisitor(misc, attr), order_(order) {}

  // Each of these writes one field. operator() and Hex write an integer of the
  // size of T.
  template <class T>
  requires std::is_integral_v<T>
  void operator()(const char*, T value) {
    Put(static_cast<std::make_unsigned_t<T>>(value));
  }
  template <class T>
  void Hex(const char* name, T value) {
    (*this)(name, value);
  }
  void Words(const char*, uint64_t, int, const WordSpan& words) {
    for (size_t i = 0; i < words.size(); ++i) Put(words[i]);
  }
  void Numbers(const char*, uint64_t, size_t, const NumberSpan& numbers) {
    for (size_t i = 0; i < numbers.size(); ++i) {
      if (numbers.width() == 2) {
        Put(static_cast<uint16_t>(numbers[i]));
      } else if (numbers.width() == 4) {
        Put(static_cast<uint32_t>(numbers[i]));
      } else {
        Put(numbers[i]);
      }
    }
  }
  void Bytes(const char*, uint64_t n, absl::Span<const uint8_t> bytes) {
    Padded(n, bytes);
  }
  void Rest(const char*, absl::Span<const uint8_t> bytes) {
    Padded(bytes.size(), bytes);
  }
  void Text(const char*, absl::string_view text) {
    Padded(text.size() + 1, BytesOf(text));
  }
  void FixedText(const char*, uint64_t n, absl::string_view text) {
    Padded(n, BytesOf(text));
  }
  // Writes `n` zero bytes.
  void Skip(uint64_t n) { out_.resize(out_.size() + n); }

  // Returns the bytes that were written. To be called once, last.
  std::vector<uint8_t> Take() { return std::move(out_); }

 private:
  static absl::Span<const uint8_t> BytesOf(absl::string_view text) {
    return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
  }
  template <class T>
  void Put(T value) {
    out_.resize(out_.size() + sizeof(value));
    Store(value, out_.data() + out_.size() - sizeof(value), order_);
  }
  void Padded(uint64_t n, absl::Span<const uint8_t> bytes) {
    bytes = bytes.subspan(0, n);
    out_.insert(out_.end(), bytes.begin(), bytes.end());
    out_.resize(out_.size() + (n - bytes.size()));
  }

  std::vector<uint8_t> out_;
  ByteOrder order_;
};

// Returns the body of `record`, without a sample_id trailer and without padding
// to a multiple of 8 bytes.
template <class R>
std::vector<uint8_t> Encode(const R& record, ByteOrder order, uint16_t misc,
                            const EventAttr& attr) {
  Encoder encoder(order, misc, attr);
  R::Fields(encoder, record);
  return encoder.Take();
}

}  // namespace perf2x

#endif  // PERF2X_PERF_RECORDS_ENCODE_H_
