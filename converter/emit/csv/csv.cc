// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "converter/base/status_macros.h"
#include "converter/emit/csv/cell_texts.h"
#include "converter/emit/csv/csv_writer.h"
#include "converter/emit/csv/path_texts.h"
#include "converter/emit/emitters.h"
#include "converter/emit/json_fields.h"
#include "converter/emit/tables/tables_emitter.h"

namespace perf2x {
namespace {

const TableChoice& Choice() {
  static const auto& kChoice = *new TableChoice(/*writes_path_numbers=*/false);
  return kChoice;
}

// A call path is the names of its functions.
class CsvSink final : public RowSink {
 public:
  CsvSink(std::unique_ptr<Output> out, const TableContext& context,
          HelperPool* helpers)
      : paths_(context.tables, context.paths, context.budget),
        texts_(context.budget),
        diagnostics_(context.diagnostics),
        csv_(std::move(out), helpers, &paths_) {}

  void SetColumns(absl::Span<const Column> columns) override {
    CsvRow header = csv_.NewRow(columns.size());
    for (const Column& column : columns) header.Text(column.name);
    csv_.EndRow(header).IgnoreError();  // the next rows return it, too
  }
  void PrefetchFor(size_t, const Cell& cell) override {
    if (cell.kind() == Cell::Kind::kPath) {
      paths_.PrefetchText(static_cast<uint32_t>(cell.number()));
    } else if (cell.kind() == Cell::Kind::kText) {
      texts_.PrefetchText(cell);
    }
  }
  absl::Status AddRow(absl::Span<const Cell> cells) override {
    CsvRow row = csv_.NewRow(cells.size());
    uint32_t empty = 0;  // cells before the next
    for (size_t column = 0; column < cells.size(); ++column) {
      if (IsEmpty(cells[column])) {
        ++empty;
        continue;
      }
      if (empty > 0) row.Empty(std::exchange(empty, 0));
      Add(column, cells[column], row);
    }
    if (empty > 0) row.Empty(empty);
    return csv_.EndRow(row);
  }
  absl::Status Close() override {
    paths_.Report(diagnostics_);
    return csv_.Close();
  }

 private:
  static bool IsEmpty(const Cell& cell) {
    return cell.kind() == Cell::Kind::kAbsent ||
           cell.kind() == Cell::Kind::kSites ||
           (cell.kind() == Cell::Kind::kJson && cell.fields().empty());
  }
  void Add(size_t column, const Cell& cell, CsvRow& row) {
    switch (cell.kind()) {
      case Cell::Kind::kAbsent:
      case Cell::Kind::kSites:
        return row.Empty(1);
      case Cell::Kind::kNumber:
        return row.Number(cell.number());
      case Cell::Kind::kSigned:
        return row.Signed(static_cast<int64_t>(cell.number()));
      case Cell::Kind::kHex:
        return row.Hex(cell.number());
      case Cell::Kind::kShare:
        return row.Share(cell.real());
      case Cell::Kind::kReal:
        return row.Real(cell.real());
      case Cell::Kind::kText:
        return cell.key() == kNoId ? row.Text(cell.text())
                                   : row.Csv(texts_.TextOf(column, cell));
      case Cell::Kind::kJson:
        return row.Text(json_.TextOf(cell.fields()));
      case Cell::Kind::kPath:
        return row.Path(paths_.TextOf(static_cast<uint32_t>(cell.number())));
    }
  }

  PathTexts paths_;
  CellTexts texts_;
  FieldsText json_;
  Diagnostics* const diagnostics_;
  CsvWriter csv_;  // refers to texts of the others
};

class CsvSinks final : public TableSinks {
 public:
  // For `helpers` see CsvWriter.
  CsvSinks(OutputFactory& outputs, bool one_file, HelperPool* helpers)
      : outputs_(outputs), one_file_(one_file), helpers_(helpers) {}

  absl::StatusOr<std::unique_ptr<RowSink>> Open(
      const TableInfo& table, const TableContext& context) override {
    ASSIGN_OR_RETURN(
        auto out,
        outputs_.OpenFor(one_file_ ? "" : absl::StrCat(table.name, ".csv"),
                         context.budget));
    return std::make_unique<CsvSink>(std::move(out), context, helpers_);
  }

 private:
  OutputFactory& outputs_;
  const bool one_file_;
  HelperPool* const helpers_;
};

absl::StatusOr<std::unique_ptr<Emitter>> MakeCsv(
    const EmitterContext& context) {
  ASSIGN_OR_RETURN(auto wanted, Choice().Selected(context.options));
  return MakeTablesEmitter(
      context, std::move(wanted),
      std::make_unique<CsvSinks>(context.outputs,
                                 TableChoice::IsOneFile(context.options),
                                 context.pipeline.helpers()),
      /*writes_path_numbers=*/false);
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
