// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/tables/tables_emitter.h"

#include <utility>

#include "converter/base/deferred_budget.h"
#include "converter/base/status_macros.h"
#include "converter/emit/tables/row_queue.h"

namespace perf2x {

absl::Span<const TableInfo> AllTables() {
  static constexpr TableInfo kTables[] = {
      {.name = "stat", .make = MakeStatTable},
      {.name = "overview", .records = true, .make = MakeOverviewTable},
      {.name = "processes", .make = MakeProcessesTable},
      {.name = "results", .stacks = true, .make = MakeResultsTable},
      {.name = "frames",
       .stacks = true,
       .for_path_numbers = true,
       .make = MakeFramesTable},
      {.name = "stacks",
       .stacks = true,
       .for_path_numbers = true,
       .make = MakeStacksTable},
      {.name = "samples",
       .fields = true,
       .stacks = true,
       .make = MakeSamplesTable},
      {.name = "counters", .counters = true, .make = MakeCountersTable},
      {.name = "branches",
       .branches = true,
       .on_request = true,
       .make = MakeBranchesTable},
      {.name = "cachelines",
       .accesses = true,
       .stacks = true,
       .on_request = true,
       .make = MakeCacheLinesTable},
  };
  return kTables;
}

namespace {

class TablesEmitter final : public Emitter {
 public:
  TablesEmitter(const EmitterContext& context,
                std::vector<const TableInfo*> wanted,
                std::unique_ptr<TableSinks> sinks, bool writes_path_numbers)
      : wanted_(std::move(wanted)),
        sinks_(std::move(sinks)),
        functions_(context.tables, context.budget, context.diagnostics),
        paths_(context.tables, functions_, context.budget,
               /*equal_paths_share=*/writes_path_numbers),
        context_{.tables = context.tables,
                 .paths = paths_,
                 .info = info_,
                 .budget = context.budget,
                 .diagnostics = context.diagnostics},
        row_budget_(context.budget),
        row_context_{.tables = context.tables,
                     .paths = paths_,
                     .info = info_,
                     .budget = row_budget_.budget(),
                     .diagnostics = context.diagnostics,
                     .on_row_thread = true},
        rows_(context.tables, paths_, row_budget_, context.pipeline.workers(),
              context.pipeline.helpers()->size() > 0) {}

  EmitterRequirements requirements() const override {
    // Some threads occur only in switches.
    EmitterRequirements all = {.switches = true};
    for (const TableInfo* table : wanted_) {
      all.records |= table->records;
      all.fields |= table->fields;
      all.event_ids |= table->fields;
      all.counters |= table->counters;
      all.branches |= table->branches;
      all.accesses |= table->accesses;
    }
    all.branch_stacks = all.branch_details = all.branches;
    return all;
  }

  absl::Status Begin(const TraceInfo& info) override {
    info_ = info;
    RETURN_IF_ERROR(sinks_->Begin(info_));
    for (const TableInfo* table : wanted_) RETURN_IF_ERROR(Open(*table));
    return absl::OkStatus();
  }
  absl::Status OnSample(const Sample& sample) override {
    for (Table* table : others_) {
      RETURN_IF_ERROR(table->OnSample(sample, PathNumbers::Path()));
    }
    if (rows_.has_tables_of_samples()) RETURN_IF_ERROR(rows_.Add(sample));
    if (with_accesses_.empty()) return absl::OkStatus();
    const PathNumbers::Path path = paths_.PathOf(sample.stack);
    for (Table* table : with_accesses_) {
      RETURN_IF_ERROR(table->OnSample(sample, path));
    }
    return absl::OkStatus();
  }
  absl::Status OnRecord(const RecordEvent& record) override {
    return rows_.has_tables_of_records() ? rows_.Add(record) : absl::OkStatus();
  }
  absl::Status OnCounter(const Counter& counter) override {
    for (auto& table : made_) RETURN_IF_ERROR(table->OnCounter(counter));
    return absl::OkStatus();
  }
  absl::Status OnThread(ThreadId thread, std::optional<uint64_t>) override {
    for (auto& table : made_) table->OnThread(thread);
    return absl::OkStatus();
  }
  absl::Status OnFork(const Fork& fork) override {
    for (auto& table : made_) table->OnFork(fork);
    return absl::OkStatus();
  }
  absl::Status OnExec(const Exec& exec) override {
    for (auto& table : made_) table->OnExec(exec);
    return absl::OkStatus();
  }
  absl::Status OnExit(const Exit& exit) override {
    for (auto& table : made_) table->OnExit(exit);
    return absl::OkStatus();
  }
  absl::Status OnMap(const MapEvent& map) override {
    for (auto& table : made_) table->OnMap(map);
    return absl::OkStatus();
  }
  absl::Status Finish(const TraceSummary& summary) override {
    RETURN_IF_ERROR(rows_.Finish());
    for (auto& table : made_) RETURN_IF_ERROR(table->Finish(summary));
    rows_.ChargeRest();
    functions_.Report();
    return absl::OkStatus();
  }

 private:
  absl::Status Open(const TableInfo& table) {
    // A batch has no accesses.
    const bool is_of_rows = (table.stacks && !table.accesses) || table.records;
    const TableContext& context = is_of_rows ? row_context_ : context_;
    ASSIGN_OR_RETURN(auto sink, sinks_->Open(table, context));
    made_.push_back(table.make(context, std::move(sink)));
    Table* const made = made_.back().get();
    if (table.records) rows_.AddTableOfRecords(made);
    if (table.accesses) {
      with_accesses_.push_back(made);
    } else if (table.stacks) {
      rows_.AddTableOfSamples(made);
    } else if (!table.records) {
      others_.push_back(made);
    }
    return absl::OkStatus();
  }

  const std::vector<const TableInfo*> wanted_;
  const std::unique_ptr<TableSinks> sinks_;
  TraceInfo info_;
  StackFunctions functions_;
  PathNumbers paths_;
  const TableContext context_;
  DeferredBudget row_budget_;
  const TableContext row_context_;
  std::vector<std::unique_ptr<Table>> made_;
  std::vector<Table*> with_accesses_, others_;  // that rows_ does not have
  RowQueue rows_;                               // uses the others
};

}  // namespace

std::unique_ptr<Emitter> MakeTablesEmitter(const EmitterContext& context,
                                           std::vector<const TableInfo*> tables,
                                           std::unique_ptr<TableSinks> sinks,
                                           bool writes_path_numbers) {
  return std::make_unique<TablesEmitter>(context, std::move(tables),
                                         std::move(sinks), writes_path_numbers);
}

}  // namespace perf2x
