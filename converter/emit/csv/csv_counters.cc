// SPDX-License-Identifier: Apache-2.0
#include "converter/base/status_macros.h"
#include "converter/emit/csv/csv_tables.h"
#include "converter/emit/event_names.h"

namespace perf2x {
namespace {

const std::string kCounterColumns[] = {"time",  "since",   "cpu",    "pid",
                                       "tid",   "process", "thread", "event",
                                       "value", "unit"};

// One row for each value that was read from a counter: by `perf stat record`,
// READ records or samples with readings.
class CountersTable final : public CsvTable {
 public:
  CountersTable(const CsvTableContext& context, std::unique_ptr<Output> out)
      : tables_(context.tables),
        csv_(std::move(out), kCounterColumns),
        event_names_(tables_.events) {}

  absl::Status OnCounter(const Counter& counter) override {
    csv_.Optional(counter.time);
    csv_.Optional(counter.since);
    counter.cpu < 0 ? csv_.Empty() : csv_.Signed(counter.cpu);
    if (counter.thread == kNoId) {
      for (int i = 0; i < 4; ++i) csv_.Empty();
    } else {
      const Thread& thread = tables_.threads[counter.thread];
      csv_.Signed(thread.pid);
      csv_.Signed(thread.tid);
      csv_.Text(tables_.strings[thread.process_name]);
      csv_.Text(tables_.strings[thread.name]);
    }
    const Event& event = tables_.events[counter.event];
    csv_.Text(event_names_[counter.event]);
    csv_.Real(counter.value);
    csv_.Text(event.counter_unit.empty() ? event.unit : event.counter_unit);
    return csv_.EndRow();
  }

  absl::Status Finish(const TraceSummary&) override { return csv_.Close(); }

 private:
  const TraceTables& tables_;
  CsvWriter csv_;
  EventNames event_names_;
};

}  // namespace

std::unique_ptr<CsvTable> MakeCsvCounters(const CsvTableContext& context,
                                          std::unique_ptr<Output> out) {
  return std::make_unique<CountersTable>(context, std::move(out));
}

}  // namespace perf2x
