// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/csv/csv_writer.h"

#include "converter/base/status_macros.h"

namespace perf2x {

CsvWriter::CsvWriter(std::unique_ptr<Output> out, HelperPool* helpers,
                     const PathTexts* paths)
    : out_(std::move(out)),
      rows_(
          helpers,
          [this](CsvRows& rows) { return out_->WriteBuffer(rows.text()); },
          CsvRows(paths)) {}

absl::Status CsvWriter::EndRow(CsvRow& row) {
  CsvRows& rows = rows_.chunk();
  rows.Add(row);
  return rows.full() ? rows_.Push() : absl::OkStatus();
}

absl::Status CsvWriter::Close() {
  if (!rows_.chunk().empty()) RETURN_IF_ERROR(rows_.Push());
  RETURN_IF_ERROR(rows_.Finish());
  return out_->Close();
}

}  // namespace perf2x
