// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_JSON_FIELDS_H_
#define PERF2X_EMIT_JSON_FIELDS_H_

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "converter/base/output.h"
#include "converter/emit/json_writer.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Writes each field as a member of the current object: its name and its value.
void WriteFields(Fields fields, JsonWriter& json);

// Converts fields to JSON text. Reuses one buffer. Not thread-safe.
class FieldsText {
 public:
  FieldsText() : out_(MakeStringOutput(&text_)), json_(*out_) {}

  // Returns `fields` as one JSON object; "{}" if there are none. Valid until
  // the next call.
  absl::string_view TextOf(Fields fields);

 private:
  std::string text_;
  const std::unique_ptr<Output> out_;
  JsonWriter json_;
};

// Returns true if one of `fields` is called `name`.
bool HasField(Fields fields, absl::string_view name);

// Collects the names of fields for a member that must not have the name of any:
// the member's name, with as many "_" as it needs.
class FreeKey {
 public:
  // `wanted` must outlive this.
  explicit FreeKey(absl::string_view wanted) : wanted_(wanted) {}
  void Avoid(absl::string_view name) {
    if (!absl::ConsumePrefix(&name, wanted_)) return;
    if (name.find_first_not_of('_') != name.npos) return;
    underscores_ = std::max(underscores_, name.size() + 1);
  }
  std::string Text() const {
    return absl::StrCat(wanted_, std::string(underscores_, '_'));
  }

 private:
  const absl::string_view wanted_;
  size_t underscores_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_JSON_FIELDS_H_
