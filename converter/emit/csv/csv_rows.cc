// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/csv/csv_rows.h"

#include <charconv>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "converter/base/text.h"

namespace perf2x {
namespace {

// Chunks keep no more memory than this for their next use.
constexpr size_t kMaxKeptRows = 1 << 20;

}  // namespace

void CsvRows::AppendText(absl::string_view text) {
  const absl::string_view plain = AsPlainText(text, &scratch_);
  const bool is_formula =
      !plain.empty() && absl::string_view("=+-@").find(plain[0]) != plain.npos;
  const bool quotes =
      plain.find(',') != plain.npos || plain.find('"') != plain.npos;
  if (quotes) text_.push_back('"');
  if (is_formula) text_.push_back('\'');
  if (!quotes) {
    text_.append(plain.data(), plain.size());
    return;
  }
  absl::string_view rest = plain;
  for (size_t quote; (quote = rest.find('"')) != rest.npos;) {
    text_.append(rest.data(), quote + 1);
    text_.push_back('"');
    rest.remove_prefix(quote + 1);
  }
  text_.append(rest.data(), rest.size());
  text_.push_back('"');
}

void CsvRows::AppendReal(double value) {
  char text[400];  // the largest number has 309 digits
  const auto end = std::to_chars(std::begin(text), std::end(text), value,
                                 std::chars_format::fixed);
  text_.append(text, end.ptr);
}

void CsvRows::Work() {
  bool first = true;
  for (const char* at = values_.data(); at != values_.data() + size_;) {
    const char kind = *at++;
    if (kind == kEnd) {
      text_.append("\r\n");
      first = true;
      continue;
    }
    if (!first) text_.push_back(',');
    first = false;
    if (kind == kEmpty) continue;
    uint64_t number = 0;
    std::memcpy(&number, at, sizeof(number));
    at += sizeof(number);
    switch (kind) {
      case kText:
        AppendText({at, number});
        at += number;
        break;
      case kNumber:
        absl::StrAppend(&text_, number);
        break;
      case kSigned:
        absl::StrAppend(&text_, static_cast<int64_t>(number));
        break;
      case kHex:
        absl::StrAppend(&text_, "0x", absl::Hex(number));
        break;
      case kShare:
        absl::StrAppendFormat(&text_, "%.6f", std::bit_cast<double>(number));
        break;
      case kReal:
        AppendReal(std::bit_cast<double>(number));
        break;
    }
  }
}

void CsvRows::Clear() {
  size_ = 0;
  text_.clear();
  for (std::string* kept : {&values_, &text_}) {
    if (kept->capacity() <= kMaxKeptRows) continue;
    kept->clear();
    kept->shrink_to_fit();
  }
}

}  // namespace perf2x
