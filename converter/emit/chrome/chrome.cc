#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "converter/base/status_macros.h"
#include "converter/emit/chrome/chrome_counters.h"
#include "converter/emit/chrome/chrome_losses.h"
#include "converter/emit/chrome/chrome_sched.h"
#include "converter/emit/chrome/chrome_stacks.h"
#include "converter/emit/chrome/chrome_syscalls.h"
#include "converter/emit/chrome/chrome_timeline.h"
#include "converter/emit/chrome/chrome_trace.h"
#include "converter/emit/chrome/chrome_tracks.h"
#include "converter/emit/emitters.h"
#include "converter/emit/json_fields.h"

namespace perf2x {
namespace {

// What becomes of the samples of the event that drives the timeline.
enum class SampleForm { kSlices, kProfile, kInstants, kNone };

// perf's name for the samples that its BPF program takes of sleeping threads.
constexpr absl::string_view kOffCpuEvent = "offcpu-time";
// perf gives those that it sums up itself, at the end, times from here on.
constexpr uint64_t kNoRealTime = 0xffffffff00000000;

// What stands for the time between two samples where nothing tells.
constexpr uint64_t kFirstGuess = 1'000'000;
constexpr uint64_t kMinInterval = 1'000;
constexpr uint64_t kMaxInterval = 1'000'000'000;

class ChromeEmitter : public Emitter {
 public:
  struct Options {
    SampleForm samples = SampleForm::kSlices;
    bool absolute = false;
    int threads = 1;
  };

  ChromeEmitter(TraceTables& tables, std::unique_ptr<Output> output,
                Options options, Budget& budget)
      : tables_(tables),
        output_(std::move(output)),
        options_(std::move(options)),
        trace_(*output_, options_.absolute, options_.threads > 1),
        tracks_(tables, trace_),
        stacks_(tables, trace_, options_.threads),
        timeline_(tables, stacks_, tracks_, trace_, budget),
        counters_(tables, tracks_, trace_),
        losses_(tables, tracks_, trace_) {}

  EmitterRequirements needs() const override {
    return {.fields = true, .counters = true, .switches = true};
  }
  absl::Status Begin(const TraceInfo& info) override;
  absl::Status OnSample(const Sample& sample) override;
  absl::Status OnThread(ThreadId thread, std::optional<uint64_t> time) override;
  absl::Status OnFork(const Fork& fork) override;
  absl::Status OnExec(const Exec& exec) override;
  absl::Status OnExit(const Exit& exit) override;
  absl::Status OnSwitch(const Switch& event) override;
  absl::Status OnWakeup(const Wakeup& event) override;
  absl::Status OnCounter(const Counter& counter) override;
  absl::Status OnLost(const Lost& lost) override;
  absl::Status OnAuxGap(const AuxGap& gap) override;
  absl::Status OnThrottle(const Throttle& throttle) override;
  absl::Status Finish(const TraceSummary& summary) override;

 private:
  // What is kept of an event while its samples come in.
  struct EventState {
    absl::string_view name;
    uint64_t interval = 0;  // ns between samples; 0: not known
    uint64_t guess = kFirstGuess;
    std::vector<uint64_t> last;  // time of the last sample, by TrackId
    // Of a recording without times: where the next sample goes, by TrackId.
    std::vector<uint64_t> next;
  };

  // The row of a thread's sums of off-CPU time.
  struct OffCpuSums {
    uint64_t placed = 0;  // ns
    const SliceRow* row = nullptr;
  };

  EventState& StateOf(EventId event);
  EventId ChooseDriver() const;
  uint64_t IntervalOf(EventState& state, const Sample& sample, TrackId track);
  void Untimed(const Sample& sample, TrackId track);
  void OffCpu(const Sample& sample, TrackId track, absl::string_view category);
  void Instant(const Sample& sample, TrackId track, absl::string_view name);
  void OnTimeline(const Sample& sample, TrackId track, uint64_t time,
                  uint64_t interval, absl::string_view category);
  void NoteCgroup(const Sample& sample, TrackId track);
  void WriteOtherData(const TraceSummary& summary, JsonWriter& json) const;

  TraceTables& tables_;
  const std::unique_ptr<Output> output_;
  const Options options_;
  TraceInfo info_;
  ChromeTrace trace_;
  ChromeTracks tracks_;
  ChromeStacks stacks_;
  ChromeTimeline timeline_;
  ChromeCounters counters_;
  ChromeLosses losses_;
  // Made by Begin.
  std::optional<ChromeSched> sched_;
  std::optional<ChromeSyscalls> syscalls_;
  EventId driver_ = kNoId;
  std::deque<EventState> events_;         // by EventId; elements do not move
  std::vector<OffCpuSums> off_cpu_sums_;  // by TrackId
};

bool TakesSamplesOfPrograms(const Event& event) {
  return !event.tracepoint && event.name != kOffCpuEvent &&
         !absl::StartsWith(event.name, "dummy");
}

// Whether a sample has what slices cannot show: of memory, of branches, of a
// tracepoint.
// Recorders write fields that they have no value for as 0 or without a word.
bool IsNothing(const Field& field) {
  if (const auto* hex = std::get_if<Field::Hex>(&field.value)) {
    return hex->value == 0;
  }
  if (const auto* number = std::get_if<uint64_t>(&field.value)) {
    return *number == 0;
  }
  const auto* text = std::get_if<absl::string_view>(&field.value);
  return text != nullptr && text->empty();
}

bool SaysMoreThanItsStack(const Sample& sample) {
  if (!sample.tracepoint.empty()) return true;
  for (absl::string_view name :
       {"addr", "phys_addr", "data_src", "weight", "branch_stack"}) {
    for (const Field& field : sample.fields) {
      if (field.name == name && !IsNothing(field)) return true;
    }
  }
  return false;
}

// The event that drives the timeline: of those that the user named the first,
// else of all the first, that takes samples of programs. When the user named
// others only, the first of those.
EventId ChromeEmitter::ChooseDriver() const {
  const auto& events = tables_.events;
  EventId best = kNoId;
  const auto rank = [&](EventId i) {
    return std::pair(!TakesSamplesOfPrograms(events[i]), events[i].named);
  };
  for (EventId i = 0; i < events.size(); ++i) {
    const bool may =
        events[i].named != kNoId &&
        (events[i].named != 0 || TakesSamplesOfPrograms(events[i]));
    if (may && (best == kNoId || rank(i) < rank(best))) best = i;
  }
  return best;
}

absl::Status ChromeEmitter::Begin(const TraceInfo& info) {
  info_ = info;
  driver_ = ChooseDriver();
  const auto& events = tables_.events;
  const bool has_migrations = std::any_of(
      events.begin(), events.end(),
      [](const Event& e) { return e.name == "sched:sched_migrate_task"; });
  const bool has_slices =
      std::any_of(events.begin(), events.end(),
                  [](const Event& e) { return !e.tracepoint; });
  sched_.emplace(tracks_, trace_, !has_migrations);
  syscalls_.emplace(info.arch, has_slices, tracks_, trace_);
  return absl::OkStatus();
}

ChromeEmitter::EventState& ChromeEmitter::StateOf(EventId id) {
  if (id >= events_.size()) events_.resize(id + 1);
  EventState& state = events_[id];
  if (state.name.empty()) {
    const Event& event = tables_.events[id];
    state.name = tables_.strings[tables_.strings.Intern(
        event.name.empty() ? "samples" : event.name)];
    if (event.period > 0 && event.period_is_frequency) {
      state.interval = std::max(1'000'000'000 / event.period, kMinInterval);
    }
  }
  return state;
}

// How long a sample stands for. Clocks say it themselves, for some events the
// frequency was asked for; for the others it is the usual distance between
// samples of a thread, which the guess follows in small steps.
uint64_t ChromeEmitter::IntervalOf(EventState& state, const Sample& sample,
                                   TrackId track) {
  const Event& event = tables_.events[sample.event];
  if (event.unit == "nanoseconds" && sample.period > 1) {
    return std::clamp(sample.period, kMinInterval, kMaxInterval);
  }
  if (state.interval != 0) return state.interval;
  if (!sample.time.has_value()) return state.guess;
  if (track >= state.last.size()) state.last.resize(track + 1);
  const uint64_t before = std::exchange(state.last[track], *sample.time);
  if (before != 0 && *sample.time > before) {
    const uint64_t distance = *sample.time - before;
    const uint64_t step = state.guess / 8;
    state.guess =
        distance > state.guess ? state.guess + step : state.guess - step;
    state.guess = std::clamp(state.guess, kMinInterval, kMaxInterval);
  }
  return state.guess;
}

absl::Status ChromeEmitter::OnSample(const Sample& sample) {
  const TrackId track = tracks_.Of(sample.thread, sample.time);
  if (!sample.time.has_value()) {
    Untimed(sample, track);
    return trace_.MaybeFlush();
  }
  const uint64_t time = *sample.time;
  EventState& state = StateOf(sample.event);
  NoteCgroup(sample, track);
  if (state.name == kOffCpuEvent) {
    OffCpu(sample, track, state.name);
    return trace_.MaybeFlush();
  }
  if (sample.event == driver_ && options_.samples != SampleForm::kInstants) {
    OnTimeline(sample, track, time, IntervalOf(state, sample, track),
               state.name);
    if (SaysMoreThanItsStack(sample)) Instant(sample, track, state.name);
  } else {
    Instant(sample, track, state.name);
  }
  if (tables_.events[sample.event].tracepoint) {
    syscalls_->Sample(state.name, track, time, sample.tracepoint);
  }
  return trace_.MaybeFlush();
}

void ChromeEmitter::OnTimeline(const Sample& sample, TrackId track,
                               uint64_t time, uint64_t interval,
                               absl::string_view category) {
  trace_.Elapsed(time);
  if (options_.samples == SampleForm::kSlices) {
    timeline_.SliceSample(track, sample.stack, time, interval, category);
  } else if (options_.samples == SampleForm::kProfile) {
    timeline_.ProfileSample(track, sample.stack, time, interval);
  }
}

// Samples say which cgroup their thread is in, by name where the recording has
// that.
void ChromeEmitter::NoteCgroup(const Sample& sample, TrackId track) {
  for (const Field& field : sample.fields) {
    if (field.name != "cgroup") continue;
    if (const auto* path = std::get_if<absl::string_view>(&field.value)) {
      tracks_.SetCgroup(track, tables_.strings.Intern(*path), *sample.time);
    }
    return;
  }
}

// A recording without times still has an order: each sample gets one interval
// of its thread's row, one after another.
void ChromeEmitter::Untimed(const Sample& sample, TrackId track) {
  if (sample.event != driver_) return;
  EventState& state = StateOf(sample.event);
  const uint64_t interval = IntervalOf(state, sample, track);
  if (track >= state.next.size()) state.next.resize(track + 1);
  const uint64_t time = state.next[track];
  state.next[track] += interval;
  OnTimeline(sample, track, time, interval, state.name);
  trace_.Elapsed(state.next[track]);
}

void ChromeEmitter::Instant(const Sample& sample, TrackId track,
                            absl::string_view name) {
  const bool tracepoint = tables_.events[sample.event].tracepoint;
  trace_.Instant(
      name, name, tracks_.track(track), *sample.time, [&](JsonWriter& json) {
        WriteFields(sample.tracepoint, json);
        // A tracepoint's own field of a name has precedence; the event's number
        // is nothing to look at.
        for (const Field& field : sample.fields) {
          if (field.name != "id" && !HasField(sample.tracepoint, field.name)) {
            WriteFields({&field, 1}, json);
          }
        }
        const auto is_free = [&](absl::string_view key) {
          return !HasField(sample.tracepoint, key) &&
                 !HasField(sample.fields, key);
        };
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
        // The stack of a tracepoint, where none was recorded, is a
        // place in the kernel's tracing code.
        if (!tracepoint || stacks_.Of(sample.stack).size() > 1) {
          stacks_.WriteStack(sample.stack, json);
        }
      });
}

void ChromeEmitter::OffCpu(const Sample& sample, TrackId track,
                           absl::string_view category) {
  if (options_.samples == SampleForm::kNone) return;
  if (*sample.time < kNoRealTime) {
    // Taken when the thread was back, for the time it had been away.
    timeline_.OffCpu(track, sample.stack,
                     *sample.time - std::min(*sample.time, sample.period),
                     *sample.time, category);
    return;
  }
  // The sum of all sleeps with one stack. When they were is not known: the sums
  // stand one after another on a row of their own.
  if (track >= off_cpu_sums_.size()) off_cpu_sums_.resize(track + 1);
  OffCpuSums& sums = off_cpu_sums_[track];
  if (sums.row == nullptr) {
    sums.row = trace_.RowText(category, tracks_.OffCpuSums(track));
  }
  const uint64_t begin = trace_.start().value_or(0) + sums.placed;
  sums.placed += sample.period;
  uint64_t end = begin + sample.period;
  for (const EntryId entry : stacks_.Of(sample.stack)) {
    if (end > begin) --end;  // see ChromeSlices
    trace_.Slice(stacks_.Text(entry), sums.row, begin, end);
  }
}

absl::Status ChromeEmitter::OnThread(ThreadId thread,
                                     std::optional<uint64_t> time) {
  tracks_.Of(thread, time);
  return trace_.MaybeFlush();
}

absl::Status ChromeEmitter::OnFork(const Fork& fork) {
  const TrackId parent = tracks_.Of(fork.parent, fork.time);
  const TrackId child_track = tracks_.Of(fork.child, fork.time);
  const ChromeTrack child = tracks_.track(child_track);
  if (!fork.time.has_value()) return absl::OkStatus();
  sched_->OnFork(child_track);
  trace_.Instant("fork", "task", tracks_.track(parent), *fork.time,
                 [child](JsonWriter& json) {
                   json.Key("child_pid");
                   json.Int(child.pid);
                   json.Key("child_tid");
                   json.Int(child.tid);
                 });
  return trace_.MaybeFlush();
}

absl::Status ChromeEmitter::OnExec(const Exec& exec) {
  const TrackId track = tracks_.Of(exec.thread, exec.time);
  if (!exec.time.has_value()) return absl::OkStatus();
  trace_.Instant("exec", "task", tracks_.track(track), *exec.time,
                 [this, track](JsonWriter& json) {
                   json.Key("name");
                   json.String(tracks_.name(track));
                 });
  return trace_.MaybeFlush();
}

absl::Status ChromeEmitter::OnExit(const Exit& exit) {
  const TrackId track = tracks_.Of(exit.thread, exit.time);
  if (!exit.time.has_value()) return absl::OkStatus();
  timeline_.Stop(track, *exit.time);
  sched_->OnExit(track, *exit.time);
  trace_.Instant("exit", "task", tracks_.track(track), *exit.time,
                 [](JsonWriter&) {});
  return trace_.MaybeFlush();
}

absl::Status ChromeEmitter::OnSwitch(const Switch& event) {
  const TrackId track = tracks_.Of(event.thread, event.time);
  if (!event.time.has_value()) return absl::OkStatus();
  trace_.Elapsed(*event.time);
  if (event.out) timeline_.Stop(track, *event.time);
  if (event.after_gap) sched_->OnLost(event.cpu);
  sched_->OnSwitch(track, event,
                   event.stack == kNoId ? "" : stacks_.BlockedIn(event.stack));
  return trace_.MaybeFlush();
}

absl::Status ChromeEmitter::OnWakeup(const Wakeup& event) {
  if (!event.time.has_value()) return absl::OkStatus();
  trace_.Elapsed(*event.time);
  sched_->OnWakeup(tracks_.Of(event.woken, event.time), event);
  return trace_.MaybeFlush();
}

absl::Status ChromeEmitter::OnCounter(const Counter& counter) {
  counters_.OnCounter(counter);
  return trace_.MaybeFlush();
}

absl::Status ChromeEmitter::OnLost(const Lost& lost) {
  if (!lost.time.has_value() || *lost.time >= kNoRealTime) {
    return absl::OkStatus();
  }
  if (!lost.samples) sched_->OnLost(lost.cpu);
  losses_.OnLost(lost);
  return trace_.MaybeFlush();
}

absl::Status ChromeEmitter::OnAuxGap(const AuxGap& gap) {
  if (gap.time.has_value()) losses_.OnAuxGap(gap);
  return trace_.MaybeFlush();
}

absl::Status ChromeEmitter::OnThrottle(const Throttle& throttle) {
  if (throttle.time.has_value()) losses_.OnThrottle(throttle);
  return trace_.MaybeFlush();
}

void ChromeEmitter::WriteOtherData(const TraceSummary& summary,
                                   JsonWriter& json) const {
  const auto text = [&json](absl::string_view key, absl::string_view value) {
    if (value.empty()) return;
    json.Key(key);
    json.String(value);
  };
  text("converter", "perf2x " PERF2X_VERSION);
  text("input", info_.input);
  text("clock", info_.clock);
  if (trace_.start().has_value()) {
    // As text: readers take numbers for doubles, which have no room for it.
    text("start_ns", absl::StrCat(*trace_.start()));
    if (info_.wall_clock_offset.has_value()) {
      text("start_wall_clock_ns",
           absl::StrCat(static_cast<int64_t>(
               *trace_.start() +
               static_cast<uint64_t>(*info_.wall_clock_offset))));
    }
  }
  text("hostname", info_.hostname);
  text("os_release", info_.os_release);
  text("arch", info_.arch);
  text("cpu", info_.cpu_description);
  text("perf_version", info_.perf_version);
  text("command_line", absl::StrJoin(info_.command_line, " "));
  text("losses", absl::StrJoin(summary.losses, "; "));
}

absl::Status ChromeEmitter::Finish(const TraceSummary& summary) {
  const uint64_t end = trace_.latest();
  timeline_.Finish(end);
  if (sched_.has_value()) sched_->Finish(end);
  losses_.Finish(end);
  counters_.Finish();
  tracks_.Finish();
  RETURN_IF_ERROR(
      trace_.Finish([&](JsonWriter& json) { WriteOtherData(summary, json); }));
  return output_->Close();
}

absl::StatusOr<std::unique_ptr<Emitter>> MakeChromeEmitter(
    const EmitterContext& context) {
  ChromeEmitter::Options options;
  const std::string& samples = context.options.at("samples");
  if (samples == "slices") {
    options.samples = SampleForm::kSlices;
  } else if (samples == "profile") {
    options.samples = SampleForm::kProfile;
  } else if (samples == "instants") {
    options.samples = SampleForm::kInstants;
  } else if (samples == "none") {
    options.samples = SampleForm::kNone;
  } else {
    return absl::InvalidArgumentError(
        absl::StrCat("--samples is slices, profile, instants or none, not \"",
                     samples, "\""));
  }
  options.threads = context.threads;
  options.absolute = context.options.at("absolute-time") == "true";
  ASSIGN_OR_RETURN(std::unique_ptr<Output> output, context.outputs.Open(""));
  return std::make_unique<ChromeEmitter>(context.tables, std::move(output),
                                         std::move(options), context.budget);
}

}  // namespace

EmitterInfo ChromeEmitterInfo() {
  static constexpr EmitterOption kOptions[] = {
      {"samples", "FORM", "Show samples as slices, profile, instants or none",
       "slices"},
      {"absolute-time", "", "Keep the recording's clock", ""},
  };
  return {.name = "chrome",
          .extension = ".json",
          .summary = "Chrome trace JSON, for Perfetto and others",
          .options = kOptions,
          .make = MakeChromeEmitter,
          .advice =
              "open it on https://ui.perfetto.dev or in "
              "chrome://tracing"};
}

}  // namespace perf2x
