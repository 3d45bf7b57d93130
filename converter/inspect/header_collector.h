// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_INSPECT_HEADER_COLLECTOR_H_
#define PERF2X_INSPECT_HEADER_COLLECTOR_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "converter/base/budget.h"
#include "converter/base/diagnostics.h"
#include "converter/inspect/recording_info.h"
#include "converter/perf/records/raw_record.h"

namespace perf2x {

// Collects in a RecordingInfo what the records of a recording's header say:
// features, build ids, tracing data and recorded files. Once the budget is
// exhausted, skips further entries of lists. Not thread-safe.
class HeaderCollector {
 public:
  // All must outlive this object. `diagnostics` counts damage.
  HeaderCollector(RecordingInfo* info, Budget& budget, Diagnostics* diagnostics)
      : info_(*info),
        budget_(budget),
        memory_(budget),
        diagnostics_(*diagnostics) {}

  // Ignores records that are not of the header. Returns false if the record is
  // damaged; what it says before the damage is collected.
  bool Observe(const RawRecord& record);
  // Accounts for one more list entry with this name. If the budget is
  // exhausted, returns false, and counts the entry as skipped.
  bool HasRoomFor(absl::string_view name);
  // Adds the number of skipped entries to the diagnostics. To be called once.
  void ReportSkipped() const;

 private:
  bool ObserveTracingData(const RawRecord& record);
  bool CountDamage(bool is_whole, absl::string_view message,
                   const RawRecord& record);

  RecordingInfo& info_;
  Budget& budget_;
  Budget::Share memory_;  // of the lists
  uint64_t skipped_ = 0;  // entries of lists
  Diagnostics& diagnostics_;
};

}  // namespace perf2x

#endif  // PERF2X_INSPECT_HEADER_COLLECTOR_H_
