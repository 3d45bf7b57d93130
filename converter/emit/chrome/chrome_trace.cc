// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/chrome/chrome_trace.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "converter/base/status_macros.h"

namespace perf2x {

namespace {

std::string JsonString(absl::string_view text) {
  return JsonText([text](JsonWriter& json) { json.String(text); });
}

}  // namespace

ChromeTrace::ChromeTrace(Output& out, bool absolute, HelperPool* helpers)
    : sink_(out, helpers), json_(sink_) {
  if (absolute) start_ = 0;
  // Perfetto reads the unit only at the start of the file.
  json_.Raw("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
}

uint64_t ChromeTrace::NoteTime(uint64_t time) {
  if (!start_.has_value()) start_ = time;
  latest_ = std::max(latest_, time);
  return time < *start_ ? 0 : time - *start_;
}

void ChromeTrace::Begin(absl::string_view name, absl::string_view phase,
                        absl::string_view category, ChromeTrack track) {
  json_.Raw(std::exchange(separator_, ",\n"));
  json_.Raw("{\"name\":");
  json_.RawString(name);
  json_.Raw(",\"ph\":\"");
  json_.Raw(phase);
  json_.Raw("\",\"cat\":");
  json_.RawString(category);
  Place(track);
}

void ChromeTrace::Place(ChromeTrack track) {
  json_.Raw(",\"pid\":");
  json_.RawInt(track.pid);
  json_.Raw(",\"tid\":");
  json_.RawInt(track.tid);
}

void ChromeTrace::Time(uint64_t ns) {
  json_.Raw(",\"ts\":");
  json_.RawMicros(ns);
}

void ChromeTrace::Duration(uint64_t ns) {
  json_.Raw(",\"dur\":");
  json_.RawMicros(ns);
}

void ChromeTrace::Id(int64_t id) {
  json_.Raw(",\"id\":");
  json_.RawInt(id);
}

void ChromeTrace::HexId(uint64_t id) {
  json_.Raw(",\"id\":");
  json_.OmitNextComma();
  json_.Hex(id);
}

void ChromeTrace::End(Args args) {
  json_.Raw(",\"args\":");
  json_.OmitNextComma();
  json_.BeginObject();
  args(json_);
  json_.EndObject();
  End();
}

void ChromeTrace::Metadata(absl::string_view key, ChromeTrack track,
                           absl::string_view name) {
  Begin(key, "M", "__metadata", track);
  End([name](JsonWriter& json) {
    json.Key("name");
    json.String(name);
  });
}

void ChromeTrace::SortIndex(absl::string_view key, ChromeTrack track,
                            int64_t index) {
  Begin(key, "M", "__metadata", track);
  End([index](JsonWriter& json) {
    json.Key("sort_index");
    json.Int(index);
  });
}

void ChromeTrace::Slice(absl::string_view name, absl::string_view category,
                        ChromeTrack track, uint64_t begin, uint64_t end) {
  Begin(name, "X", category, track);
  Time(NoteTime(begin));
  Duration(NoteTime(end) - NoteTime(begin));
  End();
}

const SliceText* ChromeTrace::FunctionText(absl::string_view name,
                                           absl::string_view dso) {
  if (dso.empty()) return sink_.AddSliceText(JsonString(name), "");
  const std::string category = JsonString(absl::StrCat(",", dso));
  return sink_.AddSliceText(JsonString(name),
                            absl::string_view(category).substr(
                                1, category.size() - 2));  // without its quotes
}

const SliceRow* ChromeTrace::Row(absl::string_view category,
                                 ChromeTrack track) {
  return sink_.AddSliceRow(JsonString(category), track.pid, track.tid);
}

void ChromeTrace::Slice(const SliceText* text, const SliceRow* row,
                        uint64_t begin, uint64_t end) {
  const uint64_t from = NoteTime(begin);
  if (sink_.AddSlice(text, row, from, NoteTime(end) - from)) WriteSlices();
}

// Writes buffered events first: the text of a slice begins with a comma, so
// another event must precede it.
void ChromeTrace::WriteSlices() {
  if (status_.ok()) status_ = json_.Flush();
  if (status_.ok()) status_ = sink_.WriteSlices();
}

void ChromeTrace::AsyncSlice(absl::string_view name, absl::string_view category,
                             ChromeTrack track, uint64_t id, uint64_t begin,
                             uint64_t end, Args args) {
  Begin(name, "b", category, track);
  HexId(id);
  Time(NoteTime(begin));
  End(args);
  Begin(name, "e", category, track);
  HexId(id);
  Time(NoteTime(end));
  End();
}

void ChromeTrace::Instant(absl::string_view name, absl::string_view category,
                          ChromeTrack track, uint64_t time, Args args) {
  Begin(name, "i", category, track);
  json_.Raw(",\"s\":\"t\"");
  Time(NoteTime(time));
  End(args);
}

void ChromeTrace::GlobalInstant(absl::string_view name,
                                absl::string_view category, ChromeTrack track,
                                uint64_t time, Args args) {
  Begin(name, "i", category, track);
  json_.Raw(",\"s\":\"g\"");
  Time(NoteTime(time));
  End(args);
}

void ChromeTrace::Counter(absl::string_view name, int32_t pid, uint64_t time,
                          absl::string_view unit, double value) {
  Begin(name, "C", "counter", {pid, pid});
  Time(NoteTime(time));
  End([&](JsonWriter& json) {
    json.Key(unit.empty() ? "value" : unit);
    json.Double(value);
  });
}

void ChromeTrace::ThreadState(absl::string_view state, ChromeTrack track,
                              uint64_t begin, uint64_t end, int32_t cpu,
                              absl::string_view blocked_in) {
  // Perfetto, from v54 on, reads "T" with a duration as a thread's state. To
  // catapult "T" is a step of an old-style asynchronous slice; "S" and "F"
  // around it begin and end that slice, so that catapult shows the state too.
  // Perfetto ignores "S" and "F".
  const auto step = [&](absl::string_view phase, uint64_t time) {
    Begin(state, phase, "thread_state", track);
    Id(track.tid);
    Time(NoteTime(time));
  };
  step("S", begin);
  End();
  step("T", begin);
  Duration(NoteTime(end) - NoteTime(begin));
  End([&](JsonWriter& json) {
    json.Key("step");  // catapult shows it as the name
    json.String(state);
    if (cpu >= 0) {
      json.Key("cpu");
      json.Int(cpu);
    }
    if (!blocked_in.empty()) {
      json.Key("blocked_function");
      json.String(blocked_in);
    }
  });
  step("F", end);
  End();
}

void ChromeTrace::Flow(absl::string_view name, absl::string_view category,
                       ChromeTrack from, uint64_t from_time, ChromeTrack to,
                       uint64_t to_time) {
  const auto id = static_cast<int64_t>(++flows_);
  Begin(name, "s", category, from);
  Id(id);
  Time(NoteTime(from_time));
  End();
  Begin(name, "f", category, to);
  Id(id);
  // Binds to the enclosing slice; by default the arrow would point to the next
  // slice that starts after `to_time`.
  json_.Raw(",\"bp\":\"e\"");
  Time(NoteTime(to_time));
  End();
}

void ChromeTrace::Profile(absl::string_view name, ChromeTrack track,
                          uint64_t id, uint64_t time, Args args) {
  Begin(name, "P", "disabled-by-default-v8.cpu_profiler", track);
  HexId(id);
  Time(NoteTime(time));
  End([&](JsonWriter& json) {
    json.Key("data");
    json.BeginObject();
    args(json);
    json.EndObject();
  });
}

absl::Status ChromeTrace::Finish(Args other_data) {
  WriteSlices();
  RETURN_IF_ERROR(status_);
  json_.Raw("\n],\"otherData\":");
  json_.OmitNextComma();
  json_.BeginObject();
  other_data(json_);
  json_.EndObject();
  json_.Raw("}\n");
  RETURN_IF_ERROR(json_.Flush());
  return sink_.Close();
}

}  // namespace perf2x
