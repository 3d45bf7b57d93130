// SPDX-License-Identifier: Apache-2.0
#include "converter/tracepoint/format.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "converter/base/byte_reader.h"

namespace perf2x {
namespace {

// Reads an integer of 1, 2, 4 or 8 bytes; ParseFormat() makes no others.
uint64_t ReadNumber(absl::Span<const uint8_t> bytes, bool is_signed,
                    ByteOrder order) {
  ByteReader reader(bytes, order);
  switch (bytes.size()) {
    case 1: {
      const uint8_t v = reader.U8();
      return is_signed ? static_cast<int8_t>(v) : uint64_t{v};
    }
    case 2: {
      const uint16_t v = reader.U16();
      return is_signed ? static_cast<int16_t>(v) : uint64_t{v};
    }
    case 4: {
      const uint32_t v = reader.U32();
      return is_signed ? static_cast<int32_t>(v) : uint64_t{v};
    }
    default:
      return reader.U64();
  }
}

absl::string_view StringIn(absl::Span<const uint8_t> bytes) {
  return ByteReader(bytes, kHostOrder).FixedString(bytes.size());
}

// True if bytes that are declared as small numbers hold text: printable
// characters up to a NUL, and only NULs after that.
bool LooksLikeText(absl::Span<const uint8_t> bytes) {
  auto nul = std::find(bytes.begin(), bytes.end(), 0);
  return nul != bytes.begin() &&
         std::all_of(bytes.begin(), nul,
                     [](uint8_t c) { return c >= 0x20 && c < 0x7f; }) &&
         std::all_of(nul, bytes.end(), [](uint8_t c) { return c == 0; });
}

void AppendArray(absl::Span<const uint8_t> bytes,
                 const TracepointFieldLayout& layout, ByteOrder order,
                 std::string* out) {
  out->push_back('[');
  const size_t step = layout.element_size;
  for (size_t at = 0; step <= bytes.size() - at; at += step) {
    if (at > 0) out->append(", ");
    const uint64_t v =
        ReadNumber(bytes.subspan(at, step), layout.is_signed, order);
    if (layout.hex) {
      absl::StrAppend(out, "0x", absl::Hex(v));
    } else if (layout.is_signed) {
      absl::StrAppend(out, static_cast<int64_t>(v));
    } else {
      absl::StrAppend(out, v);
    }
  }
  out->push_back(']');
}

}  // namespace

uint64_t TracepointFormat::memory() const {
  uint64_t bytes = sizeof(*this) + system_.size() + name_.size() +
                   print_format_.size() +
                   layouts_.capacity() * sizeof(TracepointFieldLayout);
  for (const TracepointFieldLayout& layout : layouts_) {
    bytes += layout.name.size();
  }
  return bytes;
}

const TracepointFieldLayout* TracepointFormat::Find(
    absl::string_view field) const {
  for (const TracepointFieldLayout& layout : layouts_) {
    if (layout.name == field) return &layout;
  }
  return nullptr;
}

std::optional<absl::Span<const uint8_t>> TracepointFormat::BytesOf(
    const TracepointFieldLayout& field, absl::Span<const uint8_t> raw) const {
  ByteReader reader(raw, order_);
  reader.Skip(field.offset);
  absl::Span<const uint8_t> bytes = reader.Bytes(field.size);
  if (reader.ok() && field.dynamic) {
    const uint64_t location = ReadNumber(bytes, false, order_);
    uint64_t from = location & 0xffff;
    if (field.relative) from += uint64_t{field.offset} + field.size;
    ByteReader data(raw, order_);
    data.Skip(from);
    bytes = data.Bytes((location >> 16) & 0xffff);
    if (!data.ok()) return std::nullopt;
  }
  if (!reader.ok()) return std::nullopt;
  return bytes;
}

bool TracepointFormat::Decode(absl::Span<const uint8_t> raw,
                              TracepointFields* out) const {
  using Kind = TracepointField::Kind;
  out->fields.clear();
  out->text.clear();
  out->text_bytes = out->omitted_shared = 0;
  bool complete = true;
  // Nothing but this keeps hundreds of fields from having the same bytes.
  uint64_t left = 2 * uint64_t{raw.size()};
  for (const TracepointFieldLayout& layout : layouts_) {
    const auto bytes = BytesOf(layout, raw);
    if (!bytes.has_value()) {
      complete = false;
      continue;
    }
    TracepointField field;
    field.name = layout.name;
    const bool is_number = layout.kind == TracepointFieldLayout::Kind::kNumber;
    if (!is_number && bytes->size() > left) {
      ++out->omitted_shared;
      complete = false;
      continue;
    }
    if (is_number) {
      field.kind = layout.hex         ? Kind::kHex
                   : layout.is_signed ? Kind::kSigned
                                      : Kind::kUnsigned;
      field.number = ReadNumber(*bytes, layout.is_signed, order_);
    } else if (layout.kind == TracepointFieldLayout::Kind::kString ||
               (layout.kind == TracepointFieldLayout::Kind::kByteString &&
                LooksLikeText(*bytes))) {
      left -= bytes->size();
      field.kind = Kind::kText;
      field.text = StringIn(*bytes);
      out->text_bytes += field.text.size();
    } else {
      left -= bytes->size();
      field.kind = Kind::kArray;
      AppendArray(*bytes, layout, order_, &out->text);
      field.number = out->text.size();
    }
    out->fields.push_back(field);
  }
  out->text_bytes += out->text.size();
  // out->text grows no more, so that views of it stay valid.
  size_t begin = 0;
  for (TracepointField& field : out->fields) {
    if (field.kind != Kind::kArray) continue;
    field.text =
        absl::string_view(out->text).substr(begin, field.number - begin);
    begin = std::exchange(field.number, 0);
  }
  return complete;
}

std::optional<uint64_t> TracepointFormat::Number(
    const TracepointFieldLayout& field, absl::Span<const uint8_t> raw) const {
  if (field.kind != TracepointFieldLayout::Kind::kNumber) return std::nullopt;
  if (field.size == 4 && !field.dynamic) {  // most fields
    if (raw.size() < 4 || field.offset > raw.size() - 4) return std::nullopt;
    const uint32_t v = Load<uint32_t>(raw.data() + field.offset, order_);
    return field.is_signed ? static_cast<uint64_t>(static_cast<int32_t>(v)) : v;
  }
  const auto bytes = BytesOf(field, raw);
  if (!bytes.has_value()) return std::nullopt;
  return ReadNumber(*bytes, field.is_signed, order_);
}

std::optional<absl::string_view> TracepointFormat::String(
    const TracepointFieldLayout& field, absl::Span<const uint8_t> raw) const {
  if (field.kind != TracepointFieldLayout::Kind::kString) return std::nullopt;
  const auto bytes = BytesOf(field, raw);
  if (!bytes.has_value()) return std::nullopt;
  return StringIn(*bytes);
}

}  // namespace perf2x
