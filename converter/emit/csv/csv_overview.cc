// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "converter/emit/csv/csv_tables.h"

namespace perf2x {
namespace {

// Fields of records that have a column of their own.
struct FieldColumn {
  const char* field;
  const char* column;
  // Writes all values in decimal: some records have the field as a decimal
  // number, others in hexadecimal.
  bool decimal = false;
};
constexpr FieldColumn kFieldColumns[] = {
    {"filename", "file"}, {"addr", "address"},  {"len", "size", true},
    {"pgoff", "offset"},  {"comm", "name"},     {"ppid", "parent_pid"},
    {"ip", "ip"},         {"period", "period"},
};

std::vector<std::string> OverviewColumns() {
  std::vector<std::string> out = {"nr",  "type", "pid",  "tid",
                                  "cpu", "time", "bytes"};
  for (const FieldColumn& c : kFieldColumns) out.push_back(c.column);
  out.push_back("fields");
  return out;
}

bool Contains(const std::vector<Field>& fields, absl::string_view name) {
  return std::any_of(fields.begin(), fields.end(),
                     [&](const Field& f) { return f.name == name; });
}

// One row for each record.
class OverviewTable final : public CsvTable {
 public:
  OverviewTable(std::unique_ptr<Output> out, size_t helpers)
      : csv_(std::move(out), OverviewColumns(), helpers) {}

  absl::Status OnRecord(const RecordEvent& record) override {
    csv_.Number(record.index);
    csv_.Text(record.type);
    NumberUnlessUnknown(record.pid);
    NumberUnlessUnknown(record.tid);
    NumberUnlessUnknown(record.cpu);
    csv_.Optional(record.time);
    csv_.Number(record.bytes);
    for (const FieldColumn& column : kFieldColumns) {
      const auto it =
          std::find_if(record.fields.begin(), record.fields.end(),
                       [&](const Field& f) { return f.name == column.field; });
      if (it == record.fields.end()) {
        csv_.Empty();
      } else if (const auto* hex = std::get_if<Field::Hex>(&it->value);
                 hex != nullptr && column.decimal) {
        csv_.Number(hex->value);
      } else {
        csv_.Value(*it);
      }
    }
    // A record's trailer may repeat fields of its body; the first one counts.
    rest_.clear();
    for (const Field& field : record.fields) {
      const bool has_column = std::any_of(
          std::begin(kFieldColumns), std::end(kFieldColumns),
          [&](const FieldColumn& c) { return field.name == c.field; });
      if (!has_column && !Contains(rest_, field.name)) rest_.push_back(field);
    }
    csv_.Json(rest_);
    return csv_.EndRow();
  }

  absl::Status Finish(const TraceSummary&) override { return csv_.Close(); }

 private:
  void NumberUnlessUnknown(int32_t number) {
    number == -1 ? csv_.Empty() : csv_.Signed(number);
  }

  CsvWriter csv_;
  std::vector<Field> rest_;
};

}  // namespace

std::unique_ptr<CsvTable> MakeCsvOverview(const CsvTableContext& context,
                                          std::unique_ptr<Output> out) {
  return std::make_unique<OverviewTable>(std::move(out), context.helpers);
}

}  // namespace perf2x
