// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_TABLES_SAMPLE_BATCH_H_
#define PERF2X_EMIT_TABLES_SAMPLE_BATCH_H_

#include <cstddef>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/emit/tables/field_copies.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Copies of samples, with their fields and texts but without branches and
// accesses. Charges no budget: a batch has at most kMaxSamples samples, and
// ends when the copies take kMaxBytes. Not thread-safe.
class SampleBatch {
 public:
  static constexpr size_t kMaxSamples = 4096;
  static constexpr size_t kMaxBytes = 1 << 20;

  // Adds a sample. Names of Sample::fields must be those of SampleFieldTable().
  void Add(const Sample& sample);
  bool empty() const { return samples_.empty(); }
  bool full() const {
    return samples_.size() >= kMaxSamples || copies_.bytes() >= kMaxBytes;
  }
  // Returns the samples in the order of Add. Valid until Add or Clear.
  absl::Span<const Sample> samples();
  void Clear();

 private:
  std::vector<Sample> samples_;  // their spans have no valid pointers
  // Of each sample, its fields and then those of its tracepoint.
  FieldCopies copies_;
};

// As SampleBatch, for records.
class RecordBatch {
 public:
  static constexpr size_t kMaxRecords = SampleBatch::kMaxSamples;
  static constexpr size_t kMaxBytes = SampleBatch::kMaxBytes;

  void Add(const RecordEvent& record);
  bool empty() const { return records_.empty(); }
  bool full() const {
    return records_.size() >= kMaxRecords || copies_.bytes() >= kMaxBytes;
  }
  absl::Span<const RecordEvent> records();
  void Clear();

 private:
  std::vector<RecordEvent> records_;
  FieldCopies copies_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_TABLES_SAMPLE_BATCH_H_
