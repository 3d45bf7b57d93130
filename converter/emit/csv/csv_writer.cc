// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/csv/csv_writer.h"

#include <array>
#include <charconv>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "converter/base/status_macros.h"
#include "converter/emit/json_fields.h"

namespace perf2x {
namespace {

// Bytes of packed rows that are made text together.
constexpr size_t kRowsSize = 128 << 10;

}  // namespace

CsvWriter::CsvWriter(std::unique_ptr<Output> out,
                     absl::Span<const std::string> columns, size_t helpers)
    : out_(std::move(out)),
      rows_("perf2x-format", helpers,
            [this](CsvRows& rows) { return out_->Write(rows.text()); }) {
  for (const std::string& column : columns) Text(column);
  rows_.chunk().EndRow();
}

void CsvWriter::Zeros(size_t cells) {
  for (; cells > 0; --cells) Number(0);
}

void CsvWriter::Real(double value) {
  if (!std::isfinite(value)) return Empty();
  std::array<char, 400> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 std::chars_format::fixed);
  Text({text.data(), static_cast<size_t>(end.ptr - text.data())});
}

void CsvWriter::Optional(std::optional<uint64_t> value) {
  value.has_value() ? Number(*value) : Empty();
}

void CsvWriter::Value(const Field& field) {
  if (const auto* text = std::get_if<absl::string_view>(&field.value)) {
    Text(*text);
  } else if (const auto* hex = std::get_if<Field::Hex>(&field.value)) {
    Hex(hex->value);
  } else if (const auto* u = std::get_if<uint64_t>(&field.value)) {
    Number(*u);
  } else if (const auto* i = std::get_if<int64_t>(&field.value)) {
    Signed(*i);
  } else if (const auto* d = std::get_if<double>(&field.value)) {
    Text(absl::StrCat(*d));
  }
}

void CsvWriter::Json(Fields fields) {
  if (fields.empty()) return Empty();
  json_.clear();
  const std::unique_ptr<Output> to = MakeStringOutput(&json_);
  JsonWriter json(*to);
  json.BeginObject();
  WriteFields(fields, json);
  json.EndObject();
  json.Flush().IgnoreError();  // writing to a string cannot fail
  Text(json_);
}

absl::Status CsvWriter::EndRow() {
  CsvRows& rows = rows_.chunk();
  rows.EndRow();
  return rows.size() < kRowsSize ? absl::OkStatus() : rows_.Push();
}

absl::Status CsvWriter::Close() {
  if (rows_.chunk().size() > 0) RETURN_IF_ERROR(rows_.Push());
  RETURN_IF_ERROR(rows_.Finish());
  return out_->Close();
}

}  // namespace perf2x
