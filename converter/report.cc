#include "converter/report.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "converter/next_steps.h"

namespace perf2x {
namespace {

constexpr size_t kFilesInShort = 5;

std::string EventLine(const ConvertReport::EventCount& event) {
  return absl::StrCat("  ", event.samples, " samples of ",
                      Printable(event.name), ", ", event.period, " ",
                      event.unit == "count" ? "events" : event.unit, "\n");
}

std::string SymbolLines(const ConvertReport& report, bool verbose) {
  uint64_t named = 0, not_named = 0;
  std::vector<const FileReport*> lacking;
  for (const FileReport& file : report.symbols) {
    named += file.named;
    not_named += file.not_named;
    if (file.not_named > 0) lacking.push_back(&file);
  }
  if (named + not_named == 0) return "";
  std::string out = absl::StrCat("  ", named, " of ", named + not_named,
                                 " addresses have a symbol\n");
  std::stable_sort(lacking.begin(), lacking.end(),
                   [](const FileReport* a, const FileReport* b) {
                     return a->not_named > b->not_named;
                   });
  if (!verbose && lacking.size() > kFilesInShort) {
    absl::StrAppend(&out, "  without symbols, the ", kFilesInShort, " of ",
                    lacking.size(), " files with most (-v shows all):\n");
    lacking.resize(kFilesInShort);
  } else if (!lacking.empty()) {
    absl::StrAppend(&out, "  without symbols:\n");
  }
  for (const FileReport* file : lacking) {
    absl::StrAppend(&out, "    ", file->not_named, " in ",
                    Printable(file->name));
    if (!file->build_id.empty()) {
      absl::StrAppend(&out, " (build id ", file->build_id.Hex(), ")");
    }
    if (file->sources.empty() && !file->tried.empty()) {
      absl::StrAppend(&out, ": ", Printable(file->tried.front()));
    }
    absl::StrAppend(&out, "\n");
    const std::string next = NextStepFor(*file);
    if (!next.empty()) absl::StrAppend(&out, "      ", next, "\n");
  }
  for (const FileReport& file : report.symbols) {
    for (const std::string& warning : file.warnings) {
      absl::StrAppend(&out, "  ", Printable(file.name), ": ",
                      Printable(warning), "\n");
    }
  }
  return out;
}

}  // namespace

std::string Printable(absl::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    // DEL and the C0 controls; bytes above are left to be UTF-8.
    if (byte < 0x20 || byte == 0x7f) {
      absl::StrAppendFormat(&out, "\\x%02x", byte);
    } else {
      out += c;
    }
  }
  return out;
}

std::string SummaryText(const ConvertReport& report, bool verbose) {
  std::string out;
  bool any = false;
  for (const auto& event : report.events) {
    if (event.samples == 0) continue;
    any = true;
    absl::StrAppend(&out, EventLine(event));
  }
  if (!any) absl::StrAppend(&out, "  no samples\n");
  uint64_t left_out = 0;
  for (const auto& event : report.events) left_out += event.left_out;
  if (left_out > 0) {
    absl::StrAppend(&out, "  ", left_out, " samples left out by filters\n");
  }
  if (report.lost_records > 0) {
    absl::StrAppend(&out, "  ", report.lost_records,
                    " records lost while recording\n");
  }
  if (report.lost_samples > 0) {
    absl::StrAppend(&out, "  ", report.lost_samples,
                    " samples lost while recording\n");
  }
  if (report.late_records > 0) {
    absl::StrAppend(&out, "  ", report.late_records,
                    " records out of time order\n");
  }
  for (const auto& [what, entry] : report.diagnostics.entries()) {
    absl::StrAppend(&out, "  ",
                    entry.severity == Diagnostics::Severity::kNote ? "note: "
                    : entry.severity == Diagnostics::Severity::kSkipped
                        ? "skipped: "
                        : "damage: ",
                    Printable(what), " (", entry.count, "x, first at offset ",
                    entry.first_offset);
    if (entry.bytes > 0) absl::StrAppend(&out, ", ", entry.bytes, " bytes");
    absl::StrAppend(&out, ")\n");
  }
  absl::StrAppend(&out, SymbolLines(report, verbose));
  if (verbose) absl::StrAppend(&out, SymbolTable(report.symbols));
  return out;
}

std::string SymbolTable(const std::vector<FileReport>& files) {
  // Columns as wide as a build id by SHA-1.
  std::string out = absl::StrFormat("%9s %9s  %-40s  %s\n", "named",
                                    "not named", "build id", "file");
  const std::string indent(21, ' ');
  for (const FileReport& file : files) {
    absl::StrAppend(
        &out,
        absl::StrFormat("%9d %9d  %-40s  %s\n", file.named, file.not_named,
                        file.build_id.empty() ? "-" : file.build_id.Hex(),
                        Printable(file.name)));
    for (const std::string& source : file.sources) {
      absl::StrAppend(&out, indent, "from ", Printable(source),
                      file.verified ? "" : " (unverified)", "\n");
    }
    for (const std::string& tried : file.tried) {
      absl::StrAppend(&out, indent, "not ", Printable(tried), "\n");
    }
  }
  return out;
}

InfoValue::List SymbolList(const std::vector<FileReport>& files) {
  InfoValue::List list;
  for (const FileReport& file : files) {
    InfoValue entry;
    entry["file"] = file.name;
    entry["build_id"] = file.build_id.Hex();
    entry["named"] = file.named;
    entry["not_named"] = file.not_named;
    entry["verified"] = file.verified;
    entry["found"] = ListOf(file.sources);
    entry["tried"] = ListOf(file.tried);
    entry["warnings"] = ListOf(file.warnings);
    list.push_back(std::move(entry));
  }
  return list;
}

std::string SymbolTableJson(const std::vector<FileReport>& files) {
  InfoValue all;
  all["symbols"] = SymbolList(files);
  return ToJson(all);
}

std::string WarningText(const ConvertReport& report) {
  std::vector<std::string> parts;
  if (!report.events.empty() &&
      std::none_of(report.events.begin(), report.events.end(),
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
          absl::StrCat(Printable(what), " at offset ", entry.first_offset));
    }
  }
  if (skipped > 0) parts.push_back(absl::StrCat(skipped, " records skipped"));
  return absl::StrJoin(parts, "; ");
}

}  // namespace perf2x
