// SPDX-License-Identifier: Apache-2.0
#include "converter/base/status_macros.h"
#include "converter/emit/tables/table.h"

namespace perf2x {
namespace {

using Type = Column::Type;

// A call site and what its cells are looked up in.
struct FrameRow {
  uint32_t number;
  const TraceTables& tables;
  const CallSite& site;
  const Function& function;
  const Frame& frame;
  const Dso& dso;

  Cell Name(StringId id) const { return Cell::Text(tables.strings, id); }
};

constexpr ColumnOf<FrameRow> kFrameColumns[] = {
    {{.name = "frame", .type = Type::kNumber},
     [](const FrameRow& r) { return Cell::Number(r.number); }},
    {{.name = "function"},
     [](const FrameRow& r) { return r.Name(r.function.name); }},
    {{.name = "dso"},
     [](const FrameRow& r) { return Cell::Text(r.dso.name, r.frame.dso); }},
    {{.name = "offset", .type = Type::kHex},
     [](const FrameRow& r) {
       return IsInFile(r.dso.kind) ? Cell::Hex(r.frame.address) : Cell();
     }},
    {{.name = "file"},
     [](const FrameRow& r) { return r.Name(r.function.file); }},
    {{.name = "line", .type = Type::kNumber},
     [](const FrameRow& r) {
       return r.site.line == 0 ? Cell() : Cell::Number(r.site.line);
     }},
    {{.name = "inlined", .type = Type::kNumber},
     [](const FrameRow& r) { return Cell::Number(r.site.inlined ? 1 : 0); }},
};

// One row for each distinct call site, in the order of their numbers.
class FramesTable final : public Table {
 public:
  FramesTable(const TableContext& context, std::unique_ptr<RowSink> sink)
      : tables_(context.tables),
        numbers_(context.paths),
        sink_(std::move(sink)),
        cells_(std::size(kFrameColumns)) {
    sink_->SetColumns(ColumnsOf(kFrameColumns));
  }

  absl::Status OnSample(const Sample&, const PathNumbers::Path&) override {
    return WriteTo(static_cast<uint32_t>(numbers_.sites().size()));
  }
  absl::Status OnSamples(const SamplesWithPaths& rows) override {
    return WriteTo(rows.sites);
  }

  absl::Status Finish(const TraceSummary&) override { return sink_->Close(); }

 private:
  // Writes the sites below `end` that are not written yet.
  absl::Status WriteTo(uint32_t end) {
    for (; written_ < end; ++written_) {
      const CallSite& site = numbers_.sites()[written_];
      const Frame& frame = tables_.frames()[site.frame];
      ReadCells<kFrameColumns>(
          FrameRow{.number = written_,
                   .tables = tables_,
                   .site = site,
                   .function = tables_.functions()[site.function],
                   .frame = frame,
                   .dso = tables_.dsos()[frame.dso]},
          &cells_);
      RETURN_IF_ERROR(sink_->AddRow(cells_));
    }
    return absl::OkStatus();
  }

  const TraceTables& tables_;
  const PathNumbers& numbers_;
  const std::unique_ptr<RowSink> sink_;
  std::vector<Cell> cells_;
  uint32_t written_ = 0;
};

}  // namespace

std::unique_ptr<Table> MakeFramesTable(const TableContext& context,
                                       std::unique_ptr<RowSink> sink) {
  return std::make_unique<FramesTable>(context, std::move(sink));
}

}  // namespace perf2x
