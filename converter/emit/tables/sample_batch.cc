// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/tables/sample_batch.h"

namespace perf2x {

void SampleBatch::Add(const Sample& sample) {
  samples_.push_back(sample);
  samples_.back().branches = {};
  samples_.back().access = nullptr;
  copies_.Add(sample.fields, /*names=*/false);
  copies_.Add(sample.tracepoint, /*names=*/true);
}

// The copies move while their number grows, so the spans are set here.
absl::Span<const Sample> SampleBatch::samples() {
  const Field* next = copies_.fields().data();
  for (Sample& sample : samples_) {
    sample.fields = {next, sample.fields.size()};
    next += sample.fields.size();
    sample.tracepoint = {next, sample.tracepoint.size()};
    next += sample.tracepoint.size();
  }
  return samples_;
}

void SampleBatch::Clear() {
  samples_.clear();
  copies_.Clear();
}

// Most records have the type of the one before.
void RecordBatch::Add(const RecordEvent& record) {
  const absl::string_view type_before =
      records_.empty() ? absl::string_view() : records_.back().type;
  RecordEvent& copy = records_.emplace_back(record);
  copy.type =
      record.type == type_before ? type_before : copies_.Copy(record.type);
  copies_.Add(record.fields, /*names=*/false);
}

absl::Span<const RecordEvent> RecordBatch::records() {
  const Field* next = copies_.fields().data();
  for (RecordEvent& record : records_) {
    record.fields = {next, record.fields.size()};
    next += record.fields.size();
  }
  return records_;
}

void RecordBatch::Clear() {
  records_.clear();
  copies_.Clear();
}

}  // namespace perf2x
