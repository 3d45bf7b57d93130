// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_TABLES_SAMPLE_BATCH_H_
#define PERF2X_EMIT_TABLES_SAMPLE_BATCH_H_

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "converter/emit/tables/field_copies.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Copies of events, with their fields and texts. Charges no budget: a batch has
// at most kMaxEvents events, and ends when the copies take kMaxBytes. Not
// thread-safe.
template <class Event>
class EventBatch {
 public:
  static constexpr size_t kMaxEvents = 4096;
  static constexpr size_t kMaxBytes = 1 << 20;

  bool empty() const { return events_.empty(); }
  bool full() const {
    return events_.size() >= kMaxEvents || copies_.bytes() >= kMaxBytes;
  }
  void Clear() {
    events_.clear();
    copies_.Clear();
  }

 protected:
  // Their spans have no valid pointers: copies_ move while their number grows.
  std::vector<Event> events_;
  FieldCopies copies_;
};

// A batch of samples, without branches and accesses.
class SampleBatch : public EventBatch<Sample> {
 public:
  // Adds a sample. Names of Sample::fields must be those of SampleFieldTable().
  void Add(const Sample& sample);
  // Returns the samples in the order of Add. Valid until Add or Clear.
  absl::Span<const Sample> samples();
};

// A batch of records.
class RecordBatch : public EventBatch<RecordEvent> {
 public:
  void Add(const RecordEvent& record);
  // Returns the records in the order of Add. Valid until Add or Clear.
  absl::Span<const RecordEvent> records();
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_TABLES_SAMPLE_BATCH_H_
