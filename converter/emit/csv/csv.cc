// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "converter/base/status_macros.h"
#include "converter/emit/csv/csv_writer.h"
#include "converter/emit/emitters.h"
#include "converter/emit/tables/tables_emitter.h"

namespace perf2x {
namespace {

const TableChoice& Choice() {
  static const auto& kChoice = *new TableChoice(/*has_path_numbers=*/false);
  return kChoice;
}

// A call path is the names of its functions.
class CsvSink final : public RowSink {
 public:
  CsvSink(std::unique_ptr<Output> out, CallPaths& paths, size_t helpers)
      : csv_(std::move(out), helpers), paths_(paths) {}

  void SetColumns(absl::Span<const Column> columns) override {
    for (const Column& column : columns) csv_.Text(column.name);
    csv_.EndHeader();
  }
  absl::Status AddRow(absl::Span<const Cell> cells) override {
    for (const Cell& cell : cells) Add(cell);
    return csv_.EndRow();
  }
  absl::Status Close() override { return csv_.Close(); }

 private:
  void Add(const Cell& cell) {
    switch (cell.kind()) {
      case Cell::Kind::kAbsent:
      case Cell::Kind::kSites:
        return csv_.Empty();
      case Cell::Kind::kNumber:
        return csv_.Number(cell.number());
      case Cell::Kind::kSigned:
        return csv_.Signed(static_cast<int64_t>(cell.number()));
      case Cell::Kind::kHex:
        return csv_.Hex(cell.number());
      case Cell::Kind::kShare:
        return csv_.Share(cell.real());
      case Cell::Kind::kReal:
        return csv_.Real(cell.real());
      case Cell::Kind::kText:
        return csv_.Text(cell.text());
      case Cell::Kind::kJson:
        return csv_.Json(cell.fields());
      case Cell::Kind::kPath:
        folded_.clear();
        paths_.AppendFolded(cell.path(), &folded_);
        return csv_.Text(folded_);
    }
  }

  CsvWriter csv_;
  CallPaths& paths_;
  std::string folded_;
};

class CsvSinks final : public TableSinks {
 public:
  // For `helpers` see CsvWriter.
  CsvSinks(OutputFactory& outputs, bool one_file, size_t helpers)
      : outputs_(outputs), one_file_(one_file), helpers_(helpers) {}

  absl::StatusOr<std::unique_ptr<RowSink>> Open(
      const TableInfo& table, const TableContext& context) override {
    ASSIGN_OR_RETURN(
        auto out,
        outputs_.Open(one_file_ ? "" : absl::StrCat(table.name, ".csv")));
    return std::make_unique<CsvSink>(std::move(out), context.paths, helpers_);
  }

 private:
  OutputFactory& outputs_;
  const bool one_file_;
  const size_t helpers_;
};

absl::StatusOr<std::unique_ptr<Emitter>> MakeCsv(
    const EmitterContext& context) {
  ASSIGN_OR_RETURN(auto wanted, Choice().Selected(context.options));
  return MakeTablesEmitter(
      context, std::move(wanted),
      std::make_unique<CsvSinks>(context.outputs,
                                 TableChoice::IsOneFile(context.options),
                                 context.pipeline.helpers()),
      /*has_path_numbers=*/false);
}

}  // namespace

EmitterInfo CsvEmitterInfo() {
  return {
      .name = "csv",
      .extension = ".csv",
      .summary = "tables for databases and spreadsheets",
      .options = Choice().options(),
      .is_text = true,
      .make = MakeCsv,
      .check =
          [](const auto& options) {
            return Choice().Selected(options).status();
          },
      .file_names =
          [](const auto& options) { return Choice().Files(options, ".csv"); },
      .one_file_option = "table",
      .check_merge =
          [](const auto& options) {
            return TableChoice::CheckMerge(options, "csv");
          },
      .advice = "open it in a spreadsheet, DuckDB or SQLite"};
}

}  // namespace perf2x
