// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "converter/emit/tables/table.h"

namespace perf2x {
namespace {

using Type = Column::Type;

Cell SignedUnlessUnknown(int32_t number) {
  return number == -1 ? Cell() : Cell::Signed(number);
}

// The numbers of perf's types are small enough to be keys.
Cell TypeCell(const RecordEvent& record) {
  constexpr uint32_t kMaxKey = 255;
  return record.type_number <= kMaxKey
             ? Cell::Text(record.type, record.type_number)
             : Cell::Text(record.type);
}

constexpr ColumnOf<RecordEvent> kHeadColumns[] = {
    {{.name = "nr", .type = Type::kNumber},
     [](const RecordEvent& r) { return Cell::Number(r.index); }},
    {{.name = "type"}, TypeCell},
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
  void (Cell::*set)(const Field& field) = &Cell::SetToField;
};
constexpr FieldColumn kFieldColumns[] = {
    {.field = "filename", .column = {.name = "file"}},
    {.field = "addr", .column = {.name = "address", .type = Type::kHex}},
    {.field = "len",
     .column = {.name = "size", .type = Type::kNumber, .unit = "bytes"},
     .set = &Cell::SetToDecimalField},
    {.field = "pgoff", .column = {.name = "offset", .type = Type::kHex}},
    {.field = "comm", .column = {.name = "name"}},
    {.field = "ppid", .column = {.name = "parent_pid", .type = Type::kSigned}},
    {.field = "ip", .column = {.name = "ip", .type = Type::kHex}},
    {.field = "period", .column = {.name = "period", .type = Type::kNumber}},
};
constexpr size_t kFirstField = std::size(kHeadColumns);
constexpr size_t kRest = kFirstField + std::size(kFieldColumns);

// Where the fields of a record go.
class FieldPlaces {
 public:
  static constexpr size_t kInJson = std::size(kFieldColumns),
                          kNowhere = kInJson + 1;

  // Finds the places of `fields`. Returns false if they are those of the latest
  // call, as of most records of one type. Names, which are static, are known by
  // where they are.
  bool SetTo(Fields fields) {
    const auto is_name_of = [](const Known& known, const Field& field) {
      return known.name.data() == field.name.data() &&
             known.name.size() == field.name.size();
    };
    if (std::equal(known_.begin(), known_.end(), fields.begin(), fields.end(),
                   is_name_of)) {
      return false;
    }
    known_.clear();
    in_json_ = 0;
    for (const Field& field : fields) {
      known_.push_back({field.name, PlaceOf(field.name)});
      if (known_.back().place == kInJson) ++in_json_;
    }
    return true;
  }
  // Returns an index of kFieldColumns, kInJson or kNowhere.
  size_t operator[](size_t field) const { return known_[field].place; }
  size_t in_json() const { return in_json_; }  // the number of fields there

 private:
  struct Known {
    absl::string_view name;
    size_t place = 0;
  };

  // A record's trailer may repeat fields of its body; the first one counts.
  size_t PlaceOf(absl::string_view name) const {
    if (std::any_of(known_.begin(), known_.end(),
                    [&](const Known& known) { return known.name == name; })) {
      return kNowhere;
    }
    size_t i = 0;
    while (i < std::size(kFieldColumns) && kFieldColumns[i].field != name) ++i;
    return i;
  }

  std::vector<Known> known_;  // by place in the record
  size_t in_json_ = 0;
};

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

  absl::Status OnRecord(const RecordEvent& record) override {
    ReadCells<kHeadColumns>(record, &cells_);
    ReadFields(record);
    cells_[kRest] = Cell::Json(rest_);
    return sink_->AddRow(cells_);
  }

  absl::Status Finish(const TraceSummary&) override { return sink_->Close(); }

 private:
  void ReadFields(const RecordEvent& record) {
    FieldPlaces& places = places_[record.type_number % places_.size()];
    if (places.SetTo(record.fields) || &places != latest_) {
      std::fill(cells_.begin() + kFirstField, cells_.end(), Cell());
      latest_ = &places;
    }
    rest_.resize(places.in_json());
    auto rest = rest_.begin();
    for (size_t i = 0; i < record.fields.size(); ++i) {
      const Field& field = record.fields[i];
      const size_t place = places[i];
      if (place < std::size(kFieldColumns)) {
        (cells_[kFirstField + place].*kFieldColumns[place].set)(field);
      } else if (place == FieldPlaces::kInJson) {
        *rest++ = field;
      }
    }
  }

  const std::unique_ptr<RowSink> sink_;
  std::vector<Cell> cells_;
  std::array<FieldPlaces, 64> places_;   // by type of record
  const FieldPlaces* latest_ = nullptr;  // of the row before
  std::vector<Field> rest_;              // without a column of their own
};

}  // namespace

std::unique_ptr<Table> MakeOverviewTable(const TableContext&,
                                         std::unique_ptr<RowSink> sink) {
  return std::make_unique<OverviewTable>(std::move(sink));
}

}  // namespace perf2x
