// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TRACEPOINT_FORMAT_H_
#define PERF2X_TRACEPOINT_FORMAT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/base/byte_order.h"

namespace perf2x {

// A decoded field of a tracepoint's payload.
struct TracepointField {
  enum class Kind : uint8_t {
    kUnsigned,
    kSigned,  // `number` holds it in two's complement
    kHex,     // pointers and addresses
    kText,
    kArray,  // `text` is "[1, 2, 3]"
  };
  absl::string_view name;
  Kind kind = Kind::kUnsigned;
  uint64_t number = 0;
  absl::string_view text;
};

// Where a field lies in a payload and what it is, worked out once a format.
struct TracepointFieldLayout {
  enum class Kind : uint8_t { kNumber, kString, kByteString, kArray };
  std::string name;
  Kind kind = Kind::kNumber;
  uint32_t offset = 0, size = 0;  // bytes, in the payload
  uint32_t element_size = 1;      // bytes, of kArray
  bool is_signed = false;
  bool hex = false;
  // The field holds (length << 16 | offset) of its data, which lies elsewhere
  // in the payload: counted from the payload's start, or with `relative` from
  // the end of the field (`__data_loc`, `__rel_loc`).
  bool dynamic = false, relative = false;
};

// Keeps the memory that decoding needs, so that it allocates nothing once warm.
// `fields` is valid until the next Decode, its strings moreover only as long as
// the payload and the format are.
struct TracepointFields {
  std::vector<TracepointField> fields;
  std::string text;  // of the arrays
};

// One event's format. The fields that all events have (common_type,
// common_flags, common_preempt_count, common_pid) are left out: the sample says
// the same.
class TracepointFormat {
 public:
  TracepointFormat(std::string system, std::string name, ByteOrder order,
                   std::vector<TracepointFieldLayout> layouts,
                   std::string print_format)
      : system_(std::move(system)),
        name_(std::move(name)),
        order_(order),
        layouts_(std::move(layouts)),
        print_format_(std::move(print_format)) {}

  const std::string& system() const { return system_; }
  const std::string& name() const { return name_; }
  absl::Span<const TracepointFieldLayout> layouts() const { return layouts_; }
  // How the kernel prints the event, unparsed: a format string and C
  // expressions, among them the names of flags' bits.
  const std::string& print_format() const { return print_format_; }
  // Null when the event has no such field.
  const TracepointFieldLayout* Find(absl::string_view field) const;

  // Takes a sample's RAW bytes apart. Fields that do not lie within `raw` are
  // left out, and then the result is false.
  bool Decode(absl::Span<const uint8_t> raw, TracepointFields* out) const;
  // A single field, without taking the others apart. Absent when it does not
  // lie within `raw` or is not of that type.
  std::optional<uint64_t> Number(const TracepointFieldLayout& field,
                                 absl::Span<const uint8_t> raw) const;
  std::optional<absl::string_view> String(const TracepointFieldLayout& field,
                                          absl::Span<const uint8_t> raw) const;

 private:
  std::optional<absl::Span<const uint8_t>> BytesOf(
      const TracepointFieldLayout& field, absl::Span<const uint8_t> raw) const;

  std::string system_, name_;
  ByteOrder order_;
  std::vector<TracepointFieldLayout> layouts_;
  std::string print_format_;
};

}  // namespace perf2x

#endif  // PERF2X_TRACEPOINT_FORMAT_H_
