// SPDX-License-Identifier: Apache-2.0
#include "converter/base/diagnostics.h"
#include "converter/base/status_macros.h"
#include "converter/emit/tables/table.h"

namespace perf2x {
namespace {

using StatRow = TraceSummary::RecordCount;

constexpr ColumnOf<StatRow> kStatColumns[] = {
    {{.name = "type"}, [](const StatRow& r) { return Cell::Text(r.type); }},
    {{.name = "records", .type = Column::Type::kNumber},
     [](const StatRow& r) { return Cell::Number(r.records); }},
    {{.name = "bytes", .type = Column::Type::kNumber, .unit = "bytes"},
     [](const StatRow& r) { return Cell::Number(r.bytes); }},
};

// One row for each type of record in the input.
class StatTable final : public Table {
 public:
  StatTable(std::unique_ptr<RowSink> sink, Diagnostics* diagnostics)
      : sink_(std::move(sink)), diagnostics_(diagnostics) {
    sink_->SetColumns(ColumnsOf(kStatColumns));
  }

  absl::Status Finish(const TraceSummary& summary) override {
    if (summary.records.empty() && diagnostics_ != nullptr) {
      diagnostics_->Add(
          Diagnostics::Severity::kNote,
          "table stat has no rows: no records were read; profiles "
          "have none, nor has a merge with a profile or a pipe");
    }
    std::vector<Cell> cells(std::size(kStatColumns));
    for (const StatRow& row : summary.records) {
      ReadCells<kStatColumns>(row, &cells);
      RETURN_IF_ERROR(sink_->AddRow(cells));
    }
    return sink_->Close();
  }

 private:
  const std::unique_ptr<RowSink> sink_;
  Diagnostics* const diagnostics_;  // may be null
};

}  // namespace

std::unique_ptr<Table> MakeStatTable(const TableContext& context,
                                     std::unique_ptr<RowSink> sink) {
  return std::make_unique<StatTable>(std::move(sink), context.diagnostics);
}

}  // namespace perf2x
