// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/event_names.h"
#include "converter/emit/tables/table.h"

namespace perf2x {
namespace {

using Type = Column::Type;

// A value of a counter and what its cells are looked up in.
struct CounterRow {
  const Counter& counter;
  const TraceTables& tables;
  const Thread* thread;  // null: of a CPU
  EventNames& names;

  const Event& event() const { return tables.events[counter.event]; }
  Cell Name(StringId id) const { return Cell::Text(tables.strings, id); }
};

constexpr ColumnOf<CounterRow> kCounterColumns[] = {
    {{.name = "time", .type = Type::kTime, .unit = "ns"},
     [](const CounterRow& r) { return Cell::Optional(r.counter.time); }},
    {{.name = "since", .type = Type::kTime, .unit = "ns"},
     [](const CounterRow& r) { return Cell::Optional(r.counter.since); }},
    {{.name = "cpu", .type = Type::kSigned},
     [](const CounterRow& r) {
       return r.counter.cpu < 0 ? Cell() : Cell::Signed(r.counter.cpu);
     }},
    {{.name = "pid", .type = Type::kSigned},
     [](const CounterRow& r) {
       return r.thread == nullptr ? Cell() : Cell::Signed(r.thread->pid);
     }},
    {{.name = "tid", .type = Type::kSigned},
     [](const CounterRow& r) {
       return r.thread == nullptr ? Cell() : Cell::Signed(r.thread->tid);
     }},
    {{.name = "process"},
     [](const CounterRow& r) {
       return r.thread == nullptr ? Cell() : r.Name(r.thread->process_name);
     }},
    {{.name = "thread"},
     [](const CounterRow& r) {
       return r.thread == nullptr ? Cell() : r.Name(r.thread->name);
     }},
    {{.name = "event"},
     [](const CounterRow& r) {
       return Cell::Text(r.names[r.counter.event], r.counter.event);
     }},
    {{.name = "value", .type = Type::kReal},
     [](const CounterRow& r) { return Cell::Real(r.counter.value); }},
    {{.name = "unit"},
     [](const CounterRow& r) {
       const Event& event = r.event();
       return Cell::Text(event.counter_unit.empty() ? event.unit
                                                    : event.counter_unit);
     }},
};

// One row for each value that was read from a counter: by `perf stat record`,
// READ records or samples with readings.
class CountersTable final : public Table {
 public:
  CountersTable(const TableContext& context, std::unique_ptr<RowSink> sink)
      : tables_(context.tables),
        sink_(std::move(sink)),
        event_names_(tables_.events),
        cells_(std::size(kCounterColumns)) {
    sink_->SetColumns(ColumnsOf(kCounterColumns));
  }

  absl::Status OnCounter(const Counter& counter) override {
    const Thread* thread =
        counter.thread == kNoId ? nullptr : &tables_.threads[counter.thread];
    ReadCells<kCounterColumns>(
        CounterRow{counter, tables_, thread, event_names_}, &cells_);
    return sink_->AddRow(cells_);
  }

  absl::Status Finish(const TraceSummary&) override { return sink_->Close(); }

 private:
  const TraceTables& tables_;
  const std::unique_ptr<RowSink> sink_;
  EventNames event_names_;
  std::vector<Cell> cells_;
};

}  // namespace

std::unique_ptr<Table> MakeCountersTable(const TableContext& context,
                                         std::unique_ptr<RowSink> sink) {
  return std::make_unique<CountersTable>(context, std::move(sink));
}

}  // namespace perf2x
