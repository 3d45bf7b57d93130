// SPDX-License-Identifier: Apache-2.0
#include "converter/base/prefetch.h"
#include "converter/base/status_macros.h"
#include "converter/emit/cpu_mode_name.h"
#include "converter/emit/event_names.h"
#include "converter/emit/skip_counter.h"
#include "converter/emit/tables/sample_columns.h"
#include "converter/emit/tables/table.h"
#include "converter/model/sample_field.h"
#include "converter/model/tag_fields.h"

namespace perf2x {
namespace {

using Type = Column::Type;

// The names of events that are assigned.
struct AssignedNames {
  const EventNames& names;
  const std::string& operator[](EventId event) const {
    return names.Assigned(event);
  }
};

// A sample and what its cells are looked up in.
struct SampleRow {
  const Sample& sample;
  const TraceTables& tables;
  const Thread& thread;
  AssignedNames names;
  std::optional<int64_t> wall_clock_offset;
  const PathNumbers::Path& path;
  const CallSite& leaf;
  const Function& function;
  const Frame& frame;
  const Dso& dso;

  Cell Name(StringId id) const { return Cell::Text(tables.strings, id); }
};

constexpr ColumnOf<SampleRow> kSampleColumns[] = {
    kTimeColumn<SampleRow>,
    {{.name = "wall_time", .type = Type::kWallTime, .unit = "ns"},
     [](const SampleRow& r) {
       if (!r.sample.time.has_value() || !r.wall_clock_offset.has_value()) {
         return Cell();
       }
       return Cell::Signed(static_cast<int64_t>(
           *r.sample.time + static_cast<uint64_t>(*r.wall_clock_offset)));
     }},
    kCpuColumn<SampleRow>,
    kPidColumn<SampleRow>,
    kTidColumn<SampleRow>,
    kProcessColumn<SampleRow>,
    kThreadColumn<SampleRow>,
    kEventColumn<SampleRow>,
    {{.name = "period", .type = Type::kNumber},
     [](const SampleRow& r) { return Cell::Number(r.sample.period); }},
    {{.name = "cpumode"},
     [](const SampleRow& r) {
       return Cell::Text(CpuModeName(r.sample.mode),
                         static_cast<uint32_t>(r.sample.mode));
     }},
    {{.name = "ip", .type = Type::kHex},
     [](const SampleRow& r) {
       return r.sample.ip == 0 ? Cell() : Cell::Hex(r.sample.ip);
     }},
    {{.name = "function"},
     [](const SampleRow& r) { return r.Name(r.function.name); }},
    {{.name = "offset", .type = Type::kHex},
     [](const SampleRow& r) {
       return IsInFile(r.dso.kind) ? Cell::Hex(r.frame.address) : Cell();
     }},
    {{.name = "dso"},
     [](const SampleRow& r) { return Cell::Text(r.dso.name, r.frame.dso); }},
    {{.name = "file"},
     [](const SampleRow& r) { return r.Name(r.function.file); }},
    {{.name = "line", .type = Type::kNumber},
     [](const SampleRow& r) {
       return r.leaf.line == 0 ? Cell() : Cell::Number(r.leaf.line);
     }},
    {{.name = "stack", .type = Type::kPath},
     [](const SampleRow& r) { return Cell::Path(r.path); }},
};

constexpr size_t ColumnNamed(absl::string_view name) {
  size_t i = 0;
  while (kSampleColumns[i].column.name != name) ++i;
  return i;
}
constexpr size_t kFunctionColumn = ColumnNamed("function"),
                 kFileColumn = ColumnNamed("file"),
                 kStackColumn = ColumnNamed("stack");

Type TypeOf(SampleField::Kind kind) {
  switch (kind) {
    case SampleField::Kind::kNumber:
      return Type::kNumber;
    case SampleField::Kind::kHex:
    case SampleField::Kind::kAddress:
      return Type::kHex;
    case SampleField::Kind::kText:
    case SampleField::Kind::kList:
      return Type::kText;
  }
  return Type::kText;
}

// One row for each sample, with all of its fields.
class SamplesTable final : public Table {
 public:
  SamplesTable(const TableContext& context, std::unique_ptr<RowSink> sink)
      : tables_(context.tables),
        wall_clock_offset_(context.info.wall_clock_offset),
        skip_counter_("row of table samples", context.budget,
                      context.diagnostics),
        sink_(std::move(sink)),
        event_names_(tables_.events) {
    std::vector<Column> columns = ColumnsOf(kSampleColumns);
    for (const SampleField& field : SampleFieldTable()) {
      columns.push_back(
          {.name = field.name, .type = TypeOf(field.kind), .unit = field.unit});
    }
    columns.push_back({.name = "fields", .type = Type::kJson});
    sink_->SetColumns(columns);
    cells_.resize(columns.size());
  }

  void OnNewEvent(EventId event) override { event_names_.Assign(event); }
  absl::Status OnSample(const Sample& sample,
                        const PathNumbers::Path& path) override {
    if (skip_counter_.CountIfExhausted()) return absl::OkStatus();
    const CallSite& leaf = *path.leaf;
    const Frame& frame = tables_.frames()[leaf.frame];
    ReadCells<kSampleColumns>(
        SampleRow{.sample = sample,
                  .tables = tables_,
                  .thread = tables_.threads[sample.thread],
                  .names = {event_names_},
                  .wall_clock_offset = wall_clock_offset_,
                  .path = path,
                  .leaf = leaf,
                  .function = tables_.functions()[leaf.function],
                  .frame = frame,
                  .dso = tables_.dsos()[frame.dso]},
        &cells_);
    ReadFields(sample);
    return sink_->AddRow(cells_);
  }

  // What a row is looked up in may be anywhere in memory.
  absl::Status OnSamples(const SamplesWithPaths& rows) override {
    const auto& [samples, paths, sites] = rows;
    constexpr size_t kFarAhead = 24, kAhead = 12, kNear = 4;
    for (size_t i = 0; i < samples.size(); ++i) {
      if (i + kFarAhead < samples.size()) {
        Prefetch(paths[i + kFarAhead].leaf);
        Prefetch(&samples[i + kFarAhead]);
      }
      if (i + kAhead < samples.size()) {
        const CallSite& leaf = *paths[i + kAhead].leaf;
        Prefetch(&tables_.frames()[leaf.frame]);
        Prefetch(&tables_.functions()[leaf.function]);
        Prefetch(&tables_.threads[samples[i + kAhead].thread]);
        sink_->PrefetchFor(kStackColumn, Cell::Path(paths[i + kAhead]));
      }
      if (i + kNear < samples.size()) {
        const Function& function =
            tables_.functions()[paths[i + kNear].leaf->function];
        sink_->PrefetchFor(kFunctionColumn,
                           Cell::Text(tables_.strings, function.name));
        sink_->PrefetchFor(kFileColumn,
                           Cell::Text(tables_.strings, function.file));
      }
      RETURN_IF_ERROR(OnSample(samples[i], paths[i]));
    }
    return absl::OkStatus();
  }

  absl::Status Finish(const TraceSummary&) override {
    skip_counter_.Report();
    return sink_->Close();
  }

 private:
  // A field of the latest row. Names that are at one place are equal.
  struct Known {
    const char* name;
    size_t column;
  };

  void ReadFields(const Sample& sample) {
    const TagFields tags(tables_, sample.tags);
    if (!ReadKnownFields(sample.fields, tags.fields())) {
      ReadOtherFields(sample.fields, tags.fields());
    }
    cells_.back() = Cell::Json(sample.tracepoint);
  }
  // Most samples have the fields of the one before. Returns false if this one
  // has others.
  bool ReadKnownFields(Fields fields, Fields tag_fields) {
    if (fields.size() != known_.size() || !tag_fields.empty()) return false;
    for (size_t i = 0; i < fields.size(); ++i) {
      if (fields[i].name.data() != known_[i].name) return false;
      cells_[known_[i].column].SetToField(fields[i]);
    }
    return true;
  }
  // The sample has its fields and its tags in the order of the table.
  void ReadOtherFields(Fields fields, Fields tag_fields) {
    known_.clear();
    size_t column = std::size(kSampleColumns);
    for (const SampleField& field : SampleFieldTable()) {
      Fields& from = field.is_tag ? tag_fields : fields;
      const bool has = !from.empty() && from.front().name == field.name;
      cells_[column] = Cell();
      if (has) {
        cells_[column].SetToField(from.front());
        const char* const name = from.front().name.data();
        known_.push_back({name == field.name.data() ? name : nullptr, column});
        from.remove_prefix(1);
      }
      ++column;
    }
  }

  TraceTables& tables_;
  const std::optional<int64_t> wall_clock_offset_;
  SkipCounter skip_counter_;
  const std::unique_ptr<RowSink> sink_;
  EventNames event_names_;
  std::vector<Cell> cells_;
  std::vector<Known> known_;  // the fields and tags of the latest row
};

}  // namespace

std::unique_ptr<Table> MakeSamplesTable(const TableContext& context,
                                        std::unique_ptr<RowSink> sink) {
  return std::make_unique<SamplesTable>(context, std::move(sink));
}

}  // namespace perf2x
