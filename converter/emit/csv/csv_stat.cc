// SPDX-License-Identifier: Apache-2.0
#include "converter/base/status_macros.h"
#include "converter/emit/csv/csv_tables.h"

namespace perf2x {
namespace {

const std::string kStatColumns[] = {"type", "records", "bytes"};

// One row for each type of record in the input.
class StatTable final : public CsvTable {
 public:
  explicit StatTable(std::unique_ptr<Output> out)
      : csv_(std::move(out), kStatColumns) {}

  absl::Status Finish(const TraceSummary& summary) override {
    for (const auto& count : summary.records) {
      csv_.Text(count.type);
      csv_.Number(count.records);
      csv_.Number(count.bytes);
      RETURN_IF_ERROR(csv_.EndRow());
    }
    return csv_.Close();
  }

 private:
  CsvWriter csv_;
};

}  // namespace

std::unique_ptr<CsvTable> MakeCsvStat(const CsvTableContext&,
                                      std::unique_ptr<Output> out) {
  return std::make_unique<StatTable>(std::move(out));
}

}  // namespace perf2x
