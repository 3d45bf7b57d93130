// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/firefox/firefox_counters.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "absl/strings/str_cat.h"
#include "converter/emit/json_column.h"

namespace perf2x {
namespace {

// Returns the number that a field of a tracepoint has.
std::optional<int64_t> NumberOf(Fields fields, absl::string_view name) {
  for (const Field& field : fields) {
    if (field.name != name) continue;
    if (const auto* number = std::get_if<int64_t>(&field.value)) return *number;
    if (const auto* number = std::get_if<uint64_t>(&field.value)) {
      return static_cast<int64_t>(*number);
    }
    if (const auto* hex = std::get_if<Field::Hex>(&field.value)) {
      return static_cast<int64_t>(hex->value);
    }
  }
  return std::nullopt;
}

// Swapped pages are not in memory (MM_SWAPENTS, include/linux/mm_types_task.h).
constexpr int64_t kSwapped = 2;

}  // namespace

void FirefoxCounters::Add(Series& series, uint64_t time, double value) {
  times_.NoteTime(time);
  time = std::max(time, series.last_time);
  series.log.Add(time - series.last_time);
  series.log.Add(std::bit_cast<uint64_t>(value));
  series.last_time = time;
  ++series.count;
}

uint32_t FirefoxCounters::StartSeries(const Counter& counter, TrackId track) {
  const Event& event = tables_.events[counter.event];
  std::string name = event.name;
  if (counter.thread != kNoId) {
    absl::StrAppend(&name, " of ", tracks_[track].TidText());
  } else {
    has_cpu_counters_ = true;
  }
  if (counter.cpu >= 0) absl::StrAppend(&name, " on CPU ", counter.cpu);
  series_.emplace_back(
      std::move(name),
      event.counter_unit.empty() ? event.unit : event.counter_unit, track,
      /*memory=*/false, &log_memory_);
  return static_cast<uint32_t>(series_.size() - 1);
}

// The profiler divides a count by the time since the value before, so a value
// of 0 begins each stretch of time that does not follow another one.
void FirefoxCounters::OnCounter(const Counter& counter, TrackId track) {
  const auto [it, inserted] = ids_.try_emplace(
      std::tuple(counter.event, track, counter.cpu), uint32_t{0});
  if (inserted) it->second = StartSeries(counter, track);
  Series& series = series_[it->second];
  if (series.count >= kNoId - 1) return;
  const uint64_t since = std::min(
      counter.since.value_or(inserted ? times_.begin() : series.last_time),
      *counter.time);
  if (inserted || since > series.last_time) Add(series, since, 0);
  Add(series, *counter.time, counter.value);
}

// The fields are those of rss_stat in include/trace/events/kmem.h: a process
// that changes the memory of another one has `curr` 0.
void FirefoxCounters::OnMemory(const Sample& sample, TrackId track) {
  const auto space_id = NumberOf(sample.tracepoint, "mm_id");
  const auto current = NumberOf(sample.tracepoint, "curr");
  const auto member = NumberOf(sample.tracepoint, "member");
  const auto size = NumberOf(sample.tracepoint, "size");
  if (!space_id || !current || !member || !size || *member == kSwapped) return;
  Space& space = spaces_[static_cast<uint64_t>(*space_id)];
  // There are few kinds of pages; damaged samples may name any.
  constexpr size_t kMaxKinds = 16;
  if (space.sizes.size() >= kMaxKinds && !space.sizes.contains(*member)) {
    return;
  }
  if (space.series == kNoId && *current != 0) {
    space.series = static_cast<uint32_t>(series_.size());
    series_.emplace_back("Memory", "bytes", track, /*memory=*/true,
                         &log_memory_);
  }
  int64_t& before = space.sizes[*member];
  const double change =
      static_cast<double>(*size) - static_cast<double>(before);
  before = *size;
  if (space.series == kNoId || series_[space.series].count == kNoId) return;
  Add(series_[space.series], *sample.time, change);
}

void FirefoxCounters::WriteDisplay(const Series& series, JsonWriter& json) {
  const bool memory = series.is_memory;
  const auto row = [&](const char* source, const char* unit,
                       absl::string_view label) {
    json.BeginObject();
    WriteText(json, "type", "value");
    WriteText(json, "source", source);
    json.Key("format");
    json.BeginObject();
    WriteText(json, "unit", unit);
    json.EndObject();
    WriteText(json, "label", label);
    json.EndObject();
  };
  json.Key("display");
  json.BeginObject();
  WriteText(json, "graphType", memory ? "line-accumulated" : "line-rate");
  WriteText(json, "unit", memory ? "bytes" : series.unit);
  WriteText(json, "color", memory ? "orange" : "teal");
  json.Key("markerSchemaLocation");
  json.Null();
  WriteNumber(json, "sortWeight", memory ? 20 : 50);
  WriteText(json, "label", series.name);
  json.Key("tooltipRows");
  json.BeginArray();
  if (memory) {
    row("accumulated", "bytes", "relative memory at this time");
    row("count-range", "bytes", "memory range in graph");
  } else {
    row("count", "number",
        absl::StrCat(series.unit, " since the value before"));
    row("rate", "number", absl::StrCat(series.unit, " per ms"));
  }
  json.EndArray();
  json.EndObject();
}

void FirefoxCounters::WriteSeries(const Series& series, ThreadOf thread_of,
                                  JsonWriter& json) const {
  const auto [thread, pid] = thread_of(series.track);
  json.BeginObject();
  WriteText(json, "name", series.name);
  WriteText(json, "category", series.is_memory ? "Memory" : "Counters");
  WriteText(json, "description",
            series.is_memory ? "Resident memory of the process (kmem:rss_stat)"
                             : absl::StrCat("Counts in ", series.unit));
  WriteText(json, "pid", pid);
  WriteNumber(json, "mainThreadIndex", thread);
  json.Key("samples");
  json.BeginObject();
  uint64_t time = 0, last = 0;
  NumberLog::Reader times(series.log);
  WriteArray(json, "timeDeltas", series.count, [&](size_t) {
    time += times.Next();
    times.Next();
    json.Millis(times_.Elapsed(time) - last);
    last = times_.Elapsed(time);
  });
  NumberLog::Reader values(series.log);
  WriteArray(json, "count", series.count, [&](size_t) {
    values.Next();
    const auto value = std::bit_cast<double>(values.Next());
    // Of whole numbers, the writer would add ".0".
    constexpr double kMaxExact = uint64_t{1} << 53;
    if (std::trunc(value) == value && std::abs(value) < kMaxExact) {
      json.Int(static_cast<int64_t>(value));
    } else {
      json.Double(std::isfinite(value) ? value : 0);
    }
  });
  WriteNumber(json, "length", series.count);
  json.EndObject();
  WriteDisplay(series, json);
  json.EndObject();
}

void FirefoxCounters::Write(ThreadOf thread_of, JsonWriter& json) const {
  WriteArray(json, "counters", series_.size(),
             [&](size_t i) { WriteSeries(series_[i], thread_of, json); });
}

}  // namespace perf2x
