// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_RECORD_TEE_H_
#define PERF2X_SESSION_RECORD_TEE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "converter/base/block.h"
#include "converter/model/emitter.h"
#include "converter/perf/header/attr_table.h"
#include "converter/perf/records/raw_record.h"
#include "converter/perf/records/sample.h"
#include "converter/session/trace_sink.h"

namespace perf2x {

// Fields, in memory that is kept for the next ones. Add is a few instructions
// at each field of each record, where push_back of a vector is a call.
class FieldList {
 public:
  template <class V>
  void Add(absl::string_view name, const V& value) {
    if (size_ == fields_.size()) fields_.resize(2 * size_ + 16);
    Field& field = fields_[size_++];
    field.name = name;
    field.value = value;
  }
  void Clear() { size_ = 0; }
  // Valid until Add.
  Fields fields() const { return absl::MakeConstSpan(fields_.data(), size_); }

 private:
  std::vector<Field> fields_;  // from size_ on, memory for more
  size_t size_ = 0;
};

// Reports each record (Emitter::OnRecord) with its scalar fields, but without
// lists (callchains, registers, raw data). Does not report records that the
// reader made (RawRecord::replayed). Queues records that come before the trace
// has begun. At 16384 queued records or 4 MiB, begins the trace. Errors are the
// emitter's. Not thread-safe.
class RecordTee {
 public:
  // Both must outlive the tee. If `selects_samples` is set, a sample is
  // reported only by ReportSelected.
  RecordTee(const AttrTable& attrs, TraceSink& sink, bool selects_samples)
      : attrs_(attrs), sink_(sink), selects_samples_(selects_samples) {}

  // Reports the record. If it is a sample and `selects_samples` is set, keeps a
  // pointer to it instead: `record` must stay valid until ForgetSample.
  absl::Status Observe(const RawRecord& record, std::optional<uint64_t> time);
  // Reports the sample that Observe kept, with the time that Observe was given.
  // To be called if the sample is selected. Does nothing if there is none, or
  // if it has been reported.
  absl::Status ReportSelected() {
    const RawRecord* record = std::exchange(held_, nullptr);
    return record == nullptr ? absl::OkStatus() : Report(*record, held_time_);
  }
  // Returns true if the emitter requires records, and samples are reported only
  // by ReportSelected.
  bool waits_for_selection() const {
    return selects_samples_ && sink_.requirements().records;
  }
  // Drops the sample that Observe kept, if it was not reported.
  void ForgetSample() { held_ = nullptr; }
  // Reports the queued records. Must be called as soon as the trace has begun
  // (TraceSink::Hooks::after_begin), so that the records stay in order.
  absl::Status ReportEarly();

 private:
  struct EarlyRecord {
    RawRecord record;
    BlockRef block;
    std::optional<uint64_t> time;
  };
  absl::Status Report(const RawRecord& record, std::optional<uint64_t> time);
  absl::Status KeepEarly(const RawRecord& record, std::optional<uint64_t> time);
  void ReadFields(const RawRecord& record, RecordEvent* event);

  const AttrTable& attrs_;
  TraceSink& sink_;
  const bool selects_samples_;
  const RawRecord* held_ = nullptr;
  std::optional<uint64_t> held_time_;
  std::vector<EarlyRecord> early_;
  uint64_t early_bytes_ = 0;
  FieldList fields_;  // of the current record
  // Samples are decoded here: to clear it for each takes longer than that.
  SampleRecord sample_;
  uint32_t type_ = 0;  // of the latest record
  std::string type_name_;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_RECORD_TEE_H_
