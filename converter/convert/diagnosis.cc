// SPDX-License-Identifier: Apache-2.0
#include "converter/convert/diagnosis.h"

#include <algorithm>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "converter/base/machine.h"
#include "converter/base/saturating_add.h"
#include "converter/convert/convert.h"
#include "converter/convert/quantities.h"
#include "converter/convert/record_options.h"
#include "converter/perf/stream/record_reader.h"
#include "converter/session/aux_diagnostics.h"

namespace perf2x {
namespace {

// Thresholds of docs/summary.md. Fewer stacks than kEnoughStacks prove nothing.
constexpr uint64_t kEnoughStacks = 20;
// perf's own limit, in tools/perf/util/callchain.c: 65535 rounded down to
// words.
constexpr uint32_t kLargestDump = 65528;
constexpr uint32_t kUsefulDump = 16384;
constexpr uint64_t kShortRun = 10'000'000;  // ns

// These multiply numbers of samples that were read: they are small enough.
bool AtLeastOneThird(uint64_t part, uint64_t whole) {
  return whole >= kEnoughStacks && part * 3 >= whole;
}
bool AtLeastPercent(uint64_t percent, uint64_t part, uint64_t whole) {
  return part > 0 && part * 100 >= whole * percent;
}

std::string Callgraph(absl::string_view arch) {
  const Machine* machine = FindMachine(arch);
  const absl::string_view option =
      (machine != nullptr ? *machine : Machine()).frame_chain_option;
  return absl::StrCat("record with --call-graph dwarf",
                      option.empty() ? "" : ", or build with ", option);
}

// Returns true if the program may be one function that nothing called: a single
// file without a C library, none of whose stacks has a caller.
bool MayBeOneFrameDeep(const ConvertReport& report) {
  return report.stacks.callers == 0 && report.facts.mapped_files < 2;
}

std::optional<Finding> NoFramePointers(const ConvertReport& report) {
  const StackCounts& stacks = report.stacks;
  if (!report.facts.follows_frame_pointers ||
      !AtLeastOneThird(stacks.broken(), stacks.user) ||
      MayBeOneFrameDeep(report)) {
    return std::nullopt;
  }
  return Finding{
      "no-frame-pointers",
      absl::StrCat(
          "no frame pointers: ", ShareText(stacks.broken(), stacks.user),
          " of user stacks show ",
          stacks.without_callers == 0 ? "" : "no known caller",
          stacks.mostly_unmapped == 0   ? ""
          : stacks.without_callers == 0 ? "mostly unknown callers"
                                        : ", or mostly unknown ones"),
      Callgraph(report.facts.arch)};
}

std::optional<Finding> NoCallGraphs(const ConvertReport& report) {
  if (!report.facts.lacks_call_graphs || !report.shows_callers ||
      report.facts.stacks.samples() == 0) {
    return std::nullopt;
  }
  return Finding{"no-call-graphs",
                 "no callers: the recording has no call graphs",
                 "record with -g or --call-graph dwarf to see who called"};
}

std::optional<Finding> ShortDumps(const ConvertReport& report) {
  const RecordingFacts& facts = report.facts;
  if (facts.unwound_stacks < kEnoughStacks ||
      !AtLeastPercent(5, facts.incomplete_dumps, facts.unwound_stacks)) {
    return std::nullopt;
  }
  Finding finding{"short-stack-dumps", "", ""};
  finding.message = absl::StrCat(
      ShareText(facts.incomplete_dumps, facts.unwound_stacks), " of ",
      facts.unwound_stacks, " user stacks are cut: they go on beyond the ",
      facts.dump_size, " bytes that were recorded");
  finding.next_step =
      facts.dump_size >= kLargestDump
          ? "build with -fno-omit-frame-pointer and record with --call-graph "
            "fp: larger dumps cannot be recorded"
          : absl::StrCat(
                "record with --call-graph dwarf,",
                std::clamp(facts.dump_size * 2, kUsefulDump, kLargestDump));
  return finding;
}

std::optional<Finding> HiddenKernel(const ConvertReport& report) {
  // A profile does not say whether there was a map.
  if (report.facts.has_kernel_map || report.is_profile) return std::nullopt;
  uint64_t samples = 0;
  for (const DsoReport& file : report.symbols) {
    if (file.kind == DsoKind::kKernel) samples += file.samples;
  }
  const uint64_t all = report.facts.stacks.samples();
  if (!AtLeastPercent(1, samples, all)) return std::nullopt;
  return Finding{
      "hidden-kernel",
      absl::StrCat("kernel code in ", ShareText(samples, all),
                   " of samples has no names: whoever recorded was not shown "
                   "the kernel's addresses"),
      "record after sysctl kernel.kptr_restrict=0, or as root where it is 1"};
}

std::vector<Finding> Multiplexed(const ConvertReport& report) {
  std::vector<Finding> findings;
  for (size_t i = 0; i < report.facts.events.size(); ++i) {
    const CountingTimes::Times& times = report.facts.events[i].counted;
    // Switching counters on and off may take up to 5 % of the time.
    if (times.running >= times.enabled - times.enabled / 20) continue;
    Finding& finding = findings.emplace_back();
    finding.id = "multiplexed";
    const std::string& event = report.events[i].name;
    finding.message =
        times.running == 0
            ? absl::StrCat(event, " was never counted: no counter was free")
            : absl::StrCat(event, " was counted ",
                           ShareText(times.running, times.enabled),
                           " of the time: it had to share the CPU's counters");
    finding.next_step = "record fewer events at once";
  }
  return findings;
}

std::optional<Finding> Losses(const ConvertReport& report) {
  uint64_t samples = 0;
  for (const auto& event : report.events) {
    samples = SaturatingAdd(samples, event.samples);
    samples = SaturatingAdd(samples, event.filtered);
  }
  // Where the kernel reports lost samples, it includes them in the lost
  // records.
  const bool known = report.lost_samples > 0;
  if (!known && report.lost_records == 0) return std::nullopt;
  Finding finding{"lost", "", ""};
  const uint64_t lost = known ? report.lost_samples : report.lost_records;
  finding.message = absl::StrCat(lost, known ? " samples (" : " records (",
                                 ShareText(lost, samples + lost),
                                 ") were lost while recording");
  finding.next_step =
      "record with larger buffers (-m 16M) or a lower rate (-F)";
  return finding;
}

// perf opens dummy events for side-band records.
bool IsDummy(const ConvertReport& report, size_t event) {
  const auto& requests = report.facts.events;
  return event < requests.size() && requests[event].kind == EventKind::kDummy;
}

std::string NamesOfEvents(const ConvertReport& report) {
  constexpr size_t kFew = 3;
  std::vector<std::string> names;
  for (size_t i = 0; i < report.events.size(); ++i) {
    if (report.events.size() > 1 && IsDummy(report, i)) continue;
    if (names.size() == kFew) {
      names.push_back("…");
      break;
    }
    names.push_back(report.events[i].name);
  }
  return absl::StrJoin(names, ", ");
}

// Returns true if perf record was given an option that begins with one of
// `prefixes`.
template <class... Prefixes>
bool WasGiven(const RecordingFacts& facts, Prefixes... prefixes) {
  const auto options = RecordOptions(facts.command_line);
  return std::any_of(options.begin(), options.end(),
                     [&](const std::string& word) {
                       return (... || absl::StartsWith(word, prefixes));
                     });
}

// Returns true if the user requested samples of user code only, by the command
// line.
bool AskedForUserOnly(const RecordingFacts& facts) {
  const auto options = RecordOptions(facts.command_line);
  return std::any_of(
      options.begin(), options.end(), [](const std::string& word) {
        return absl::StrContains(word, ":u") || word == "--all-user";
      });
}

bool HasDiagnostic(const ConvertReport& report, const char* message) {
  return report.diagnostics.entries().contains(message);
}

Finding NoSamplesBecause(absl::string_view message, std::string next_step) {
  return Finding{"no-samples", absl::StrCat("no samples: ", message),
                 std::move(next_step)};
}

// Recognizes a recording that was not finished or is damaged, or in which an
// option of perf record may have left no samples.
std::optional<Finding> NothingSelected(const ConvertReport& report) {
  const std::string events = NamesOfEvents(report);
  if (HasDiagnostic(report, kUnfinishedRecording)) {
    return NoSamplesBecause(
        "the recording was not finished, and none had been written",
        "end perf record with Ctrl-C or SIGTERM");
  }
  for (const auto& [message, entry] : report.diagnostics.entries()) {
    // Of damage to records, the size is known.
    if (entry.severity == Diagnostics::Severity::kDamage && entry.bytes > 0) {
      return NoSamplesBecause("none come before the damage",
                              "copy the recording again, or record again");
    }
  }
  if (WasGiven(report.facts, "--filter")) {
    return NoSamplesBecause(
        absl::StrCat(events, " did not occur so that --filter let it through"),
        "record with another --filter, or none");
  }
  if (WasGiven(report.facts, "-D", "--delay")) {
    return NoSamplesBecause(
        absl::StrCat(events, " did not occur after the delay (-D)"),
        "record without -D, or something that runs longer");
  }
  return std::nullopt;
}

// Recognizes a recording, or a program, that ended before a sample was due.
std::optional<Finding> TooShort(const ConvertReport& report) {
  const RecordingFacts& facts = report.facts;
  // The longest time from one sample to the next.
  uint64_t due = 0;
  for (const auto& event : facts.events) {
    if (event.is_frequency && event.period > 0) {
      due = std::max(due, uint64_t{1'000'000'000} / event.period);
    }
  }
  if (due > 0 && facts.first_time && facts.last_time &&
      *facts.last_time - *facts.first_time < 4 * due) {
    return NoSamplesBecause(
        absl::StrCat("a sample was due every ", DurationText(due),
                     " of what is counted, and the recording is ",
                     DurationText(*facts.last_time - *facts.first_time),
                     " long"),
        "record more often (-F 1000), or for longer");
  }
  if (facts.exec_time && facts.exit_time &&
      *facts.exit_time >= *facts.exec_time &&
      *facts.exit_time - *facts.exec_time < kShortRun) {
    return NoSamplesBecause(
        absl::StrCat("the program ended after ",
                     DurationText(*facts.exit_time - *facts.exec_time),
                     ", before ", NamesOfEvents(report), " was due"),
        "record something that runs longer, or more often (-F 20000, -c 1)");
  }
  return std::nullopt;
}

// Recognizes events that were requested in the kernel only, or in user code
// only.
std::optional<Finding> OnOneSide(const ConvertReport& report) {
  const RecordingFacts& facts = report.facts;
  const auto only = [&](bool RecordingFacts::EventRequest::*excludes) {
    return std::all_of(facts.events.begin(), facts.events.end(),
                       [&](const auto& event) { return event.*excludes; });
  };
  const std::string events = NamesOfEvents(report);
  if (only(&RecordingFacts::EventRequest::excludes_kernel)) {
    const bool asked = AskedForUserOnly(facts);
    return NoSamplesBecause(
        absl::StrCat(events,
                     " did not occur in user code, and of the kernel's ",
                     asked ? "none were asked for"
                           : "none were allowed (kernel.perf_event_paranoid)"),
        asked ? "record without :u"
              : "record as root, or after sysctl kernel.perf_event_paranoid=1");
  }
  if (only(&RecordingFacts::EventRequest::excludes_user)) {
    return NoSamplesBecause(
        absl::StrCat(events,
                     " did not occur in the kernel, and none of user code were "
                     "asked for"),
        "record without :k");
  }
  return std::nullopt;
}

// Returns the finding for events that have no samples for no known reason.
Finding DidNotOccur(const ConvertReport& report) {
  const RecordingFacts& facts = report.facts;
  Finding finding =
      NoSamplesBecause(absl::StrCat(NamesOfEvents(report), " did not occur"),
                       "perf stat -e EVENT counts how often an event occurs");
  if (facts.first_time && facts.last_time) {
    absl::StrAppend(&finding.message, " in ",
                    DurationText(*facts.last_time - *facts.first_time));
  }
  if (facts.events.size() == 1 && !facts.events[0].is_frequency &&
      facts.events[0].period > 1) {
    absl::StrAppend(&finding.message, " as often as ", facts.events[0].period,
                    " times, which makes a sample");
    finding.next_step = "record with a smaller -c";
  }
  return finding;
}

std::optional<Finding> NoSamples(const ConvertReport& report) {
  const RecordingFacts& facts = report.facts;
  uint64_t samples = 0, filtered = facts.filtered_calls;
  for (const auto& event : report.events) {
    samples = SaturatingAdd(samples, event.samples);
    filtered += event.filtered;
  }
  if (samples > 0 || facts.has_counts || facts.calls > 0 ||
      report.events.empty()) {
    return std::nullopt;
  }
  if (filtered > 0) {
    return NoSamplesBecause(
        absl::StrCat("the filters leave out all ", filtered),
        facts.first_time && facts.last_time
            ? absl::StrFormat(
                  "perf2x --to csv --table processes shows the processes, and "
                  "perf2x info the events; times are from %.6f to %.6f s",
                  static_cast<double>(*facts.first_time) / 1e9,
                  static_cast<double>(*facts.last_time) / 1e9)
            : "perf2x --to csv --table processes shows the processes, and "
              "perf2x info the events");
  }
  if (report.is_profile) {
    return NoSamplesBecause("no value of the profile is above 0", "");
  }
  if (report.dropped_samples > 0) {
    return NoSamplesBecause(
        absl::StrCat("the filter of perf record dropped all ",
                     report.dropped_samples),
        "record with another --filter");
  }
  if (report.lost_records > 0 || report.lost_samples > 0) {
    // The finding on losses has the next step.
    return NoSamplesBecause("all were lost while recording", "");
  }
  if (facts.has_hardware_trace) {
    return NoSamplesBecause(
        "the recording holds hardware trace (AUX) of which no samples were "
        "made",
        facts.has_undecoded_trace ? "perf script --itrace=… decodes it"
        : HasDiagnostic(report, kMissingIntelPtCode) ||
                HasDiagnostic(report, kMissingCoreSightCode)
            ? "the code was not found: pass --symfs with a folder that has it"
            : "--itrace chooses what to make of it, as in --itrace=i1000i; "
              "what could not be decoded is counted");
  }
  if (facts.has_branch_list) {
    return NoSamplesBecause(
        "the recording has a branch list in place of its trace (simpleperf "
        "record --decode-etm)",
        "--to autofdo, bolt and profgen read it from a file");
  }
  if (HasDiagnostic(report, kMissingAuxData)) {
    return NoSamplesBecause("the recording lacks its hardware trace (AUX)", "");
  }
  if (report.events.size() == 1 && IsDummy(report, 0)) {
    return NoSamplesBecause("dummy is an event that never occurs",
                            "record with -e and an event, as -e cpu-clock");
  }
  for (auto* recognise : {NothingSelected, TooShort, OnOneSide}) {
    if (auto finding = recognise(report)) return finding;
  }
  return DidNotOccur(report);
}

// Recognizes a recording of `perf stat record` in a format that shows samples
// only.
std::optional<Finding> CountersNotShown(const ConvertReport& report) {
  if (!report.facts.has_counts || report.shows_counters) return std::nullopt;
  return Finding{
      "counters-not-shown",
      "the recording has counts of perf stat, which this format does not show",
      "chrome, perfetto and firefox show them over time, csv and parquet have "
      "the table counters"};
}

// Recognizes output of branches from a recording that has none.
std::optional<Finding> NoBranches(const ConvertReport& report) {
  if (!report.shows_branches || report.facts.has_branches ||
      report.events.empty()) {
    return std::nullopt;
  }
  return Finding{"no-branches",
                 "no branches: the recording has no branch stacks",
                 "record with -b, on a processor that has them"};
}

// Recognizes an empty table of cache lines.
std::optional<Finding> NoAccesses(const ConvertReport& report) {
  const RecordingFacts& facts = report.facts;
  const bool any_sample =
      std::any_of(report.events.begin(), report.events.end(),
                  [](const auto& event) { return event.samples > 0; });
  if (!report.shows_accesses || facts.accesses > 0 || !any_sample) {
    return std::nullopt;
  }
  // Hardware traces have the addresses in the trace.
  const bool may_have = facts.has_data_addresses || facts.has_hardware_trace;
  return Finding{
      "no-data-addresses",
      absl::StrCat("no cache lines: ",
                   may_have            ? "no sample has the address of data"
                   : report.is_profile ? "a pprof profile has no data addresses"
                                       : "the recording has no data addresses"),
      "record with perf mem record, or with perf record -d and an event that "
      "has them"};
}

}  // namespace

std::vector<Finding> Diagnose(const ConvertReport& report) {
  std::vector<Finding> findings;
  for (auto* recognise :
       {NoSamples, CountersNotShown, NoBranches, NoAccesses, Losses,
        NoCallGraphs, NoFramePointers, ShortDumps, HiddenKernel}) {
    if (auto finding = recognise(report)) {
      findings.push_back(*std::move(finding));
    }
  }
  for (Finding& finding : Multiplexed(report)) {
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace perf2x
