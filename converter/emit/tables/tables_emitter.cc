// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/tables/tables_emitter.h"

#include <utility>

#include "converter/base/status_macros.h"
#include "converter/emit/tables/sample_batch.h"

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
        workers_(context.pipeline.workers()),
        functions_(context.tables, context.budget, context.diagnostics),
        paths_(context.tables, functions_, context.budget,
               /*equal_paths_share=*/writes_path_numbers),
        context_{.tables = context.tables,
                 .paths = paths_,
                 .info = info_,
                 .budget = context.budget,
                 .diagnostics = context.diagnostics} {}

  EmitterRequirements requirements() const override {
    // Some threads occur only in switches.
    EmitterRequirements all = {.switches = true};
    for (const TableInfo* table : wanted_) {
      all.records |= table->records;
      all.fields |= table->fields;
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
    for (const TableInfo* table : wanted_) {
      ASSIGN_OR_RETURN(auto sink, sinks_->Open(*table, context_));
      made_.push_back(table->make(context_, std::move(sink)));
      (table->stacks ? with_stacks_ : others_).push_back(made_.back().get());
      if (table->records) with_records_.push_back(made_.back().get());
    }
    // A batch has no accesses.
    batches_ = !with_stacks_.empty() && !requirements().accesses;
    return absl::OkStatus();
  }
  absl::Status OnSample(const Sample& sample) override {
    for (Table* table : others_) {
      RETURN_IF_ERROR(table->OnSample(sample, PathNumbers::Path()));
    }
    if (with_stacks_.empty()) return absl::OkStatus();
    if (batches_) {
      // What paths take is charged when a batch is written: that of few long
      // stacks must not wait for many samples, nor must their rows.
      constexpr size_t kManyWords = 1 << 17;
      batch_.Add(sample);
      words_of_batch_ += context_.tables.stacks.callchain_words(sample.stack);
      return batch_.full() || words_of_batch_ >= kManyWords ? WriteBatch()
                                                            : absl::OkStatus();
    }
    const PathNumbers::Path path = paths_.PathOf(sample.stack);
    for (Table* table : with_stacks_) {
      RETURN_IF_ERROR(table->OnSample(sample, path));
    }
    return absl::OkStatus();
  }
  absl::Status OnRecord(const RecordEvent& record) override {
    for (Table* table : with_records_) RETURN_IF_ERROR(table->OnRecord(record));
    return absl::OkStatus();
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
    RETURN_IF_ERROR(WriteBatch());
    for (auto& table : made_) RETURN_IF_ERROR(table->Finish(summary));
    functions_.Report();
    return absl::OkStatus();
  }

 private:
  absl::Status WriteBatch() {
    const absl::Span<const Sample> samples = batch_.samples();
    stacks_.clear();
    for (const Sample& sample : samples) stacks_.push_back(sample.stack);
    paths_.PathsOf(stacks_, workers_, &paths_of_batch_);
    for (Table* table : with_stacks_) {
      RETURN_IF_ERROR(table->OnSamples(samples, paths_of_batch_));
    }
    batch_.Clear();
    words_of_batch_ = 0;
    return absl::OkStatus();
  }

  const std::vector<const TableInfo*> wanted_;
  const std::unique_ptr<TableSinks> sinks_;
  WorkerPool& workers_;
  TraceInfo info_;
  StackFunctions functions_;
  PathNumbers paths_;
  const TableContext context_;
  std::vector<std::unique_ptr<Table>> made_;
  std::vector<Table*> with_stacks_, others_;  // by TableInfo::stacks
  std::vector<Table*> with_records_;          // TableInfo::records
  // Samples are passed to with_stacks_ in batches.
  bool batches_ = false;
  SampleBatch batch_;
  size_t words_of_batch_ = 0;    // of the samples' callchains
  std::vector<StackId> stacks_;  // of the batch
  std::vector<PathNumbers::Path> paths_of_batch_;
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
