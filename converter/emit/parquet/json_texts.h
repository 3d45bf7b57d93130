// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_PARQUET_JSON_TEXTS_H_
#define PERF2X_EMIT_PARQUET_JSON_TEXTS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "converter/base/string_table.h"
#include "converter/emit/json_fields.h"
#include "converter/model/emitter.h"

namespace perf2x {

// The JSON objects of a column. Remembers a text's id for recent fields, as the
// fields of most records are a few small numbers: to compare these takes less
// than to write and look up their text. Not thread-safe.
class JsonTexts {
 public:
  JsonTexts() : known_(kKnown) {}

  // Returns `fields` as one JSON object. Valid until the next call.
  absl::string_view TextOf(Fields fields) { return text_.TextOf(fields); }
  // Returns where the id of the text of `fields` is kept: the caller sets it if
  // it is 0. Returns null if the text of such fields is not remembered. Valid
  // until the next call.
  StringId* Find(Fields fields);
  // Forgets all ids.
  void Forget() { ++group_; }

 private:
  static constexpr size_t kKnown = 256, kKeySize = 48;
  // The names, types and values of fields; zeros at the end.
  using Key = std::array<char, kKeySize>;
  struct Known {
    uint32_t group = 0;  // valid if it is group_
    StringId text = 0;
    Key key{};
  };
  // Returns false if the key is too long, or if a value is no integer.
  static bool MakeKey(Fields fields, Key* key);
  static size_t PlaceOf(const Key& key);

  FieldsText text_;
  uint32_t group_ = 1;
  std::vector<Known> known_;  // by a hash of the key
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_PARQUET_JSON_TEXTS_H_
