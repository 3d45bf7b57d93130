// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/json_fields.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <type_traits>
#include <variant>

#include "absl/strings/ascii.h"

namespace perf2x {
namespace {

bool IsWord(absl::string_view name) {
  return std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
  });
}

// Appends `fields` as WriteFields would write them. Returns false, after
// appending anything, unless all are numbers that JSON has, with plain names:
// those of most records and tracepoints are.
bool AppendNumbers(Fields fields, std::string* text) {
  char separator = '{';
  for (const Field& field : fields) {
    int64_t number;
    if (const auto* value = std::get_if<uint64_t>(&field.value)) {
      number = static_cast<int64_t>(*value);
      if (number < 0) return false;
    } else if (const auto* is_signed = std::get_if<int64_t>(&field.value)) {
      number = *is_signed;
    } else {
      return false;
    }
    if (!IsWord(field.name)) return false;
    char digits[20];
    const auto end = std::to_chars(digits, std::end(digits), number);
    text->push_back(separator);
    text->push_back('"');
    text->append(field.name.data(), field.name.size());
    text->append("\":");
    text->append(digits, end.ptr);
    separator = ',';
  }
  text->push_back('}');
  return !fields.empty();
}

}  // namespace

void WriteFields(Fields fields, JsonWriter& json) {
  for (const Field& field : fields) {
    json.Key(field.name);
    std::visit(
        [&json](auto value) {
          using T = decltype(value);
          if constexpr (std::is_same_v<T, uint64_t>) {
            json.Uint(value);
          } else if constexpr (std::is_same_v<T, int64_t>) {
            json.Int(value);
          } else if constexpr (std::is_same_v<T, double>) {
            json.Double(value);
          } else if constexpr (std::is_same_v<T, Field::Hex>) {
            json.Hex(value.value);
          } else {
            json.String(value);
          }
        },
        field.value);
  }
}

absl::string_view FieldsText::TextOf(Fields fields) {
  text_.clear();
  if (AppendNumbers(fields, &text_)) return text_;
  text_.clear();
  json_.OmitNextComma();
  json_.BeginObject();
  WriteFields(fields, json_);
  json_.EndObject();
  json_.Flush().IgnoreError();  // writing to a string cannot fail
  return text_;
}

bool HasField(Fields fields, absl::string_view name) {
  return std::any_of(fields.begin(), fields.end(),
                     [name](const Field& f) { return f.name == name; });
}

}  // namespace perf2x
