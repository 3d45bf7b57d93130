// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "converter/base/saturating_add.h"
#include "converter/base/status_macros.h"
#include "converter/emit/event_names.h"
#include "converter/emit/tables/table.h"

namespace perf2x {
namespace {

using Type = Column::Type;

struct Row {
  int32_t pid = 0;
  StringId name = 0;
  uint64_t mappings = 0;
  std::optional<int32_t> parent_pid;
  std::optional<uint64_t> fork_time, exit_time;
};

// A row and what its cells are looked up in.
struct ProcessRow {
  const Row& row;
  const TraceTables& tables;
};

constexpr ColumnOf<ProcessRow> kProcessColumns[] = {
    {{.name = "pid", .type = Type::kSigned},
     [](const ProcessRow& r) { return Cell::Signed(r.row.pid); }},
    {{.name = "parent_pid", .type = Type::kSigned},
     [](const ProcessRow& r) {
       return r.row.parent_pid.has_value() ? Cell::Signed(*r.row.parent_pid)
                                           : Cell();
     }},
    {{.name = "name"},
     [](const ProcessRow& r) {
       return Cell::Text(r.tables.strings, r.row.name);
     }},
    {{.name = "mappings", .type = Type::kNumber},
     [](const ProcessRow& r) { return Cell::Number(r.row.mappings); }},
    {{.name = "fork_time", .type = Type::kTime, .unit = "ns"},
     [](const ProcessRow& r) { return Cell::Optional(r.row.fork_time); }},
    {{.name = "exit_time", .type = Type::kTime, .unit = "ns"},
     [](const ProcessRow& r) { return Cell::Optional(r.row.exit_time); }},
};

// One row for each process: a pid from its fork, or its first appearance, until
// its exit.
class ProcessesTable final : public Table {
 public:
  ProcessesTable(const TableContext& context, std::unique_ptr<RowSink> sink)
      : tables_(context.tables),
        budget_(context.budget),
        memory_(context.budget),
        diagnostics_(context.diagnostics),
        sink_(std::move(sink)) {}

  absl::Status OnSample(const Sample& sample,
                        const PathNumbers::Path&) override {
    Total& total = TotalOf(sample.thread, sample.event);
    total.samples = SaturatingAdd(total.samples, sample.count);
    total.period = SaturatingAdd(total.period, sample.period);
    return absl::OkStatus();
  }
  void OnThread(ThreadId thread) override {
    Row& row = RowFor(thread);
    // A child that has the pid of an exited process is announced before its
    // fork.
    if (row.exit_time.has_value()) return;
    row.name = tables_.threads[thread].process_name;
  }
  void OnFork(const Fork& fork) override {
    const Thread& parent = tables_.threads[fork.parent];
    const Thread& child = tables_.threads[fork.child];
    if (parent.pid == child.pid) return;  // a new thread
    auto it = current_.find(child.pid);
    if (it != current_.end() && rows_[it->second].exit_time.has_value()) {
      current_.erase(it);  // the pid is reused
      ++reuses_;
    }
    Row& row = RowFor(fork.child);
    row.parent_pid = parent.pid;
    row.fork_time = fork.time;
  }
  // If a thread calls exec, its process's main thread exits before; the process
  // does not.
  void OnExec(const Exec& exec) override {
    Row& row = RowFor(exec.thread);
    row.exit_time.reset();
    row.name = tables_.threads[exec.thread].process_name;
  }
  void OnExit(const Exit& exit) override {
    const Thread& thread = tables_.threads[exit.thread];
    if (thread.pid == thread.tid) RowFor(exit.thread).exit_time = exit.time;
  }
  void OnMap(const MapEvent& map) override {
    if (map.thread != kNoId) ++RowFor(map.thread).mappings;
  }

  absl::Status Finish(const TraceSummary&) override {
    const std::vector<std::string> names = EventColumns();
    std::vector<Column> columns = ColumnsOf(kProcessColumns);
    for (const std::string& name : names) {
      columns.push_back({.name = name, .type = Type::kNumber});
    }
    sink_->SetColumns(columns);
    std::vector<Cell> cells(columns.size());
    // Most processes have samples of few events.
    std::sort(totals_.begin(), totals_.end(),
              [](const Total& a, const Total& b) {
                return std::pair(a.row, a.event) < std::pair(b.row, b.event);
              });
    auto total = totals_.begin();
    for (uint32_t i = 0; i < rows_.size(); ++i) {
      if (budget_.exhausted()) {
        CountSkippedForBudget("row of table processes",
                              budget_.exhausted_name(), rows_.size() - i,
                              diagnostics_);
        break;
      }
      ReadCells<kProcessColumns>(ProcessRow{rows_[i], tables_}, &cells);
      std::fill(cells.begin() + std::size(kProcessColumns), cells.end(),
                Cell::Number(0));
      for (; total != totals_.end() && total->row == i; ++total) {
        Cell* cell = &cells[std::size(kProcessColumns) + 2 * total->event];
        cell[0] = Cell::Number(total->samples);
        cell[1] = Cell::Number(total->period);
      }
      RETURN_IF_ERROR(sink_->AddRow(cells));
    }
    return sink_->Close();
  }

 private:
  // Bytes of memory that a total takes, and the number of new totals after
  // which memory_ is updated.
  static constexpr size_t kOfTotal = 96, kAccountAt = 1024;

  // The sums of a process's samples of an event.
  struct Total {
    uint32_t row;
    EventId event;
    uint64_t samples = 0, period = 0;
  };
  // Where the latest sample of a thread was added.
  struct Latest {
    uint32_t reuses;  // then
    EventId event = kNoId;
    uint32_t total;
  };
  // The names of the columns for each event.
  std::vector<std::string> EventColumns() const {
    std::vector<std::string> out;
    for (const std::string& name : DistinctEventNames(tables_.events)) {
      out.push_back(absl::StrCat(name, "_samples"));
      out.push_back(absl::StrCat(name, "_period"));
    }
    return out;
  }

  Total& TotalOf(ThreadId thread, EventId event) {
    if (thread >= latest_.size()) latest_.resize(thread + 1);
    Latest& latest = latest_[thread];
    if (latest.event != event || latest.reuses != reuses_) {
      const uint32_t row = RowOf(thread);
      const auto [it, inserted] = total_at_.try_emplace(
          {row, event}, static_cast<uint32_t>(totals_.size()));
      if (inserted) {
        totals_.push_back({row, event});
        if (totals_.size() % kAccountAt == 0) {
          memory_.Set(totals_.size() * kOfTotal);
        }
      }
      latest = {reuses_, event, it->second};
    }
    return totals_[latest.total];
  }

  // The row of the process that a thread belongs to.
  Row& RowFor(ThreadId thread) { return rows_[RowOf(thread)]; }
  uint32_t RowOf(ThreadId thread) {
    const int32_t pid = tables_.threads[thread].pid;
    auto [it, inserted] =
        current_.try_emplace(pid, static_cast<uint32_t>(rows_.size()));
    if (inserted) {
      rows_.emplace_back();
      rows_.back().pid = pid;
      rows_.back().name = tables_.threads[thread].process_name;
    }
    return it->second;
  }

  TraceTables& tables_;
  Budget& budget_;
  Budget::Share memory_;  // of the totals
  Diagnostics* const diagnostics_;
  const std::unique_ptr<RowSink> sink_;
  absl::flat_hash_map<int32_t, uint32_t> current_;  // row by pid
  uint32_t reuses_ = 0;                             // of pids in current_
  std::vector<Row> rows_;
  // Only for pairs of rows and events with samples: events may be added until
  // the end, and most processes have samples of few events.
  std::vector<Total> totals_;
  absl::flat_hash_map<std::pair<uint32_t, EventId>, uint32_t> total_at_;
  std::vector<Latest> latest_;  // by ThreadId
};

}  // namespace

std::unique_ptr<Table> MakeProcessesTable(const TableContext& context,
                                          std::unique_ptr<RowSink> sink) {
  return std::make_unique<ProcessesTable>(context, std::move(sink));
}

}  // namespace perf2x
