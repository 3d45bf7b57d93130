// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/csv/csv_rows.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "absl/strings/str_format.h"
#include "converter/emit/csv/csv_text.h"
#include "rapidjson/internal/dtoa.h"
#include "rapidjson/internal/itoa.h"

namespace perf2x {
namespace {

// Chunks keep no more memory than this for their next use.
constexpr size_t kMaxKept = 1 << 20;

// Bytes that a number takes at most, with a comma: a double without exponent
// has up to 309 digits before the point, or up to 325 after it.
constexpr size_t kMaxNumber = 24, kMaxReal = 400;

template <class Value>
Value Read(const char* from) {
  Value value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

// Writes a finite number without an exponent, with the digits that tell it from
// other doubles. Returns its end. std::to_chars does so, too, with tables that
// are 2 % of the static program.
char* WriteReal(double value, char* to) {
  if (std::signbit(value)) *to++ = '-';
  if (value == 0) {
    *to++ = '0';
    return to;
  }
  char digits[kMaxNumber];
  int count = 0, exponent = 0;  // of the last digit
  rapidjson::internal::Grisu2(std::abs(value), digits, &count, &exponent);
  const int whole = count + exponent;  // digits before the point
  if (whole <= 0) {
    *to++ = '0';
    *to++ = '.';
    to = std::fill_n(to, -whole, '0');
    return std::copy_n(digits, count, to);
  }
  to = std::copy_n(digits, std::min(whole, count), to);
  if (exponent >= 0) return std::fill_n(to, exponent, '0');
  *to++ = '.';
  return std::copy(digits + whole, digits + count, to);
}

}  // namespace

// Writes the number of a cell. Returns its end.
char* CsvRows::WriteNumber(CsvRow::Kind kind, const char* number) {
  char* const to = text_.Reserve(kMaxNumber);
  if (kind == CsvRow::kSigned) {
    return rapidjson::internal::i64toa(Read<int64_t>(number), to);
  }
  const auto value = Read<uint64_t>(number);
  if (kind == CsvRow::kNumber) return rapidjson::internal::u64toa(value, to);
  to[0] = '0';
  to[1] = 'x';
  return std::to_chars(to + 2, to + kMaxNumber, value, 16).ptr;
}

// Writes a cell and a comma. Returns the end of its value.
const char* CsvRows::WriteCell(CsvRow::Kind kind, const char* value) {
  char* to = nullptr;
  size_t size = sizeof(uint64_t);
  switch (kind) {
    case CsvRow::kEnd:
      EndLine();
      return value;
    case CsvRow::kEmpty: {
      size = sizeof(uint32_t);
      const auto count = Read<uint32_t>(value);
      // All but the last, which the comma at the end makes.
      to = text_.Reserve(count);
      std::memset(to, ',', count - 1);
      to += count - 1;
      break;
    }
    case CsvRow::kText: {
      const auto text = Read<size_t>(value);
      AppendCsvCell({value + size, text}, &scratch_, &text_);
      size += text;
      to = text_.Reserve(1);
      break;
    }
    case CsvRow::kCsv: {
      const auto csv = Read<absl::string_view>(value);
      size = sizeof(csv);
      to = text_.Reserve(csv.size() + 1);
      std::memcpy(to, csv.data(), csv.size());
      to += csv.size();
      break;
    }
    case CsvRow::kPath: {
      const auto path = Read<PathTexts::Text>(value);
      size = sizeof(path);
      to = paths_->Write(path, text_.Reserve(path.size + size_t{1}));
      break;
    }
    case CsvRow::kNumber:
    case CsvRow::kSigned:
    case CsvRow::kHex:
      to = WriteNumber(kind, value);
      break;
    case CsvRow::kShare:
      text_.Append(absl::StrFormat("%.6f", Read<double>(value)));
      to = text_.Reserve(1);
      break;
    case CsvRow::kReal:
      to = WriteReal(Read<double>(value), text_.Reserve(kMaxReal));
      break;
  }
  *to++ = ',';
  text_.SetEnd(to);
  return value + size;
}

// Writes a line's end instead of the last cell's comma.
void CsvRows::EndLine() {
  char* const end = text_.Reserve(1);
  end[-1] = '\r';
  end[0] = '\n';
  text_.SetEnd(end + 1);
}

void CsvRows::Work() {
  const absl::string_view cells = cells_.view();
  for (const char* at = cells.data(); at != cells.data() + cells.size();) {
    const auto kind = static_cast<CsvRow::Kind>(*at++);
    at = WriteCell(kind, at);
  }
}

void CsvRows::Clear() {
  cells_.Clear(kMaxKept);
  text_.Clear(kMaxKept);
  text_bytes_ = 0;
}

}  // namespace perf2x
