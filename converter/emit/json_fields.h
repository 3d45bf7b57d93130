// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_JSON_FIELDS_H_
#define PERF2X_EMIT_JSON_FIELDS_H_

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
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

}  // namespace perf2x

#endif  // PERF2X_EMIT_JSON_FIELDS_H_
