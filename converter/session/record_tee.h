// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_RECORD_TEE_H_
#define PERF2X_SESSION_RECORD_TEE_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "converter/base/block.h"
#include "converter/model/emitter.h"
#include "converter/perf/header/attr_table.h"
#include "converter/perf/records/raw_record.h"
#include "converter/session/trace_sink.h"

namespace perf2x {

// Reports records as they are (Emitter::OnRecord), with their plain fields;
// lists (callchains, registers, raw data) are only in Sample. Replayed records
// are not reported. Records that come before the trace has begun are held until
// it begins. If more than 16384 records or 4 MiB are held, the trace begins.
// Errors are the emitter's. Not thread-safe.
class RecordTee {
 public:
  // Both must outlive the tee. If `selects_samples` is set, a sample is
  // reported only by ReportHeld.
  RecordTee(const AttrTable& attrs, TraceSink& sink, bool selects_samples)
      : attrs_(attrs), sink_(sink), selects_samples_(selects_samples) {}

  // Reports the record or, if it is a sample and `selects_samples` is set,
  // holds it for ReportHeld, which `record` must outlive.
  absl::Status Observe(const RawRecord& record, std::optional<uint64_t> time);
  // Reports, once, the sample that was observed last; called if it is selected.
  absl::Status ReportHeld(std::optional<uint64_t> time) {
    const RawRecord* record = std::exchange(held_, nullptr);
    return record == nullptr ? absl::OkStatus() : Report(*record, time);
  }
  // Reports the records that came before the trace had begun.
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
  std::vector<EarlyRecord> early_;
  uint64_t early_bytes_ = 0;
  std::vector<Field> fields_;  // of the current record
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_RECORD_TEE_H_
