// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/tables/sample_batch.h"

namespace perf2x {

void SampleBatch::Add(const Sample& sample) {
  events_.push_back(sample);
  events_.back().branches = {};
  events_.back().access = nullptr;
  copies_.Add(sample.fields, /*names=*/false);
  copies_.Add(sample.tracepoint, /*names=*/true);
}

absl::Span<const Sample> SampleBatch::samples() {
  const Field* next = copies_.fields().data();
  for (Sample& sample : events_) {
    sample.fields = {next, sample.fields.size()};
    next += sample.fields.size();
    sample.tracepoint = {next, sample.tracepoint.size()};
    next += sample.tracepoint.size();
  }
  return events_;
}

// Most records have the type of the one before.
void RecordBatch::Add(const RecordEvent& record) {
  const bool has_type_before =
      !events_.empty() && events_.back().type_number == record.type_number;
  const absl::string_view type =
      has_type_before ? events_.back().type : copies_.Copy(record.type);
  events_.push_back(record);
  events_.back().type = type;
  copies_.Add(record.fields, /*names=*/false);
}

absl::Span<const RecordEvent> RecordBatch::records() {
  const Field* next = copies_.fields().data();
  for (RecordEvent& record : events_) {
    record.fields = {next, record.fields.size()};
    next += record.fields.size();
  }
  return events_;
}

}  // namespace perf2x
