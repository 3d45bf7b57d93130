// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/html/columns.h"

#include <array>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "converter/base/byte_order.h"
#include "converter/base/status_macros.h"
#include "converter/emit/json_writer.h"

namespace perf2x {
namespace {

constexpr char kMagic[] = "perf2x-1";

int BytesOf(uint64_t value) {
  int bytes = 0;
  for (; value != 0; value >>= 8) ++bytes;
  return bytes;
}

}  // namespace

PageColumn::PageColumn(std::string name, absl::Span<const uint64_t> values,
                       ColumnCode code)
    : name_(std::move(name)), code_(code), count_(values.size()) {
  uint64_t all = 0;
  for (const uint64_t value : values) all |= value;
  width_ = BytesOf(all);
  planes_.resize(count_ * static_cast<size_t>(width_));
  for (int plane = 0; plane < width_; ++plane) {
    char* to = planes_.data() + count_ * static_cast<size_t>(plane);
    const int shift = 8 * plane;
    uint64_t last = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      const uint64_t value = values[i] - last;
      if (code == ColumnCode::kDelta) last = values[i];
      to[i] = static_cast<char>(value >> shift);
    }
  }
}

uint64_t PageColumn::EstimatedCompressedSize() const {
  double bits = 0;
  for (int plane = 0; plane < width_; ++plane) {
    std::array<uint64_t, 256> uses{};
    const char* from = planes_.data() + count_ * static_cast<size_t>(plane);
    for (uint64_t i = 0; i < count_; ++i) {
      ++uses[static_cast<uint8_t>(from[i])];
    }
    for (const uint64_t n : uses) {
      if (n == 0) continue;
      bits += static_cast<double>(n) *
              std::log2(static_cast<double>(count_) / static_cast<double>(n));
    }
  }
  return static_cast<uint64_t>(bits / 8);
}

uint64_t ColumnBlock::EstimatedCompressedSize() const {
  uint64_t size = meta_.size();
  for (const PageColumn& column : columns_)
    size += column.EstimatedCompressedSize();
  return size;
}

uint64_t ColumnBlock::size() const {
  uint64_t size = 0;
  for (const PageColumn& column : columns_) size += column.planes().size();
  return size;
}

absl::Status ColumnBlock::WriteTo(Output& out) const {
  const std::string columns = JsonText([this](JsonWriter& json) {
    json.BeginObject();
    uint64_t offset = 0;
    for (const PageColumn& column : columns_) {
      json.Key(column.name());
      json.BeginObject();
      json.Key("count");
      json.Uint(column.count());
      json.Key("width");
      json.Int(column.width());
      json.Key("code");
      json.String(column.code() == ColumnCode::kDelta ? "delta" : "plain");
      json.Key("offset");
      json.Uint(offset);
      json.EndObject();
      offset += column.planes().size();
    }
    json.EndObject();
  });
  const std::string header =
      absl::StrCat("{\"meta\":", meta_, ",\"columns\":", columns, "}");
  RETURN_IF_ERROR(out.Write(kMagic));
  uint8_t size[4];
  Store(static_cast<uint32_t>(header.size()), size, ByteOrder::kLittle);
  RETURN_IF_ERROR(
      out.Write({reinterpret_cast<const char*>(size), sizeof(size)}));
  RETURN_IF_ERROR(out.Write(header));
  for (const PageColumn& column : columns_) {
    RETURN_IF_ERROR(out.Write(column.planes()));
  }
  return absl::OkStatus();
}

}  // namespace perf2x
