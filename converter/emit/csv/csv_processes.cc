// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "converter/base/saturating_add.h"
#include "converter/base/status_macros.h"
#include "converter/emit/csv/csv_tables.h"
#include "converter/emit/event_names.h"

namespace perf2x {
namespace {

// One row for each process: a pid from its fork, or its first appearance, until
// its exit.
class ProcessesTable final : public CsvTable {
 public:
  ProcessesTable(const CsvTableContext& context, std::unique_ptr<Output> out)
      : tables_(context.tables),
        budget_(context.budget),
        memory_(context.budget),
        diagnostics_(context.diagnostics),
        out_(std::move(out)) {}

  absl::Status OnSample(const Sample& sample,
                        absl::Span<const CallSite>) override {
    Total& total = totals_[{RowOf(sample.thread), sample.event}];
    total.samples += sample.count;
    total.period = SaturatingAdd(total.period, sample.period);
    if (totals_.size() >= accounted_ + kAccountAt) {
      accounted_ = totals_.size();
      memory_.Set(accounted_ * kOfTotal);
    }
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
    }
    Row& row = RowFor(fork.child);
    row.parent_pid = parent.pid;
    row.fork_time = fork.time;
  }
  void OnExit(const Exit& exit) override {
    const Thread& thread = tables_.threads[exit.thread];
    if (thread.pid == thread.tid) RowFor(exit.thread).exit_time = exit.time;
  }
  void OnMap(const MapEvent& map) override {
    if (map.thread != kNoId) ++RowFor(map.thread).mappings;
  }

  absl::Status Finish(const TraceSummary&) override {
    CsvWriter csv(std::move(out_), Columns());
    // Most processes have samples of few events.
    std::vector<std::pair<std::pair<uint32_t, EventId>, Total>> totals(
        totals_.begin(), totals_.end());
    std::sort(totals.begin(), totals.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    auto total = totals.begin();
    for (uint32_t i = 0; i < rows_.size(); ++i) {
      if (budget_.exhausted()) {
        CountSkippedForBudget("row of table processes",
                              budget_.exhausted_name(), rows_.size() - i,
                              diagnostics_);
        break;
      }
      const Row& row = rows_[i];
      csv.Signed(row.pid);
      row.parent_pid.has_value() ? csv.Signed(*row.parent_pid) : csv.Empty();
      csv.Text(tables_.strings[row.name]);
      csv.Number(row.mappings);
      csv.Optional(row.fork_time);
      csv.Optional(row.exit_time);
      EventId event = 0;
      for (; total != totals.end() && total->first.first == i; ++total) {
        csv.Zeros(2 * (total->first.second - event));
        csv.Number(total->second.samples);
        csv.Number(total->second.period);
        event = total->first.second + 1;
      }
      csv.Zeros(2 * (tables_.events.size() - event));
      RETURN_IF_ERROR(csv.EndRow());
    }
    return csv.Close();
  }

 private:
  // Bytes of memory that a total takes, with its copy in Finish, and the number
  // of new totals after which memory_ is updated.
  static constexpr size_t kOfTotal = 96, kAccountAt = 1024;

  struct Total {
    uint64_t samples = 0, period = 0;
  };
  struct Row {
    int32_t pid = 0;
    StringId name = 0;
    uint64_t mappings = 0;
    std::optional<int32_t> parent_pid;
    std::optional<uint64_t> fork_time, exit_time;
  };

  std::vector<std::string> Columns() const {
    std::vector<std::string> out = {"pid",      "parent_pid", "name",
                                    "mappings", "fork_time",  "exit_time"};
    for (const std::string& name : DistinctEventNames(tables_.events)) {
      out.push_back(absl::StrCat(name, "_samples"));
      out.push_back(absl::StrCat(name, "_period"));
    }
    return out;
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
  size_t accounted_ = 0;  // totals
  Diagnostics* const diagnostics_;
  std::unique_ptr<Output> out_;
  absl::flat_hash_map<int32_t, uint32_t> current_;  // row by pid
  std::vector<Row> rows_;
  // By row and event, only for pairs with samples: events may be added until
  // the end, and most processes have samples of few events.
  absl::flat_hash_map<std::pair<uint32_t, EventId>, Total> totals_;
};

}  // namespace

std::unique_ptr<CsvTable> MakeCsvProcesses(const CsvTableContext& context,
                                           std::unique_ptr<Output> out) {
  return std::make_unique<ProcessesTable>(context, std::move(out));
}

}  // namespace perf2x
