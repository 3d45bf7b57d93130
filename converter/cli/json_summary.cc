// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/json_summary.h"

#include "converter/cli/report.h"
#include "converter/inspect/info_value.h"

namespace perf2x {
namespace {

constexpr absl::string_view kSchema = "perf2x-summary-1";

InfoValue EventsOf(const ConvertReport& report) {
  InfoValue::List list;
  for (const auto& event : report.events) {
    InfoValue entry;
    entry["name"] = event.name;
    entry["unit"] = event.unit;
    entry["samples"] = event.samples;
    entry["period"] = event.period;
    entry["left_out"] = event.filtered;
    if (list.size() < report.facts.events.size()) {
      const auto& counted = report.facts.events[list.size()].counted;
      entry["time_enabled"] = counted.enabled;
      entry["time_running"] = counted.running;
    }
    list.push_back(std::move(entry));
  }
  return list;
}

InfoValue BytesOf(const ByteAccount& bytes) {
  InfoValue out;
  out["data"] = bytes.data;
  out["records"] = bytes.record_bytes;
  out["decompressed"] = bytes.decompressed;
  out["damaged"] = bytes.damaged;
  return out;
}

InfoValue ProblemsOf(const Diagnostics& diagnostics) {
  InfoValue::List list;
  for (const auto& [what, from] : diagnostics.entries()) {
    InfoValue entry;
    entry["severity"] = from.severity == Diagnostics::Severity::kNote ? "note"
                        : from.severity == Diagnostics::Severity::kSkipped
                            ? "skipped"
                            : "damage";
    entry["what"] = what;
    entry["count"] = from.count;
    entry["bytes"] = from.bytes;
    entry["first_offset"] = from.first_offset;
    list.push_back(std::move(entry));
  }
  return list;
}

InfoValue StacksOf(const ConvertReport& report) {
  const StackCounts& stacks = report.stacks;
  InfoValue out;
  out["user"] = stacks.user;
  out["without_callers"] = stacks.without_callers;
  out["mostly_unmapped"] = stacks.mostly_unmapped;
  out["callers"] = stacks.callers;
  out["unmapped_callers"] = stacks.unmapped_callers;
  out["kernel"] = stacks.kernel;
  out["has_kernel_map"] = report.facts.has_kernel_map;
  out["dump_size"] = report.facts.dump_size;
  out["unwound"] = report.facts.unwound_stacks;
  out["cut"] = report.facts.incomplete_dumps;
  return out;
}

InfoValue FindingsOf(const std::vector<Finding>& findings) {
  InfoValue::List list;
  for (const Finding& finding : findings) {
    InfoValue entry;
    entry["finding"] = finding.id;
    entry["message"] = finding.message;
    entry["next_step"] = finding.next_step;
    list.push_back(std::move(entry));
  }
  return list;
}

InfoValue SymbolsOf(const ConvertReport& report) {
  const std::vector<DsoReport>& files = report.symbols;
  uint64_t named = 0, unsymbolized_count = 0;
  for (const DsoReport& file : files) {
    named += file.symbolized_count;
    unsymbolized_count += file.unsymbolized_count;
  }
  InfoValue out;
  out["named"] = named;
  out["not_named"] = unsymbolized_count;
  out["samples"] = report.unsymbolized_samples;
  out["files"] = SymbolReportList(files);
  return out;
}

}  // namespace

std::string JsonSummary(absl::string_view format, absl::string_view merged_into,
                        const std::vector<InputResult>& results) {
  uint64_t converted = 0;
  InfoValue::List inputs;
  for (const InputResult& result : results) {
    const ConvertReport& report = result.report;
    converted += result.status.ok() ? 1 : 0;
    InfoValue entry;
    entry["input"] = result.input;
    if (!result.output.empty() && result.status.ok()) {
      entry["output"] = result.output;
    }
    entry["converted"] = result.status.ok();
    if (!result.status.ok()) {
      entry["error"] = absl::string_view(result.status.message());
    }
    entry["warning"] = WarningText(report);
    entry["events"] = EventsOf(report);
    entry["lost_records"] = report.lost_records;
    entry["lost_samples"] = report.lost_samples;
    entry["dropped_samples"] = report.dropped_samples;
    entry["late_records"] = report.out_of_order_records;
    entry["bytes"] = BytesOf(report.bytes);
    entry["stacks"] = StacksOf(report);
    entry["findings"] = FindingsOf(report.findings);
    entry["problems"] = ProblemsOf(report.diagnostics);
    entry["symbols"] = SymbolsOf(report);
    inputs.push_back(std::move(entry));
  }
  InfoValue all;
  all["schema"] = kSchema;
  all["version"] = PERF2X_VERSION;
  all["format"] = format;
  if (!merged_into.empty()) all["output"] = merged_into;
  all["converted"] = converted;
  all["failed"] = uint64_t{results.size()} - converted;
  all["inputs"] = std::move(inputs);
  return ToJson(all);
}

}  // namespace perf2x
