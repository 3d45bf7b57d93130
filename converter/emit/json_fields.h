// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_JSON_FIELDS_H_
#define PERF2X_EMIT_JSON_FIELDS_H_

#include "absl/strings/string_view.h"
#include "converter/emit/json_writer.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Writes fields as members of the current object, numbers as numbers.
void WriteFields(Fields fields, JsonWriter& json);

bool HasField(Fields fields, absl::string_view name);

}  // namespace perf2x

#endif  // PERF2X_EMIT_JSON_FIELDS_H_
