// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/firefox/firefox_profile.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "converter/emit/firefox/firefox_categories.h"
#include "converter/emit/json_column.h"

namespace perf2x {
namespace {

// The version of the processed profile format, and that of the format that
// Firefox itself writes (PROCESSED_PROFILE_VERSION and GECKO_PROFILE_VERSION in
// src/app-logic/constants.ts of the profiler).
constexpr int kProcessedVersion = 75, kGeckoVersion = 36;
// The pid of the row for CPUs.
constexpr char kCpus[] = "CPUs";

}  // namespace

FirefoxProfile::FirefoxProfile(const Parts& parts)
    : parts_(parts), main_event_(parts.samples.MainEvent()) {
  ListRows();
}

void FirefoxProfile::ListRows() {
  for (TrackId id = 0; id < parts_.tracks.size(); ++id) {
    const FirefoxTrack& track = parts_.tracks[id];
    const auto [it, inserted] = processes_.try_emplace(ProcessOf(id));
    Process& process = it->second;
    if (inserted || track.is_main()) {
      process.row = static_cast<int64_t>(rows_.size());
    }
    process.begin =
        inserted ? track.begin : std::min(process.begin, track.begin);
    process.end = std::max(process.end, track.end);
    process.lasts |= !track.end.has_value();
    const std::vector<EventId> events = parts_.samples.EventsOf(id);
    const bool has_main =
        std::find(events.begin(), events.end(), main_event_) != events.end();
    rows_.push_back({id, has_main ? main_event_ : kNoId, true});
    for (const EventId event : events) {
      if (event != main_event_) rows_.push_back({id, event, false});
    }
  }
  // The profiler refuses a profile without rows.
  if (rows_.empty() || parts_.markers.HasAny(kNoId) ||
      parts_.counters.has_cpu_counters()) {
    rows_.push_back({});
  }
}

void FirefoxProfile::WriteTime(absl::string_view key,
                               std::optional<uint64_t> time,
                               JsonWriter& json) const {
  json.Key(key);
  time.has_value() ? json.Millis(parts_.times.Elapsed(*time)) : json.Null();
}

void FirefoxProfile::WriteMeta(JsonWriter& json) {
  uint64_t interval = main_event_ == kNoId
                          ? 0
                          : SamplingInterval(parts_.tables.events[main_event_]);
  if (interval == 0) interval = kDefaultInterval;
  json.Key("meta");
  json.BeginObject();
  WriteNumber(json, "version", kGeckoVersion);
  WriteNumber(json, "preprocessedProfileVersion", kProcessedVersion);
  json.Key("interval");
  json.Millis(interval);
  // Without a wall clock, the recording's clock has no known start.
  const std::optional<int64_t> wall = parts_.info.wall_clock_offset;
  json.Key("startTime");
  json.Millis(wall.has_value()
                  ? parts_.times.begin() + static_cast<uint64_t>(*wall)
                  : 0);
  WriteNumber(json, "profilingStartTime", 0);
  json.Key("profilingEndTime");
  // The profiler shows what is before this time.
  const uint64_t last = parts_.times.Elapsed(parts_.times.end());
  json.Millis(last + std::min({interval, kDefaultInterval, ~last}));
  if (parts_.info.clock == "CLOCK_MONOTONIC") {
    WriteNumber(json, "startTimeAsClockMonotonicNanosecondsSinceBoot",
                static_cast<int64_t>(parts_.times.begin()));
  }
  WriteNumber(json, "processType", 0);
  WriteNumber(json, "stackwalk", 1);
  const DsoId main_dso = parts_.summary.main_dso;
  const std::string name = main_dso == kNoId
                               ? parts_.info.input
                               : parts_.tables.dsos()[main_dso].name;
  WriteText(json, "product", name.substr(name.rfind('/') + 1));
  WriteText(json, "importedFrom", "perf2x");
  WriteText(json, "platform", "Linux");
  WriteText(
      json, "oscpu",
      absl::StrCat("Linux ", parts_.info.os_release, " ", parts_.info.arch));
  WriteText(json, "CPUName", parts_.info.cpu_description);
  WriteText(json, "arguments", absl::StrJoin(parts_.info.command_line, " "));
  for (const char* key : {"debug", "symbolicationNotSupported"}) {
    json.Key(key);
    json.Bool(false);
  }
  for (const char* key :
       {"symbolicated", "usesOnlyOneStackType", "sourceCodeIsNotOnSearchfox"}) {
    json.Key(key);
    json.Bool(true);
  }
  json.Key("sampleUnits");
  json.BeginObject();
  WriteText(json, "time", "ms");
  WriteText(json, "eventDelay", "ms");
  WriteText(json, "threadCPUDelta", parts_.samples.cpu_unit());
  json.EndObject();
  WriteCategories(json);
  parts_.markers.WriteSchemas(json);
  WriteExtra(json);
  json.EndObject();
}

void FirefoxProfile::WriteExtra(JsonWriter& json) const {
  const auto text = [&json](absl::string_view label, absl::string_view value) {
    if (value.empty()) return;
    json.BeginObject();
    WriteText(json, "label", label);
    WriteText(json, "format", "string");
    WriteText(json, "value", value);
    json.EndObject();
  };
  json.Key("extra");
  json.BeginArray();
  json.BeginObject();
  WriteText(json, "label", "Recording");
  json.Key("entries");
  json.BeginArray();
  text("Converter", "perf2x " PERF2X_VERSION);
  text("Input", parts_.info.input);
  text("Host", parts_.info.hostname);
  text("perf", parts_.info.perf_version);
  text("Clock", parts_.info.clock);
  text("Events", absl::StrJoin(parts_.tables.events, ", ",
                               [](std::string* out, const Event& event) {
                                 out->append(event.name);
                               }));
  text("Losses", absl::StrJoin(parts_.summary.losses, "; "));
  json.EndArray();
  json.EndObject();
  json.EndArray();
}

void FirefoxProfile::WriteThreadFacts(const Row& row, JsonWriter& json) {
  const FirefoxTrack& track = parts_.tracks[row.track];
  const Process& process = processes_.at(ProcessOf(row.track));
  std::string name(parts_.tables.strings[track.name]);
  std::string tid = track.TidText();
  if (!row.is_first) {
    absl::StrAppend(&name, " (", parts_.event_names[row.event], ")");
    absl::StrAppend(&tid, " ", parts_.event_names[row.event]);
  }
  WriteTime("processStartupTime", process.begin.value_or(0), json);
  WriteTime("processShutdownTime", process.lasts ? std::nullopt : process.end,
            json);
  WriteTime("registerTime", track.begin.value_or(0), json);
  WriteTime("unregisterTime", track.end, json);
  WriteText(json, "name", name);
  json.Key("isMainThread");
  json.Bool(row.is_first && track.is_main());
  WriteText(json, "processName", parts_.tracks.ProcessName(row.track));
  WriteText(json, "pid", track.PidText());
  json.Key("tid");
  row.is_first&& track.tid_generation == 0 ? json.Int(track.tid)
                                           : json.String(tid);
}

void FirefoxProfile::WriteCpusFacts(JsonWriter& json) {
  WriteTime("processStartupTime", 0, json);
  WriteTime("processShutdownTime", std::nullopt, json);
  WriteTime("registerTime", 0, json);
  WriteTime("unregisterTime", std::nullopt, json);
  json.Key("isMainThread");
  json.Bool(true);
  json.Key("showMarkersInTimeline");
  json.Bool(true);
  for (const char* key : {"name", "processName", "pid", "tid"}) {
    WriteText(json, key, kCpus);
  }
}

void FirefoxProfile::WriteRow(const Row& row, JsonWriter& json) {
  json.BeginObject();
  WriteText(json, "processType", "default");
  WriteNumbers(json, "pausedRanges", 0, [](size_t) { return 0; });
  row.track == kNoId ? WriteCpusFacts(json) : WriteThreadFacts(row, json);
  json.Key("samples");
  parts_.samples.Write(row.track, row.event, parts_.code, json);
  json.Key("markers");
  // The markers of a track are those of its first row.
  parts_.markers.Write(row.is_first ? std::optional(row.track) : std::nullopt,
                       parts_.code, parts_.strings, json);
  json.EndObject();
}

absl::Status FirefoxProfile::Write(Output& out) {
  JsonWriter json(out);
  json.BeginObject();
  // Readers look for the profile's version in the first bytes.
  WriteMeta(json);
  parts_.code.WriteLibraries(parts_.info.arch, json);
  WriteArray(json, "threads", rows_.size(),
             [&](size_t i) { WriteRow(rows_[i], json); });
  parts_.counters.Write(
      [this](TrackId track) -> std::pair<int64_t, std::string> {
        if (track == kNoId) {
          return {static_cast<int64_t>(rows_.size()) - 1, kCpus};
        }
        return {processes_.at(ProcessOf(track)).row,
                parts_.tracks[track].PidText()};
      },
      json);
  json.Key("shared");
  json.BeginObject();
  parts_.code.WriteShared(json);
  WriteArray(json, "stringArray", parts_.strings.size(),
             [&](size_t i) { json.String(parts_.strings[i]); });
  json.EndObject();
  json.EndObject();
  return json.Flush();
}

}  // namespace perf2x
