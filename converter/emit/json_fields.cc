// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/json_fields.h"

#include <algorithm>
#include <type_traits>

namespace perf2x {

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
