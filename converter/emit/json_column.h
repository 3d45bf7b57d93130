// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_JSON_COLUMN_H_
#define PERF2X_EMIT_JSON_COLUMN_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "converter/emit/json_writer.h"

namespace perf2x {

// Writes a member of the current object: an array of `size` items. Calls
// `write(i)` for each i from 0 to size - 1; each call must write one JSON
// value. Flushes `json` whenever 256 KiB are buffered. An output error does not
// stop the loop: the caller's next flush returns it.
template <class Write>
void WriteArray(JsonWriter& json, absl::string_view key, size_t size,
                Write write) {
  json.Key(key);
  json.BeginArray();
  for (size_t i = 0; i < size; ++i) {
    write(i);
    json.MaybeFlush().IgnoreError();
  }
  json.EndArray();
}

// Writes a member of the current object: an array of `size` integers.
// `number(i)` returns the i-th one. Flushes as WriteArray does.
template <class Number>
void WriteNumbers(JsonWriter& json, absl::string_view key, size_t size,
                  Number number) {
  WriteArray(json, key, size,
             [&](size_t i) { json.Int(static_cast<int64_t>(number(i))); });
}

// Write one member of the current object: a string or an integer.
inline void WriteText(JsonWriter& json, absl::string_view key,
                      absl::string_view value) {
  json.Key(key);
  json.String(value);
}
inline void WriteNumber(JsonWriter& json, absl::string_view key,
                        int64_t value) {
  json.Key(key);
  json.Int(value);
}

}  // namespace perf2x

#endif  // PERF2X_EMIT_JSON_COLUMN_H_
