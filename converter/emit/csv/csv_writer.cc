// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/csv/csv_writer.h"

#include <array>
#include <charconv>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "converter/base/status_macros.h"
#include "converter/base/text.h"
#include "converter/emit/json_fields.h"

namespace perf2x {
namespace {

constexpr size_t kFlushSize = 256 << 10;

}  // namespace

CsvWriter::CsvWriter(std::unique_ptr<Output> out,
                     absl::Span<const std::string> columns)
    : out_(std::move(out)) {
  for (const std::string& column : columns) Text(column);
  buffer_.append("\r\n");
  first_ = true;
}

void CsvWriter::Text(absl::string_view text) {
  Separate();
  const absl::string_view plain = AsPlainText(text, &scratch_);
  const bool is_formula =
      !plain.empty() && absl::string_view("=+-@").find(plain[0]) != plain.npos;
  if (plain.find_first_of(",\"") == plain.npos) {
    if (is_formula) buffer_.push_back('\'');
    buffer_.append(plain.data(), plain.size());
    return;
  }
  buffer_.push_back('"');
  if (is_formula) buffer_.push_back('\'');
  for (char c : plain) {
    if (c == '"') buffer_.push_back('"');
    buffer_.push_back(c);
  }
  buffer_.push_back('"');
}

void CsvWriter::Number(uint64_t value) {
  Separate();
  absl::StrAppend(&buffer_, value);
}

void CsvWriter::Zeros(size_t cells) {
  for (; cells > 0; --cells) buffer_.append(",0");
}

void CsvWriter::Signed(int64_t value) {
  Separate();
  absl::StrAppend(&buffer_, value);
}

void CsvWriter::Hex(uint64_t value) {
  Separate();
  absl::StrAppend(&buffer_, "0x", absl::Hex(value));
}

void CsvWriter::Share(double value) {
  Separate();
  absl::StrAppendFormat(&buffer_, "%.6f", value);
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
  buffer_.append("\r\n");
  first_ = true;
  if (buffer_.size() < kFlushSize) return absl::OkStatus();
  RETURN_IF_ERROR(out_->Write(buffer_));
  buffer_.clear();
  return absl::OkStatus();
}

absl::Status CsvWriter::Close() {
  RETURN_IF_ERROR(out_->Write(buffer_));
  buffer_.clear();
  return out_->Close();
}

}  // namespace perf2x
