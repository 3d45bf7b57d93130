// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "converter/emit/tables/table.h"

namespace perf2x {
namespace {

// A path's number and those of its sites, from the root to the leaf.
struct StackRow {
  PathNumbers::Path path;
  absl::Span<const uint32_t> sites;
};

constexpr ColumnOf<StackRow> kStackColumns[] = {
    {{.name = "stack", .type = Column::Type::kPath},
     [](const StackRow& r) { return Cell::Path(r.path); }},
    {{.name = "frames", .type = Column::Type::kSites},
     [](const StackRow& r) { return Cell::Sites(r.sites); }},
};

// One row for each distinct call path, in the order of their numbers.
class StacksTable final : public Table {
 public:
  StacksTable(const TableContext& context, std::unique_ptr<RowSink> sink)
      : numbers_(context.paths),
        sink_(std::move(sink)),
        cells_(std::size(kStackColumns)) {
    sink_->SetColumns(ColumnsOf(kStackColumns));
  }

  absl::Status OnSample(const Sample&, const PathNumbers::Path& path) override {
    if (path.number < written_) return absl::OkStatus();
    ++written_;
    const absl::Span<const uint32_t> sites = numbers_.SitesOf(path.number);
    sites_.assign(sites.rbegin(), sites.rend());
    ReadCells<kStackColumns>(StackRow{path, sites_}, &cells_);
    return sink_->AddRow(cells_);
  }

  absl::Status Finish(const TraceSummary&) override { return sink_->Close(); }

 private:
  const PathNumbers& numbers_;
  const std::unique_ptr<RowSink> sink_;
  std::vector<Cell> cells_;
  std::vector<uint32_t> sites_;
  uint32_t written_ = 0;
};

}  // namespace

std::unique_ptr<Table> MakeStacksTable(const TableContext& context,
                                       std::unique_ptr<RowSink> sink) {
  return std::make_unique<StacksTable>(context, std::move(sink));
}

}  // namespace perf2x
