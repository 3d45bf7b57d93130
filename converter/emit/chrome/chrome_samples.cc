// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/chrome/chrome_samples.h"

#include <algorithm>
#include <utility>

#include "converter/base/saturating_add.h"
#include "converter/emit/json_fields.h"
#include "converter/emit/sample_measurements.h"
#include "converter/model/sample_field.h"

namespace perf2x {
namespace {

EventId ChooseDriver(const std::vector<Event>& events) {
  EventId best = kNoId;
  const auto rank = [&](EventId i) {
    return std::pair(!SamplesCode(events[i].kind), events[i].selection_rank);
  };
  for (EventId i = 0; i < events.size(); ++i) {
    const bool may =
        events[i].selection_rank != kNoId &&
        (events[i].selection_rank != 0 || SamplesCode(events[i].kind));
    if (may && (best == kNoId || rank(i) < rank(best))) best = i;
  }
  return best;
}

// Returns true if threads' rows have slices of samples, given the driving
// event.
bool HasSlices(SampleForm form, EventId driver,
               const std::vector<Event>& events) {
  if (form == SampleForm::kNone) return false;
  if (form == SampleForm::kSlices && driver != kNoId) return true;
  return std::any_of(events.begin(), events.end(), [](const Event& e) {
    return e.kind == EventKind::kOffCpu;
  });
}

// Returns true if a sample has values that slices do not show.
bool HasMoreThanAStack(const Sample& sample) {
  return !sample.tracepoint.empty() || HasMeasurement(sample.fields);
}

}  // namespace

ChromeSamples::ChromeSamples(SampleForm form, const std::string& arch,
                             TraceTables& tables, ChromeStacks& stacks,
                             ChromeTracks& tracks, ChromeTimeline& timeline,
                             ChromeTrace& trace)
    : form_(form),
      tables_(tables),
      stacks_(stacks),
      tracks_(tracks),
      timeline_(timeline),
      trace_(trace),
      driver_(ChooseDriver(tables.events)),
      own_syscall_rows_(HasSlices(form, driver_, tables.events)),
      syscalls_(arch) {}

ChromeSamples::EventState& ChromeSamples::StateOf(EventId id) {
  if (id >= events_.size()) events_.resize(id + 1);
  std::optional<EventState>& state = events_[id];
  if (!state.has_value()) {
    const Event& event = tables_.events[id];
    const absl::string_view name =
        event.name.empty() ? absl::string_view("samples") : event.name;
    state.emplace(EventState{tables_.strings[tables_.strings.Intern(name)],
                             SampleIntervals(event), TracepointUseOf(event)});
  }
  return *state;
}

void ChromeSamples::OnSample(const Sample& sample) {
  const TrackId track = tracks_.TrackOf(sample.thread, sample.time);
  const EventKind kind = tables_.events[sample.event].kind;
  if (kind == EventKind::kOffCpu) {
    if (sample.time.has_value()) NoteCgroup(sample, track);
    return OffCpu(sample, track, StateOf(sample.event).name);
  }
  if (!sample.time.has_value()) return Untimed(sample, track);
  EventState& state = StateOf(sample.event);
  NoteCgroup(sample, track);
  const bool on_timeline = IsOnTimeline(sample.event);
  if (on_timeline) {
    OnTimeline(sample, track, *sample.time,
               state.intervals.IntervalOf(sample, track), state.name);
  }
  if (!on_timeline || HasMoreThanAStack(sample)) {
    Instant(sample, track, *sample.time, state.name);
  }
  const std::optional<SystemCall> call =
      syscalls_.OnSample(state.use, track, *sample.time, sample.tracepoint);
  if (call.has_value()) ShowSyscall(*call, track);
}

void ChromeSamples::ShowSyscall(const SystemCall& call, TrackId track) {
  const ChromeTrack row = tracks_.track(track);
  if (own_syscall_rows_) {
    trace_.AsyncSlice(call.name, "syscall", row, static_cast<uint64_t>(row.tid),
                      call.begin, call.end, [](JsonWriter&) {});
  } else {
    trace_.Slice(call.name, "syscall", row, call.begin, call.end);
  }
}

void ChromeSamples::OnTimeline(const Sample& sample, TrackId track,
                               uint64_t time, uint64_t interval,
                               absl::string_view category) {
  trace_.NoteTime(time);
  if (form_ == SampleForm::kSlices) {
    timeline_.SliceSample(track, sample.stack, time, interval, category);
  } else if (form_ == SampleForm::kProfile) {
    timeline_.ProfileSample(track, sample.stack, time, interval);
  }
}

// Shows changes of the thread's cgroup, if the recording has the cgroup's path.
void ChromeSamples::NoteCgroup(const Sample& sample, TrackId track) {
  for (const Field& field : sample.fields) {
    if (field.name != "cgroup") continue;
    if (const auto* path = std::get_if<absl::string_view>(&field.value)) {
      tracks_.SetCgroup(track, tables_.strings.Intern(*path), *sample.time);
    }
    return;
  }
}

// Samples of a recording without times still have an order: they are shown one
// after another on their thread's row, each for one interval.
void ChromeSamples::Untimed(const Sample& sample, TrackId track) {
  EventState& state = StateOf(sample.event);
  const uint64_t interval = state.intervals.IntervalOf(sample, track);
  const bool on_timeline = IsOnTimeline(sample.event);
  std::vector<uint64_t>& next = on_timeline ? next_slice_ : next_instant_;
  if (track >= next.size()) next.resize(track + 1);
  const uint64_t start = trace_.start().value_or(0);
  const uint64_t time = SaturatingAdd(start, next[track]);
  next[track] = SaturatingAdd(next[track], interval);
  if (on_timeline) OnTimeline(sample, track, time, interval, state.name);
  if (!on_timeline || HasMoreThanAStack(sample)) {
    Instant(sample, track, time, state.name);
  }
  trace_.NoteTime(SaturatingAdd(start, next[track]));
}

void ChromeSamples::Instant(const Sample& sample, TrackId track, uint64_t time,
                            absl::string_view name) {
  trace_.Instant(name, name, tracks_.track(track), time,
                 [&](JsonWriter& json) { WriteArgs(sample, json); });
}

// A tracepoint's own field has precedence over a sample field of the same name.
void ChromeSamples::WriteArgs(const Sample& sample, JsonWriter& json) {
  WriteFields(sample.tracepoint, json);
  for (const Field& field : sample.fields) {
    const SampleField* known = FindSampleField(field.name);
    const bool is_event_id = known != nullptr && known->is_event_id;
    if (!is_event_id && !HasField(sample.tracepoint, field.name)) {
      WriteFields({&field, 1}, json);
    }
  }
  const auto is_free = [&](absl::string_view key) {
    return !HasField(sample.tracepoint, key) && !HasField(sample.fields, key);
  };
  const bool tracepoint =
      tables_.events[sample.event].kind == EventKind::kTracepoint;
  if (sample.cpu >= 0 && is_free("cpu")) {
    json.Key("cpu");
    json.Int(sample.cpu);
  }
  if (!tracepoint && is_free("period")) {
    json.Key("period");
    json.Uint(sample.period);
  }
  if (sample.ip != 0 && is_free("address")) {
    json.Key("address");
    json.Hex(sample.ip);
  }
  // If no stack was recorded with a tracepoint, its only frame is a place in
  // the kernel's tracing code.
  if (!tracepoint || stacks_.EntriesOf(sample.stack).size() > 1) {
    FreeKey key("stack");
    for (const Field& field : sample.tracepoint) key.Avoid(field.name);
    stacks_.WriteStack(key.Text(), sample.stack, json);
  }
}

void ChromeSamples::OffCpu(const Sample& sample, TrackId track,
                           absl::string_view category) {
  if (form_ == SampleForm::kNone) return;
  if (!sample.time.has_value()) return OffCpuSum(sample, track, category);
  // The kernel takes the sample when the thread runs again; the period is the
  // time that the thread was off its CPU.
  const uint64_t begin = *sample.time - std::min(*sample.time, sample.period);
  trace_.NoteTime(begin);
  trace_.NoteTime(*sample.time);
  timeline_.OffCpu(track, sample.stack, begin, *sample.time, category);
}

// The sample is the sum of all sleeps with one stack. The times of the sleeps
// are not known, so the sums are shown one after another on a separate row.
void ChromeSamples::OffCpuSum(const Sample& sample, TrackId track,
                              absl::string_view category) {
  if (track >= off_cpu_sums_.size()) off_cpu_sums_.resize(track + 1);
  OffCpuSums& sums = off_cpu_sums_[track];
  if (sums.row == nullptr) {
    sums.row = trace_.Row(category, tracks_.OffCpuSums(track));
  }
  const uint64_t begin = SaturatingAdd(trace_.start().value_or(0), sums.placed);
  sums.placed = SaturatingAdd(sums.placed, sample.period);
  uint64_t end = SaturatingAdd(begin, sample.period);
  for (const EntryId entry : stacks_.EntriesOf(sample.stack)) {
    if (end > begin) --end;  // see ChromeSlices::Close
    if (!stacks_.TryChargeName(entry)) continue;
    trace_.Slice(stacks_.Text(entry), sums.row, begin, end);
  }
}

}  // namespace perf2x
