// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/firefox/firefox_samples.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

#include "converter/emit/json_column.h"

namespace perf2x {
namespace {

constexpr uint64_t kNsPerSecond = 1'000'000'000, kNsPerUs = 1000;

// The profiler has doubles for all numbers, so nothing is lost.
void WriteUint(uint64_t number, JsonWriter& json) {
  constexpr uint64_t kMax = std::numeric_limits<int64_t>::max();
  number <= kMax ? json.Int(static_cast<int64_t>(number))
                 : json.Double(static_cast<double>(number));
}

}  // namespace

uint64_t SamplingInterval(const Event& event) {
  if (event.period == 0) return 0;
  if (event.period_is_frequency) return kNsPerSecond / event.period;
  return event.kind == EventKind::kClock ? event.period : 0;
}

// Reads the log of a series.
class FirefoxSamples::Entries {
 public:
  Entries(const Series& series, bool has_weights)
      : reader_(series.log), has_weights_(has_weights) {}

  Entry Next() {
    entry_.time += reader_.Next();
    entry_.stack = static_cast<StackId>(reader_.Next());
    const uint64_t cpu = reader_.Next();
    entry_.cpu = cpu == 0 ? std::nullopt : std::optional(cpu - 1);
    if (has_weights_) entry_.period = reader_.Next();
    return entry_;
  }

 private:
  NumberLog::Reader reader_;
  const bool has_weights_;
  Entry entry_;
};

FirefoxSamples::Series& FirefoxSamples::SeriesOf(TrackId track, EventId event) {
  const std::pair key(track, event);
  if (key == last_key_) return series_[last_];
  const auto [it, inserted] =
      ids_.try_emplace(key, static_cast<uint32_t>(series_.size()));
  if (inserted) series_.push_back({track, event, NumberLog(&log_memory_)});
  last_key_ = key;
  last_ = it->second;
  return series_[last_];
}

// Times of a table must ascend. A sleep is shown from its beginning: its sample
// is taken at the end. Samples without times follow each other.
uint64_t FirefoxSamples::TimeOf(const Sample& sample, const Series& series) {
  const Event& event = tables_.events[sample.event];
  const bool sleep = event.kind == EventKind::kOffCpu;
  uint64_t time = std::max(series.last_time, times_.begin());
  if (sample.time.has_value()) {
    times_.NoteTime(*sample.time);
    const uint64_t begin =
        *sample.time - (sleep ? std::min(*sample.time, sample.period) : 0);
    times_.NoteTime(begin);
    time = std::max(series.last_time, begin);
  } else if (!sleep && series.count > 0) {
    const uint64_t interval = SamplingInterval(event);
    const uint64_t step = interval == 0 ? kDefaultInterval : interval;
    times_.NoteTime(series.last_time);  // the origin, if there are no others
    time += std::min(step, ~uint64_t{0} - time);
    times_.NoteTime(time);
  }
  return time;
}

// Switches tell how long the thread ran since the sample before. Else, a clock
// that ticks while the thread runs does: the sum of its periods is the time on
// a CPU, though the clocks of two CPUs may tick within less than a period. The
// profiler shows at most the time that passed. Else, an event's frequency does.
std::optional<uint64_t> FirefoxSamples::CpuTime(
    const Sample& sample, uint64_t time, std::optional<uint64_t> run_time,
    Series& series) const {
  const Event& event = tables_.events[sample.event];
  if (event.kind == EventKind::kOffCpu) return 0;
  const std::optional<uint64_t> before = series.last_run_time;
  series.last_run_time = run_time;
  if (run_time.has_value()) {
    return *run_time - std::min(*run_time, before.value_or(0));
  }
  if (event.kind == EventKind::kClock) return sample.period;
  const uint64_t elapsed = series.count == 0 ? 0 : time - series.last_time;
  const uint64_t interval = SamplingInterval(event);
  if (interval == 0 || !SamplesCode(event.kind)) return std::nullopt;
  return std::min(interval, elapsed);
}

void FirefoxSamples::Add(TrackId track, const Sample& sample,
                         std::optional<uint64_t> run_time) {
  Series& series = SeriesOf(track, sample.event);
  if (series.count == kNoId) return;  // more than a table can have
  const uint64_t time = TimeOf(sample, series);
  const std::optional<uint64_t> cpu = CpuTime(sample, time, run_time, series);
  series.log.Add(time - series.last_time);
  series.log.Add(sample.stack);
  series.log.Add(cpu.has_value() ? std::min(*cpu, ~uint64_t{0} - 1) + 1 : 0);
  if (HasWeights(sample.event)) series.log.Add(sample.period);
  series.last_time = time;
  series.has_cpu |= cpu.has_value();
  cpu_in_us_ = cpu_in_us_ && cpu.value_or(0) % kNsPerUs == 0;
  ++series.count;
  if (sample.event >= has_samples_.size()) {
    has_samples_.resize(sample.event + 1);
  }
  has_samples_[sample.event] = true;
}

EventId FirefoxSamples::MainEvent() const {
  EventId best = kNoId;
  const auto rank = [this](EventId event) {
    const Event& e = tables_.events[event];
    return std::tuple(!SamplesCode(e.kind), e.selection_rank, event);
  };
  for (EventId event = 0; event < has_samples_.size(); ++event) {
    if (!has_samples_[event]) continue;
    if (best == kNoId || rank(event) < rank(best)) best = event;
  }
  return best;
}

void FirefoxSamples::Finish(UsedStacks& stacks) {
  for (const Series& series : series_) {
    Entries entries(series, HasWeights(series.event));
    for (uint32_t i = 0; i < series.count; ++i) {
      stacks.Use(entries.Next().stack);
    }
  }
  by_track_.resize(series_.size());
  std::iota(by_track_.begin(), by_track_.end(), 0);
  std::sort(by_track_.begin(), by_track_.end(), [this](uint32_t a, uint32_t b) {
    return std::pair(series_[a].track, series_[a].event) <
           std::pair(series_[b].track, series_[b].event);
  });
}

std::vector<EventId> FirefoxSamples::EventsOf(TrackId track) const {
  std::vector<EventId> events;
  auto it = std::lower_bound(
      by_track_.begin(), by_track_.end(), track,
      [this](uint32_t i, TrackId t) { return series_[i].track < t; });
  for (; it != by_track_.end() && series_[*it].track == track; ++it) {
    events.push_back(series_[*it].event);
  }
  return events;
}

void FirefoxSamples::Write(TrackId track, EventId event,
                           const FirefoxCode& code, JsonWriter& json) const {
  const auto found = ids_.find(std::pair(track, event));
  const Series none{track, event, NumberLog(nullptr)};
  const Series& series = found == ids_.end() ? none : series_[found->second];
  const bool has_weights = event != kNoId && HasWeights(event);
  const bool is_time =
      has_weights && tables_.events[event].unit == "nanoseconds";
  // Calls `write` for each sample, in order.
  const auto column = [&](absl::string_view key, auto write) {
    Entries entries(series, has_weights);
    WriteArray(json, key, series.count, [&](size_t) { write(entries.Next()); });
  };
  json.BeginObject();
  column("stack", [&](const Entry& entry) {
    const uint32_t stack = code.StackOf(entry.stack);
    stack == kNoId ? json.Null() : json.Int(stack);
  });
  uint64_t last = 0;
  column("timeDeltas", [&](const Entry& entry) {
    const uint64_t time = times_.Elapsed(entry.time);
    json.Millis(time - last);
    last = time;
  });
  if (has_weights) {
    column("weight", [&](const Entry& entry) {
      is_time ? json.Millis(entry.period) : WriteUint(entry.period, json);
    });
  } else {
    json.Key("weight");
    json.Null();
  }
  WriteText(json, "weightType", is_time ? "tracing-ms" : "samples");
  if (series.has_cpu) {
    const uint64_t unit = cpu_in_us_ ? kNsPerUs : 1;
    column("threadCPUDelta", [&](const Entry& entry) {
      entry.cpu.has_value() ? WriteUint(*entry.cpu / unit, json) : json.Null();
    });
  }
  WriteNumber(json, "length", series.count);
  json.EndObject();
}

}  // namespace perf2x
