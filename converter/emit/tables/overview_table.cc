// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "converter/emit/tables/table.h"

namespace perf2x {
namespace {

using Type = Column::Type;

Cell SignedUnlessUnknown(int32_t number) {
  return number == -1 ? Cell() : Cell::Signed(number);
}

constexpr ColumnOf<RecordEvent> kHeadColumns[] = {
    {{.name = "nr", .type = Type::kNumber},
     [](const RecordEvent& r) { return Cell::Number(r.index); }},
    {{.name = "type"}, [](const RecordEvent& r) { return Cell::Text(r.type); }},
    {{.name = "pid", .type = Type::kSigned},
     [](const RecordEvent& r) { return SignedUnlessUnknown(r.pid); }},
    {{.name = "tid", .type = Type::kSigned},
     [](const RecordEvent& r) { return SignedUnlessUnknown(r.tid); }},
    {{.name = "cpu", .type = Type::kSigned},
     [](const RecordEvent& r) { return SignedUnlessUnknown(r.cpu); }},
    {{.name = "time", .type = Type::kTime, .unit = "ns"},
     [](const RecordEvent& r) { return Cell::Optional(r.time); }},
    {{.name = "bytes", .type = Type::kNumber, .unit = "bytes"},
     [](const RecordEvent& r) { return Cell::Number(r.bytes); }},
};

// Fields of records that have a column of their own. Some records have `len` as
// a decimal number, others in hexadecimal.
struct FieldColumn {
  absl::string_view field;
  Column column;
  Cell (*get)(const Field& field) = Cell::FromField;
};
constexpr FieldColumn kFieldColumns[] = {
    {.field = "filename", .column = {.name = "file"}},
    {.field = "addr", .column = {.name = "address", .type = Type::kHex}},
    {.field = "len",
     .column = {.name = "size", .type = Type::kNumber, .unit = "bytes"},
     .get = Cell::DecimalFromField},
    {.field = "pgoff", .column = {.name = "offset", .type = Type::kHex}},
    {.field = "comm", .column = {.name = "name"}},
    {.field = "ppid", .column = {.name = "parent_pid", .type = Type::kSigned}},
    {.field = "ip", .column = {.name = "ip", .type = Type::kHex}},
    {.field = "period", .column = {.name = "period", .type = Type::kNumber}},
};
constexpr size_t kFirstField = std::size(kHeadColumns);
constexpr size_t kRest = kFirstField + std::size(kFieldColumns);

// Returns the number of columns if the field has no column.
size_t ColumnOfField(absl::string_view field) {
  size_t i = 0;
  while (i < std::size(kFieldColumns) && kFieldColumns[i].field != field) ++i;
  return i;
}

// One row for each record.
class OverviewTable final : public Table {
 public:
  explicit OverviewTable(std::unique_ptr<RowSink> sink)
      : sink_(std::move(sink)), cells_(kRest + 1) {
    std::vector<Column> columns = ColumnsOf(kHeadColumns);
    for (const FieldColumn& c : kFieldColumns) columns.push_back(c.column);
    columns.push_back({.name = "fields", .type = Type::kJson});
    sink_->SetColumns(columns);
  }

  // A record's trailer may repeat fields of its body; the first one counts.
  absl::Status OnRecord(const RecordEvent& record) override {
    ReadCells<kHeadColumns>(record, &cells_);
    std::fill(cells_.begin() + kFirstField, cells_.end(), Cell());
    rest_.clear();
    for (size_t i = 0; i < record.fields.size(); ++i) {
      const Field& field = record.fields[i];
      const size_t column = ColumnOf(field.name, i);
      if (column < std::size(kFieldColumns)) {
        Cell& cell = cells_[kFirstField + column];
        if (cell.kind() == Cell::Kind::kAbsent) {
          cell = kFieldColumns[column].get(field);
        }
      } else if (std::none_of(rest_.begin(), rest_.end(), [&](const Field& f) {
                   return f.name == field.name;
                 })) {
        rest_.push_back(field);
      }
    }
    cells_[kRest] = Cell::Json(rest_);
    return sink_->AddRow(cells_);
  }

  absl::Status Finish(const TraceSummary&) override { return sink_->Close(); }

 private:
  // Names that are at one place are equal.
  struct Known {
    absl::string_view name;
    size_t column = 0;
  };

  // Returns ColumnOfField(name) of the record's field `at`. Records often have
  // the fields of the one before.
  size_t ColumnOf(absl::string_view name, size_t at) {
    if (at >= known_.size()) known_.resize(at + 1);
    Known& known = known_[at];
    if (known.name.data() != name.data() || known.name.size() != name.size()) {
      known = {name, ColumnOfField(name)};
    }
    return known.column;
  }

  const std::unique_ptr<RowSink> sink_;
  std::vector<Cell> cells_;
  std::vector<Known> known_;  // by place in a record
  std::vector<Field> rest_;   // without a column of their own
};

}  // namespace

std::unique_ptr<Table> MakeOverviewTable(const TableContext&,
                                         std::unique_ptr<RowSink> sink) {
  return std::make_unique<OverviewTable>(std::move(sink));
}

}  // namespace perf2x
