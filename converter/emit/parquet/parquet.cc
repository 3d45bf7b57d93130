// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "converter/base/status_macros.h"
#include "converter/emit/emitters.h"
#include "converter/emit/origin_facts.h"
#include "converter/emit/parquet/dataset_path.h"
#include "converter/emit/parquet/parquet_writer.h"
#include "converter/emit/tables/tables_emitter.h"

namespace perf2x {
namespace {

constexpr char kExtension[] = ".parquet";
constexpr char kPartition[] = "host,date";  // the default

const TableChoice& ParquetChoice() {
  static const auto& kChoice = *new TableChoice(/*writes_path_numbers=*/true);
  return kChoice;
}

absl::Span<const EmitterOption> EmitterOptions() {
  static const auto& kOptions = *[] {
    const auto shared = ParquetChoice().options();
    auto* options =
        new std::vector<EmitterOption>(shared.begin(), shared.end());
    options->push_back({"dataset", "DIR",
                        "add the recording to a dataset, which many may write",
                        ""});
    options->push_back({"partition", "LIST",
                        "folders of a dataset: host, date, NAME=VALUE",
                        kPartition});
    return options;
  }();
  return kOptions;
}

// Writes the recording's id before each row. Fails if a column has the name of
// a folder.
class WithRecording final : public RowSink {
 public:
  WithRecording(std::unique_ptr<RowSink> sink, const DatasetPath& folders,
                absl::string_view id)
      : sink_(std::move(sink)),
        folders_(folders),
        cells_(1, Cell::Text(id, 0)) {}

  void SetColumns(absl::Span<const Column> columns) override {
    std::vector<Column> all(1, {.name = "recording"});
    all.insert(all.end(), columns.begin(), columns.end());
    for (const Column& column : all) {
      names_.Update(folders_.CheckColumn(column.name));
    }
    sink_->SetColumns(all);
  }
  void PrefetchFor(size_t column, const Cell& cell) override {
    sink_->PrefetchFor(column + 1, cell);
  }
  absl::Status AddRow(absl::Span<const Cell> cells) override {
    RETURN_IF_ERROR(names_);
    cells_.resize(1);
    cells_.insert(cells_.end(), cells.begin(), cells.end());
    return sink_->AddRow(cells_);
  }
  absl::Status Close() override {
    RETURN_IF_ERROR(names_);
    return sink_->Close();
  }

 private:
  const std::unique_ptr<RowSink> sink_;
  const DatasetPath& folders_;
  absl::Status names_;  // of all columns
  std::vector<Cell> cells_;
};

class NoRows final : public RowSink {
 public:
  void SetColumns(absl::Span<const Column>) override {}
  absl::Status AddRow(absl::Span<const Cell>) override {
    return absl::OkStatus();
  }
  absl::Status Close() override { return absl::OkStatus(); }
};

// Returns what is known of the recording as the metadata of a file.
ParquetWriter::Facts FactsOf(const TraceInfo& info) {
  ParquetWriter::Facts facts;
  const auto add = [&facts](const char* key, const std::string& value) {
    if (!value.empty()) facts.emplace_back(key, value);
  };
  ForEachOriginFact(info, add);
  add("clock", info.clock);
  return facts;
}

class ParquetSinks final : public TableSinks {
 public:
  // Without `dataset`, the files are those of one folder.
  ParquetSinks(const EmitterContext& context,
               std::optional<DatasetPath> dataset)
      : context_(context),
        dataset_(std::move(dataset)),
        queue_(context.pipeline.helpers()),
        queue_of_row_thread_(context.pipeline.helpers()) {}

  absl::StatusOr<std::unique_ptr<RowSink>> Open(
      const TableInfo& table, const TableContext& of_table) override {
    const TraceInfo& info = of_table.info;
    const std::string name = dataset_.has_value()
                                 ? dataset_->FileOf(table.name, info)
                             : TableChoice::IsOneFile(context_.options)
                                 ? ""
                                 : absl::StrCat(table.name, kExtension);
    ASSIGN_OR_RETURN(auto out, context_.outputs.OpenFor(name, of_table.budget));
    auto writer = std::make_unique<ParquetWriter>(
        std::move(out), of_table.on_row_thread ? queue_of_row_thread_ : queue_,
        of_table.budget, FactsOf(info));
    if (!dataset_.has_value()) return writer;
    return std::make_unique<WithRecording>(std::move(writer), *dataset_,
                                           info.recording_id);
  }

 private:
  const EmitterContext context_;
  const std::optional<DatasetPath> dataset_;
  ChunkQueue queue_, queue_of_row_thread_;
};

using Options = TableChoice::Options;

bool IsForDataset(const Options& options) {
  return !options.at("dataset").empty();
}

// Returns nothing if the files are not for a dataset. Fails with an error of
// usage.
absl::StatusOr<std::optional<DatasetPath>> DatasetOf(const Options& options) {
  if (!IsForDataset(options)) {
    if (options.at("partition") == kPartition) return std::nullopt;
    return absl::InvalidArgumentError(
        "--partition is about the folder that --dataset names");
  }
  if (TableChoice::IsOneFile(options)) {
    return absl::InvalidArgumentError(
        "--dataset writes a folder; use --tables, not --table");
  }
  ASSIGN_OR_RETURN(DatasetPath path,
                   DatasetPath::Parse(options.at("partition")));
  return path;
}

// Fails if a folder of `dataset` has the name of a column that one of `tables`
// has whatever the recording, as a trace without events shows.
absl::Status CheckColumns(const DatasetPath& dataset,
                          const std::vector<const TableInfo*>& tables) {
  TraceTables trace;
  StackFunctions functions(trace, Budget::Unlimited(), nullptr);
  const PathNumbers paths(trace, functions, Budget::Unlimited(),
                          /*equal_paths_share=*/true);
  const TraceInfo info;
  const TableContext context{.tables = trace,
                             .paths = paths,
                             .info = info,
                             .budget = Budget::Unlimited(),
                             .diagnostics = nullptr};
  for (const TableInfo* table : tables) {
    const std::unique_ptr<Table> made = table->make(
        context, std::make_unique<WithRecording>(std::make_unique<NoRows>(),
                                                 dataset, /*id=*/""));
    RETURN_IF_ERROR(made->Finish(TraceSummary()));
  }
  return absl::OkStatus();
}

absl::Status Check(const Options& options) {
  ASSIGN_OR_RETURN(const auto dataset, DatasetOf(options));
  ASSIGN_OR_RETURN(const auto tables, ParquetChoice().Selected(options));
  return dataset.has_value() ? CheckColumns(*dataset, tables)
                             : absl::OkStatus();
}

// The files of a dataset have names that the recording determines; those here
// stand for them.
absl::StatusOr<std::vector<std::string>> Files(const Options& options) {
  return ParquetChoice().Files(
      options,
      absl::StrCat(IsForDataset(options) ? "/RECORDING" : "", kExtension));
}

absl::Status CheckMerge(const Options& options) {
  if (IsForDataset(options)) {
    return absl::InvalidArgumentError(
        "--dataset takes several recordings as they are; leave out --merge");
  }
  return TableChoice::CheckMerge(options, "parquet");
}

absl::StatusOr<std::unique_ptr<Emitter>> MakeParquet(
    const EmitterContext& context) {
  ASSIGN_OR_RETURN(auto wanted, ParquetChoice().Selected(context.options));
  ASSIGN_OR_RETURN(auto dataset, DatasetOf(context.options));
  return MakeTablesEmitter(
      context, std::move(wanted),
      std::make_unique<ParquetSinks>(context, std::move(dataset)),
      /*writes_path_numbers=*/true);
}

}  // namespace

EmitterInfo ParquetEmitterInfo() {
  return {.name = "parquet",
          .extension = kExtension,
          .summary = "the same tables in columns, for DuckDB and ClickHouse",
          .options = EmitterOptions(),
          .make = MakeParquet,
          .check = Check,
          .file_names = Files,
          .one_file_option = "table",
          .dataset_option = "dataset",
          .check_merge = CheckMerge,
          .advice = "open it in DuckDB"};
}

}  // namespace perf2x
