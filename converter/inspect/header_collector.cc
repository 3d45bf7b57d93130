// SPDX-License-Identifier: Apache-2.0
#include "converter/inspect/header_collector.h"

#include <string>
#include <utility>

#include "converter/base/byte_reader.h"
#include "converter/perf/header/recorded_files.h"
#include "converter/perf/records/user_records.h"

namespace perf2x {

bool HeaderCollector::HasRoomFor(absl::string_view name) {
  // Estimates that include the text of the entry's line in a table.
  constexpr uint64_t kOfEntry = 1024, kOfLetter = 4;
  if (budget_.exhausted()) {
    ++skipped_;
    return false;
  }
  memory_.Set(memory_.held() + kOfEntry + kOfLetter * name.size());
  return true;
}

bool HeaderCollector::CountDamage(bool is_whole, absl::string_view message,
                                  const RawRecord& record) {
  if (!is_whole) {
    diagnostics_.Add(Diagnostics::Severity::kDamage, message, record.offset);
  }
  return is_whole;
}

bool HeaderCollector::Observe(const RawRecord& record) {
  bool is_whole = CountDamage(info_.features.Observe(record, budget_),
                              "header feature is cut short", record);
  const bool has_all_ids = ForEachBuildId(record, [&](const auto& entry) {
    if (!HasRoomFor(entry.filename)) return;
    info_.build_ids.push_back(
        {entry.pid, entry.misc, entry.build_id, std::string(entry.filename)});
  });
  is_whole &= CountDamage(has_all_ids, "build ids are cut short", record);
  const bool has_all_files = ForEachRecordedFile(record, [&](const auto& file) {
    if (!HasRoomFor(file.path)) return;
    info_.recorded_files.push_back(
        {std::string(file.path), file.type, file.symbol_count});
  });
  is_whole &=
      CountDamage(has_all_files, "list of functions is cut short", record);
  return is_whole & ObserveTracingData(record);
}

bool HeaderCollector::ObserveTracingData(const RawRecord& record) {
  absl::Span<const uint8_t> data = record.payload;
  if (record.type == kRecordHeaderFeature) {
    ByteReader in(record.body, record.order);
    if (in.U64() != kFeatureTracingData) return true;
    data = in.Rest();
  } else if (record.type != kRecordHeaderTracingData) {
    return true;
  }
  TracingDataSummary summary;
  const bool is_whole = ReadTracingDataSummary(data, &summary);
  info_.tracing = std::move(summary);
  return CountDamage(is_whole, "tracing data are cut short", record);
}

void HeaderCollector::ReportSkipped() const {
  CountSkippedForBudget("entry of a list", budget_.exhausted_name(), skipped_,
                        &diagnostics_);
}

}  // namespace perf2x
