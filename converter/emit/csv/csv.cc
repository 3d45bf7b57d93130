// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "converter/base/status_macros.h"
#include "converter/emit/call_path.h"
#include "converter/emit/csv/csv_tables.h"
#include "converter/emit/emitters.h"

namespace perf2x {

absl::Span<const CsvTableInfo> CsvTables() {
  static constexpr CsvTableInfo kTables[] = {
      {.name = "stat", .make = MakeCsvStat},
      {.name = "overview", .records = true, .make = MakeCsvOverview},
      {.name = "processes", .make = MakeCsvProcesses},
      {.name = "results", .stacks = true, .make = MakeCsvResults},
      {.name = "samples",
       .fields = true,
       .stacks = true,
       .make = MakeCsvSamples},
      {.name = "counters", .counters = true, .make = MakeCsvCounters},
  };
  return kTables;
}

namespace {

std::string FileOf(const CsvTableInfo& table) {
  return absl::StrCat(table.name, ".csv");
}

// Writes the selected tables in one pass.
class CsvEmitter final : public Emitter {
 public:
  CsvEmitter(const EmitterContext& context,
             std::vector<const CsvTableInfo*> wanted, bool one_file)
      : tables_(context.tables),
        outputs_(context.outputs),
        wanted_(std::move(wanted)),
        one_file_(one_file),
        paths_(context.tables),
        helpers_(context.pipeline.helpers()),
        budget_(context.budget),
        diagnostics_(context.diagnostics) {}

  EmitterRequirements requirements() const override {
    // Some threads occur only in switches.
    EmitterRequirements all = {.switches = true};
    for (const CsvTableInfo* table : wanted_) {
      all.records |= table->records;
      all.fields |= table->fields;
      all.counters |= table->counters;
    }
    return all;
  }

  absl::Status Begin(const TraceInfo& info) override {
    info_ = info;
    for (const CsvTableInfo* table : wanted_) {
      ASSIGN_OR_RETURN(auto out,
                       outputs_.Open(one_file_ ? "" : FileOf(*table)));
      made_.push_back(
          table->make({tables_, paths_, info_, helpers_, budget_, diagnostics_},
                      std::move(out)));
      stacks_ |= table->stacks;
    }
    return absl::OkStatus();
  }
  absl::Status OnSample(const Sample& sample) override {
    absl::Span<const CallSite> path;
    if (stacks_) path = paths_.PathOf(sample.stack);
    for (auto& table : made_) RETURN_IF_ERROR(table->OnSample(sample, path));
    return absl::OkStatus();
  }
  absl::Status OnRecord(const RecordEvent& record) override {
    for (auto& table : made_) RETURN_IF_ERROR(table->OnRecord(record));
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
  absl::Status OnExit(const Exit& exit) override {
    for (auto& table : made_) table->OnExit(exit);
    return absl::OkStatus();
  }
  absl::Status OnMap(const MapEvent& map) override {
    for (auto& table : made_) table->OnMap(map);
    return absl::OkStatus();
  }
  absl::Status Finish(const TraceSummary& summary) override {
    for (auto& table : made_) RETURN_IF_ERROR(table->Finish(summary));
    paths_.Report(diagnostics_);
    return absl::OkStatus();
  }

 private:
  TraceTables& tables_;
  OutputFactory& outputs_;
  const std::vector<const CsvTableInfo*> wanted_;
  const bool one_file_;
  TraceInfo info_;
  CallPaths paths_;
  const size_t helpers_;
  Budget& budget_;
  Diagnostics* const diagnostics_;
  bool stacks_ = false;
  std::vector<std::unique_ptr<CsvTable>> made_;
};

std::string TableNames(absl::string_view separator) {
  return absl::StrJoin(
      CsvTables(), separator,
      [](std::string* out, const auto& t) { out->append(t.name); });
}

absl::Span<const EmitterOption> EmitterOptions() {
  static const auto& kAll = *new std::string(TableNames(","));
  static const auto& kAny = *new std::string(TableNames("|"));
  static const EmitterOption kOptions[] = {
      {"tables", "LIST", "tables to write into the folder", kAll.c_str()},
      {"table", kAny.c_str(), "write only this table, to one file", ""},
  };
  return kOptions;
}

using Options = std::map<std::string, std::string>;

absl::StatusOr<std::vector<const CsvTableInfo*>> SelectedTables(
    const Options& options) {
  const std::string& one = options.at("table");
  const std::string& tables_given = options.at("tables");
  if (!one.empty() && tables_given != TableNames(",")) {
    return absl::InvalidArgumentError(
        "--table writes one table; leave out --tables");
  }
  const std::string& list = one.empty() ? tables_given : one;
  std::vector<const CsvTableInfo*> wanted;
  for (absl::string_view name : absl::StrSplit(list, ',')) {
    const auto tables = CsvTables();
    const auto it =
        std::find_if(tables.begin(), tables.end(),
                     [&](const CsvTableInfo& t) { return t.name == name; });
    if (it == tables.end() || (!one.empty() && name != one)) {
      return absl::InvalidArgumentError(
          absl::StrCat("no table is called \"", one.empty() ? name : one,
                       "\"; it is ", TableNames(", ")));
    }
    // The output of a table that is named twice must not be opened twice.
    if (std::find(wanted.begin(), wanted.end(), &*it) == wanted.end()) {
      wanted.push_back(&*it);
    }
  }
  return wanted;
}

absl::StatusOr<std::vector<std::string>> Members(const Options& options) {
  ASSIGN_OR_RETURN(const auto wanted, SelectedTables(options));
  std::vector<std::string> names;
  if (!options.at("table").empty()) return names;
  for (const CsvTableInfo* table : wanted) names.push_back(FileOf(*table));
  return names;
}

absl::StatusOr<std::unique_ptr<Emitter>> MakeCsv(
    const EmitterContext& context) {
  ASSIGN_OR_RETURN(auto wanted, SelectedTables(context.options));
  return std::make_unique<CsvEmitter>(context, std::move(wanted),
                                      !context.options.at("table").empty());
}

}  // namespace

EmitterInfo CsvEmitterInfo() {
  return {
      .name = "csv",
      .extension = ".csv",
      .summary = "tables for databases and spreadsheets",
      .options = EmitterOptions(),
      .is_text = true,
      .make = MakeCsv,
      .check =
          [](const auto& options) { return SelectedTables(options).status(); },
      .file_names = Members,
      .one_file_option = "table",
      .check_merge =
          [](const auto& options) {
            const std::string& table = options.at("table");
            return table == "results" || table == "stat"
                       ? absl::OkStatus()
                       : absl::InvalidArgumentError(
                             "several recordings in one csv make sense as "
                             "--table results or --table stat only");
          },
      .advice = "open it in a spreadsheet, DuckDB or SQLite"};
}

}  // namespace perf2x
