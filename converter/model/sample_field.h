// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_MODEL_SAMPLE_FIELD_H_
#define PERF2X_MODEL_SAMPLE_FIELD_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace perf2x {

// An optional field of samples. SampleFieldTable() is the only list of the
// fields in Sample::fields. The session uses it to decode fields; emitters use
// it to name, order and document them.
struct SampleField {
  // The type of the values, and how they are shown.
  enum class Kind : uint8_t {
    kNumber,   // decimal
    kHex,      // bit mask
    kAddress,  // run-time or physical address
    kText,     // one word or phrase, few distinct values
    kList,     // text with a value for each branch, register or counter
  };
  absl::string_view name;  // in CSV, pprof labels and Chrome args
  Kind kind;
  const char* unit = "";    // of numbers; "": none
  const char* option = "";  // of `perf record`, to record the field
  const char* help;         // one line, without a full stop
  // If set, the field is what the event measured (a data access, branches), not
  // where it happened.
  bool is_measurement = false;
  // If set, the field identifies the event. It is in tables (CSV), but is no
  // label or Chrome argument.
  bool is_event_id = false;
  // If set, no recording has the field: a stage computes it, see SampleTags.
  bool is_tag = false;

  // Returns true if samples can be grouped by the field.
  bool is_label() const { return kind != Kind::kList && !is_event_id; }
};

// Returns all fields in the order in which outputs have them. The table is
// static.
absl::Span<const SampleField> SampleFieldTable();

// Returns the field called `name`, or null.
const SampleField* FindSampleField(absl::string_view name);

}  // namespace perf2x

#endif  // PERF2X_MODEL_SAMPLE_FIELD_H_
