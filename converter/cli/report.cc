// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/report.h"

#include <algorithm>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "converter/base/text.h"
#include "converter/cli/next_steps.h"
#include "converter/convert/quantities.h"

namespace perf2x {
namespace {

constexpr size_t kFilesInShort = 5;

std::string EventLine(const ConvertReport::EventCount& event) {
  return absl::StrCat(
      "  ", event.samples, event.samples == 1 ? " sample of " : " samples of ",
      PlainText(event.name), ", ",
      event.unit == "nanoseconds" ? DurationText(event.period)
                                  : absl::StrCat(event.period, " events"),
      "\n");
}

bool Has(const ConvertReport& report, absl::string_view finding) {
  return std::any_of(report.findings.begin(), report.findings.end(),
                     [&](const Finding& f) { return f.id == finding; });
}

// Returns true for at least one percent of `all`; if `verbose`, for any
// samples.
bool IsWorthALine(uint64_t samples, uint64_t all, bool verbose) {
  return samples > 0 && (verbose || samples * 100 >= all);
}

// Returns the number of samples with an address in no mapping in their stacks.
uint64_t UnmappedSamples(const ConvertReport& report) {
  uint64_t samples = 0;
  for (const DsoReport& file : report.symbols) {
    if (file.kind == DsoKind::kUnknown) samples += file.samples;
  }
  return samples;
}

// Returns the files with unsymbolized code in at least one percent of the
// samples, those with most samples first; if `verbose`, all files with
// unsymbolized code.
std::vector<const DsoReport*> Lacking(const ConvertReport& report,
                                      bool verbose) {
  std::vector<const DsoReport*> files;
  const uint64_t all = report.facts.stacks.samples();
  for (const DsoReport& file : report.symbols) {
    if (file.unsymbolized_count == 0 || file.kind == DsoKind::kUnknown)
      continue;
    if (verbose || IsWorthALine(file.samples, all, verbose)) {
      files.push_back(&file);
    }
  }
  std::stable_sort(files.begin(), files.end(),
                   [](const DsoReport* a, const DsoReport* b) {
                     return a->samples > b->samples;
                   });
  return files;
}

std::string SymbolLines(const ConvertReport& report, bool verbose) {
  std::string out;
  if (verbose) {
    uint64_t named = 0, unsymbolized_count = 0;
    for (const DsoReport& file : report.symbols) {
      named += file.symbolized_count;
      unsymbolized_count += file.unsymbolized_count;
    }
    if (named + unsymbolized_count > 0) {
      absl::StrAppend(&out, "  ", named, " of ", named + unsymbolized_count,
                      " addresses have a symbol\n");
    }
  }
  std::vector<const DsoReport*> files = Lacking(report, verbose);
  const uint64_t all = report.facts.stacks.samples();
  if (!files.empty() && all > 0) {
    absl::StrAppend(&out, "  ", ShareText(report.unsymbolized_samples, all),
                    " of samples have code without symbols, ");
    if (!verbose && files.size() > kFilesInShort) {
      absl::StrAppend(&out, "in ", files.size(), " files (-v shows all):\n");
      files.resize(kFilesInShort);
    } else {
      absl::StrAppend(&out, "in:\n");
    }
    for (const DsoReport* file : files) {
      absl::StrAppend(&out, "    ", ShareText(file->samples, all), " ",
                      PlainText(file->name), "\n");
      const std::string next = MissingSymbolsAdvice(*file);
      if (!next.empty()) absl::StrAppend(&out, "      ", next, "\n");
    }
  }
  if (const uint64_t samples = UnmappedSamples(report);
      !Has(report, "no-frame-pointers") &&
      IsWorthALine(samples, all, verbose)) {
    absl::StrAppend(&out, "  ", ShareText(samples, all),
                    " of samples have addresses in no mapping\n");
  }
  // A kernel and its modules are symbolized by one table, and share its
  // warnings.
  std::set<absl::string_view> said;
  for (const DsoReport& file : report.symbols) {
    for (const std::string& warning : file.warnings) {
      if (!said.insert(warning).second) continue;
      absl::StrAppend(&out, "  ", PlainText(file.name), ": ",
                      PlainText(warning), "\n");
    }
  }
  return out;
}

absl::string_view SeverityName(Diagnostics::Severity severity) {
  switch (severity) {
    case Diagnostics::Severity::kNote:
      return "note";
    case Diagnostics::Severity::kSkipped:
      return "skipped";
    default:
      return "damage";
  }
}

}  // namespace

std::string SummaryText(const ConvertReport& report, bool verbose) {
  std::string out;
  bool any = false;
  for (const auto& event : report.events) {
    if (event.samples == 0) continue;
    any = true;
    absl::StrAppend(&out, EventLine(event));
  }
  if (const uint64_t calls = report.facts.calls; calls > 0) {
    any = true;
    absl::StrAppend(&out, "  ", calls, calls == 1 ? " call\n" : " calls\n");
  }
  if (!any && !report.facts.has_counts && !Has(report, "no-samples")) {
    absl::StrAppend(&out, "  no samples\n");
  }
  uint64_t filtered = 0;
  for (const auto& event : report.events) filtered += event.filtered;
  if (filtered > 0) {
    absl::StrAppend(&out, "  ", filtered, " samples left out by filters\n");
  }
  if (const uint64_t calls = report.facts.filtered_calls; calls > 0) {
    absl::StrAppend(&out, "  ", calls, " calls left out by filters\n");
  }
  if (report.dropped_samples > 0) {
    absl::StrAppend(&out, "  ", report.dropped_samples,
                    " samples dropped by a filter while recording\n");
  }
  for (const Finding& finding : report.findings) {
    absl::StrAppend(&out, "  ", PlainText(finding.message), "\n");
    if (!finding.next_step.empty()) {
      absl::StrAppend(&out, "    ", PlainText(finding.next_step), "\n");
    }
  }
  if (report.out_of_order_records > 0) {
    absl::StrAppend(&out, "  ", report.out_of_order_records,
                    " records out of time order\n");
  }
  for (const auto& [what, entry] : report.diagnostics.entries()) {
    absl::StrAppend(&out, "  ", ProblemText(what, entry), "\n");
  }
  absl::StrAppend(&out, SymbolLines(report, verbose));
  if (verbose) absl::StrAppend(&out, SymbolReportText(report.symbols));
  return out;
}

std::string SymbolReportText(const std::vector<DsoReport>& files) {
  // The third column is as wide as a build id of SHA-1.
  std::string out = absl::StrFormat("%9s %9s  %-40s  %s\n", "named",
                                    "not named", "build id", "file");
  const std::string indent(21, ' ');
  for (const DsoReport& file : files) {
    absl::StrAppend(
        &out, absl::StrFormat("%9d %9d  %-40s  %s\n", file.symbolized_count,
                              file.unsymbolized_count,
                              file.build_id.empty() ? "-" : file.build_id.Hex(),
                              PlainText(file.name)));
    for (const std::string& source : file.sources) {
      absl::StrAppend(&out, indent, "from ", PlainText(source),
                      file.verified ? "" : " (unverified)", "\n");
    }
    for (const std::string& tried : file.tried) {
      absl::StrAppend(&out, indent, "not ", PlainText(tried), "\n");
    }
  }
  return out;
}

InfoValue::List SymbolReportList(const std::vector<DsoReport>& files) {
  InfoValue::List list;
  for (const DsoReport& file : files) {
    InfoValue entry;
    entry["file"] = file.name;
    entry["build_id"] = file.build_id.Hex();
    entry["named"] = file.symbolized_count;
    entry["not_named"] = file.unsymbolized_count;
    entry["samples"] = file.samples;
    if (file.unsymbolized_count > 0)
      entry["next_step"] = MissingSymbolsAdvice(file);
    entry["verified"] = file.verified;
    entry["found"] = ListOf(file.sources);
    entry["tried"] = ListOf(file.tried);
    entry["warnings"] = ListOf(file.warnings);
    list.push_back(std::move(entry));
  }
  return list;
}

std::string SymbolReportJson(const std::vector<DsoReport>& files) {
  InfoValue all;
  all["symbols"] = SymbolReportList(files);
  return ToJson(all);
}

std::string ProblemText(absl::string_view what,
                        const Diagnostics::Entry& entry) {
  std::string out = absl::StrCat(SeverityName(entry.severity), ": ",
                                 PlainText(what), " (", entry.count, "x");
  if (entry.first_offset > 0) {
    absl::StrAppend(&out, ", first at offset ", entry.first_offset);
  }
  if (entry.bytes > 0) absl::StrAppend(&out, ", ", entry.bytes, " bytes");
  absl::StrAppend(&out, ")");
  return out;
}

std::string WarningText(const ConvertReport& report) {
  std::vector<std::string> parts;
  if (Has(report, "counters-not-shown")) {
    parts.push_back("no samples, and counts of perf stat are not shown");
  } else if (!report.events.empty() && !report.facts.has_counts &&
             report.facts.calls == 0 &&
             std::none_of(
                 report.events.begin(), report.events.end(),
                 [](const auto& event) { return event.samples > 0; })) {
    parts.push_back("no samples");
  }
  if (report.lost_records > 0) {
    parts.push_back(absl::StrCat(report.lost_records, " records lost"));
  }
  if (report.lost_samples > 0) {
    parts.push_back(absl::StrCat(report.lost_samples, " samples lost"));
  }
  uint64_t skipped = 0;
  for (const auto& [what, entry] : report.diagnostics.entries()) {
    if (entry.severity == Diagnostics::Severity::kSkipped) {
      skipped += entry.count;
    } else if (entry.severity == Diagnostics::Severity::kDamage) {
      parts.push_back(
          entry.first_offset > 0
              ? absl::StrCat(PlainText(what), " at offset ", entry.first_offset)
              : PlainText(what));
    }
  }
  if (skipped > 0) parts.push_back(absl::StrCat(skipped, " records skipped"));
  return absl::StrJoin(parts, "; ");
}

}  // namespace perf2x
