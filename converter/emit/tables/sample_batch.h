// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_TABLES_SAMPLE_BATCH_H_
#define PERF2X_EMIT_TABLES_SAMPLE_BATCH_H_

#include <cstddef>
#include <memory_resource>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
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
  bool full() const {
    return samples_.size() >= kMaxSamples || bytes_ >= kMaxBytes;
  }
  // Returns the samples in the order of Add. Valid until Add or Clear.
  absl::Span<const Sample> samples();
  void Clear();

 private:
  // Appends copies of `fields` to fields_, with a copy of names if `names`.
  void Copy(Fields fields, bool names);
  absl::string_view Copy(absl::string_view text);

  std::vector<Sample> samples_;  // their spans have no valid pointers
  // Of each sample, its fields and then those of its tracepoint.
  std::vector<Field> fields_;
  // Of most batches, all texts are in the buffer.
  std::vector<char> text_buffer_ = std::vector<char>(64 << 10);
  std::pmr::monotonic_buffer_resource texts_{text_buffer_.data(),
                                             text_buffer_.size()};
  size_t bytes_ = 0;  // of fields_ and texts_
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_TABLES_SAMPLE_BATCH_H_
