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

// A decoded field of a tracepoint's payload. Its value is `text` for kText and
// kArray, `number` for all other kinds.
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

// The offset and type of a field in a payload.
struct TracepointFieldLayout {
  enum class Kind : uint8_t {
    kNumber,      // an integer or pointer of 1, 2, 4 or 8 bytes
    kString,      // an array of char
    kByteString,  // an array of bytes: as kText if it looks like text, else
                  // as kArray
    kArray,       // an array of numbers; a structure, as an array of bytes
  };
  std::string name;
  Kind kind = Kind::kNumber;
  uint32_t offset = 0, size = 0;  // bytes, in the payload
  uint32_t element_size = 1;      // bytes, of kArray
  bool is_signed = false;
  bool hex = false;  // shown in hexadecimal
  // If `dynamic`, the field holds (length << 16 | offset) of its data, which
  // lie elsewhere in the payload. The offset counts from the payload's start
  // (`__data_loc`) or, if `relative`, from the end of the field (`__rel_loc`).
  bool dynamic = false, relative = false;
};

// The decoded fields of a payload. Reusing an object avoids allocations. The
// strings in `fields` point into the format, the payload and `text`. They are
// valid as long as these, and until the next Decode() into the object.
struct TracepointFields {
  std::vector<TracepointField> fields;
  std::string text;         // the texts of all kArray fields, joined
  uint64_t text_bytes = 0;  // of all kText and kArray fields
  // Number of strings and arrays that were omitted because, with them, all
  // strings and arrays would have more than twice the payload's bytes. Only
  // fields that share bytes can exceed this limit.
  uint64_t omitted_shared = 0;
};

// One event's format, without the fields that all events have (common_type,
// common_flags, common_preempt_count, common_pid).
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
  // The byte order of payloads.
  ByteOrder order() const { return order_; }
  absl::Span<const TracepointFieldLayout> layouts() const { return layouts_; }
  // Returns the kernel's `print fmt` of the event, unparsed: a format string
  // and C expressions.
  const std::string& print_format() const { return print_format_; }
  // Returns the approximate memory of the format, in bytes.
  uint64_t memory() const;
  // Returns the layout of the field with this name; null if there is none.
  const TracepointFieldLayout* Find(absl::string_view field) const;

  // Replaces the contents of `*out` with the fields of a sample's RAW bytes, in
  // the format's order. Omits fields that do not lie within `raw`. Also omits
  // the fields that TracepointFields::omitted_shared counts. Returns false if a
  // field was omitted.
  bool Decode(absl::Span<const uint8_t> raw, TracepointFields* out) const;
  // Decode a single field, which must be one of layouts(). Number decodes a
  // kNumber, String a kString. Return nullopt for other kinds, and if the field
  // does not lie within `raw`. A signed number is sign-extended to 64 bits. A
  // string ends before its first NUL and points into `raw`.
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
