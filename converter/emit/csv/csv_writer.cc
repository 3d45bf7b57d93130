// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/csv/csv_writer.h"

#include <cmath>

#include "converter/base/status_macros.h"

namespace perf2x {
namespace {

// Bytes of packed rows that are made text together.
constexpr size_t kRowsSize = 128 << 10;

}  // namespace

CsvWriter::CsvWriter(std::unique_ptr<Output> out, size_t helpers)
    : out_(std::move(out)),
      rows_("perf2x-format", helpers,
            [this](CsvRows& rows) { return out_->Write(rows.text()); }) {}

void CsvWriter::Real(double value) {
  std::isfinite(value) ? rows_.chunk().Real(value) : Empty();
}

void CsvWriter::Json(Fields fields) {
  fields.empty() ? Empty() : Text(json_.TextOf(fields));
}

absl::Status CsvWriter::EndRow() {
  CsvRows& rows = rows_.chunk();
  rows.EndRow();
  return rows.size() < kRowsSize ? absl::OkStatus() : rows_.Push();
}

absl::Status CsvWriter::Close() {
  if (rows_.chunk().size() > 0) RETURN_IF_ERROR(rows_.Push());
  RETURN_IF_ERROR(rows_.Finish());
  return out_->Close();
}

}  // namespace perf2x
