// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/csv/csv_writer.h"

#include <array>
#include <charconv>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "converter/base/status_macros.h"
#include "converter/base/text.h"

namespace perf2x {
namespace {

constexpr size_t kFlushSize = 256 << 10;

}  // namespace

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

void CsvWriter::Json(Fields fields) {
  fields.empty() ? Empty() : Text(json_.TextOf(fields));
}

void CsvWriter::EndHeader() {
  buffer_.append("\r\n");
  first_ = true;
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
