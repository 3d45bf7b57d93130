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

// Writes fields as members of the current object, numbers as numbers.
void WriteFields(Fields fields, JsonWriter& json);

// Writes fields as a JSON object, many times. Not thread-safe.
class FieldsText {
 public:
  FieldsText() : out_(MakeStringOutput(&text_)), json_(*out_) {}

  // Valid until the next call.
  absl::string_view TextOf(Fields fields);

 private:
  std::string text_;
  const std::unique_ptr<Output> out_;
  JsonWriter json_;
};

bool HasField(Fields fields, absl::string_view name);

}  // namespace perf2x

#endif  // PERF2X_EMIT_JSON_FIELDS_H_
