// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_RECORDS_DUMP_H_
#define PERF2X_PERF_RECORDS_DUMP_H_

#include <cstdint>
#include <string>
#include <type_traits>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/base/byte_reader.h"
#include "converter/perf/records/attr.h"
#include "converter/perf/records/const_visitor.h"
#include "converter/perf/records/number_span.h"

namespace perf2x {

// A named field of a record. `kind` says which member holds the value. Valid as
// long as the record and its bytes.
struct DumpField {
  enum class Kind {
    kNumber,   // in `number`
    kSigned,   // in `number`, as two's complement
    kHex,      // in `number`: an address, mask or the like
    kText,     // in `text`
    kBytes,    // in `bytes`
    kWords,    // in `words`
    kNumbers,  // in `numbers`
  };
  const char* name = "";
  Kind kind = Kind::kNumber;
  uint64_t number = 0;
  absl::string_view text;
  absl::Span<const uint8_t> bytes;
  WordSpan words;
  NumberSpan numbers;
};

// Returns the field's value as text. kNumber and kSigned are decimal. kHex is
// as "0x1f", kWords and kNumbers as "[0x1 0x1f]". kBytes are hexadecimal digits
// without a prefix. kText is not escaped and may hold any bytes.
std::string ValueText(const DumpField& field);

using FieldSink = absl::FunctionRef<void(const DumpField&)>;

// The visitor (see kernel_records.h) that passes a record's fields to a sink,
// in stored order. Elements of lists are passed field by field. Parameters
// without a name are for other visitors.
class Dumper : public ConstVisitor<Dumper> {
 public:
  // `misc` is from the record's header. `attr` belongs to the record's event.
  // `attr` and the callable that `sink` refers to must outlive the dumper.
  Dumper(uint16_t misc, const EventAttr& attr, FieldSink sink)
      : ConstVisitor(misc, attr), sink_(sink) {}

  // Each of these passes one field to the sink. operator() passes an integer as
  // kNumber or kSigned. The names of the others say which Kind they pass: Rest
  // passes kBytes, FixedText kText.
  template <class T>
  requires std::is_integral_v<T>
  void operator()(const char* name, T value) {
    DumpField field =
        Named(name, std::is_signed_v<T> ? DumpField::Kind::kSigned
                                        : DumpField::Kind::kNumber);
    field.number = static_cast<uint64_t>(value);
    sink_(field);
  }
  template <class T>
  void Hex(const char* name, T value) {
    DumpField field = Named(name, DumpField::Kind::kHex);
    field.number = value;
    sink_(field);
  }
  void Words(const char* name, uint64_t, int, const WordSpan& words) {
    DumpField field = Named(name, DumpField::Kind::kWords);
    field.words = words;
    sink_(field);
  }
  void Numbers(const char* name, uint64_t, size_t, const NumberSpan& numbers) {
    DumpField field = Named(name, DumpField::Kind::kNumbers);
    field.numbers = numbers;
    sink_(field);
  }
  void Bytes(const char* name, uint64_t, absl::Span<const uint8_t> bytes) {
    Rest(name, bytes);
  }
  void Rest(const char* name, absl::Span<const uint8_t> bytes) {
    DumpField field = Named(name, DumpField::Kind::kBytes);
    field.bytes = bytes;
    sink_(field);
  }
  void Text(const char* name, absl::string_view text) {
    DumpField field = Named(name, DumpField::Kind::kText);
    field.text = text;
    sink_(field);
  }
  void FixedText(const char* name, uint64_t, absl::string_view text) {
    Text(name, text);
  }

 private:
  static DumpField Named(const char* name, DumpField::Kind kind) {
    DumpField field;
    field.name = name;
    field.kind = kind;
    return field;
  }

  FieldSink sink_;
};

// Passes the fields of a decoded record to `sink`. `misc` and `attr` are as for
// Dumper.
template <class R>
void Dump(const R& record, uint16_t misc, const EventAttr& attr,
          FieldSink sink) {
  Dumper dumper(misc, attr, sink);
  R::Fields(dumper, record);
}

}  // namespace perf2x

#endif  // PERF2X_PERF_RECORDS_DUMP_H_
