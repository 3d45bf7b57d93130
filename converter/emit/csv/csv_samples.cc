// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "converter/emit/cpu_mode_name.h"
#include "converter/emit/csv/csv_tables.h"
#include "converter/emit/event_names.h"
#include "converter/emit/left_out.h"
#include "converter/model/sample_field.h"

namespace perf2x {
namespace {

std::vector<std::string> SampleColumns() {
  std::vector<std::string> out = {
      "time",   "wall_time", "cpu",    "pid",     "tid",  "process",
      "thread", "event",     "period", "cpumode", "ip",   "function",
      "offset", "dso",       "file",   "line",    "stack"};
  for (const SampleField& field : SampleFieldTable()) out.push_back(field.name);
  out.push_back("fields");
  return out;
}

// One row for each sample, with all of its fields.
class SamplesTable final : public CsvTable {
 public:
  SamplesTable(const CsvTableContext& context, std::unique_ptr<Output> out)
      : tables_(context.tables),
        paths_(context.paths),
        wall_clock_offset_(context.info.wall_clock_offset),
        left_out_("row of table samples", context.budget, context.diagnostics),
        csv_(std::move(out), SampleColumns(), context.helpers),
        event_names_(tables_.events) {}

  absl::Status OnSample(const Sample& sample,
                        absl::Span<const CallSite> path) override {
    if (left_out_.Skips()) return absl::OkStatus();
    csv_.Optional(sample.time);
    if (sample.time.has_value() && wall_clock_offset_.has_value()) {
      csv_.Signed(static_cast<int64_t>(
          *sample.time + static_cast<uint64_t>(*wall_clock_offset_)));
    } else {
      csv_.Empty();
    }
    sample.cpu < 0 ? csv_.Empty() : csv_.Signed(sample.cpu);
    const Thread& thread = tables_.threads[sample.thread];
    csv_.Signed(thread.pid);
    csv_.Signed(thread.tid);
    csv_.Text(tables_.strings[thread.process_name]);
    csv_.Text(tables_.strings[thread.name]);
    csv_.Text(event_names_[sample.event]);
    csv_.Number(sample.period);
    csv_.Text(CpuModeName(sample.mode));
    sample.ip == 0 ? csv_.Empty() : csv_.Hex(sample.ip);
    Code(path.front());
    folded_.clear();
    paths_.AppendFolded(path, &folded_);
    csv_.Text(folded_);
    for (const SampleField& column : SampleFieldTable()) {
      const auto it =
          std::find_if(sample.fields.begin(), sample.fields.end(),
                       [&](const Field& f) { return f.name == column.name; });
      it == sample.fields.end() ? csv_.Empty() : csv_.Value(*it);
    }
    csv_.Json(sample.tracepoint);
    return csv_.EndRow();
  }

  absl::Status Finish(const TraceSummary&) override {
    left_out_.Report();
    return csv_.Close();
  }

 private:
  // Writes the cells function, offset, dso, file and line.
  void Code(const CallSite& leaf) {
    const Function& function = tables_.functions()[leaf.function];
    const Frame& frame = tables_.frames()[leaf.frame];
    const Dso& dso = tables_.dsos()[frame.dso];
    csv_.Text(tables_.strings[function.name]);
    if (dso.kind == DsoKind::kFile || dso.kind == DsoKind::kVdso) {
      csv_.Hex(frame.address);
    } else {
      csv_.Empty();
    }
    csv_.Text(dso.name);
    csv_.Text(tables_.strings[function.file]);
    leaf.line == 0 ? csv_.Empty() : csv_.Number(leaf.line);
  }

  TraceTables& tables_;
  CallPaths& paths_;
  const std::optional<int64_t> wall_clock_offset_;
  LeftOut left_out_;
  CsvWriter csv_;
  EventNames event_names_;
  std::string folded_;
};

}  // namespace

std::unique_ptr<CsvTable> MakeCsvSamples(const CsvTableContext& context,
                                         std::unique_ptr<Output> out) {
  return std::make_unique<SamplesTable>(context, std::move(out));
}

}  // namespace perf2x
