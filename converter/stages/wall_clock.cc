// SPDX-License-Identifier: Apache-2.0
#include "converter/stages/wall_clock.h"

#include <algorithm>
#include <cstddef>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "converter/base/status_macros.h"

namespace perf2x {
namespace {

// The values of the tag `state`, by TimeState.
constexpr std::array<const char*, kTimeStates> kStateNames = {
    "running", "runnable", "sleeping", "disk",
    "stopped", "lock",     "blocked",  "unknown"};

// Maximum number of wakers that are shown as frames of a wait.
constexpr size_t kMaxWakers = 4;

}  // namespace

WallClock::WallClock(TraceTables& tables, Emitter& to,
                     const WallClockOptions& options, Budget& budget,
                     Diagnostics* diagnostics)
    : ForwardingEmitter(to),
      tables_(tables),
      options_(options),
      to_requirements_(to.requirements()),
      budget_(budget),
      memory_(budget),
      diagnostics_(diagnostics),
      times_(tables, *this, options.wakers ? kMaxWakers : 1),
      sums_(options.pipeline),
      marks_{},
      state_names_{},
      tags_(1) {}

EmitterRequirements WallClock::requirements() const {
  EmitterRequirements requirements = to_requirements_;
  requirements.switches = true;
  requirements.branches = requirements.accesses = false;
  requirements.only_sums = requirements.spills = false;
  return requirements;
}

EventId WallClock::AddEvent(const char* name, EventKind kind) {
  const auto id = static_cast<EventId>(tables_.events.size());
  Event event;
  event.name = name;
  event.kind = kind;
  event.unit = "nanoseconds";
  event.derived = true;
  tables_.events.push_back(std::move(event));
  return id;
}

absl::Status WallClock::Begin(const TraceInfo& info) {
  stacks_.emplace(tables_, budget_);
  for (size_t i = 0; i < kTimeStates; ++i) {
    state_names_[i] = tables_.strings.Intern(kStateNames[i]);
    const std::string mark = absl::StrCat(
        "[", kStateNames[i],
        static_cast<TimeState>(i) == TimeState::kUnknown ? " time]" : "]");
    marks_[i][0] = stacks_->InternMarks({mark});
    marks_[i][1] = stacks_->InternMarks({mark, "[last sample]"});
  }
  if (!options_.has_time_line) wall_ = AddEvent("wall", EventKind::kClock);
  cpu_ = AddEvent("cpu", EventKind::kClock);
  offcpu_ = AddEvent("offcpu", EventKind::kOffCpu);
  return to().Begin(info);
}

// Prefers events whose periods are times; then the user's and the recording's
// order decides. In pipes, the event may be described late.
void WallClock::ChooseDriver() {
  searched_ = tables_.events.size();
  const auto rank = [this](EventId id) {
    const Event& event = tables_.events[id];
    return std::tuple(event.kind != EventKind::kClock, event.selection_rank,
                      id);
  };
  for (EventId id = 0; id < tables_.events.size(); ++id) {
    const Event& event = tables_.events[id];
    const bool may =
        !event.derived && event.selection_rank != kNoId &&
        (event.kind == EventKind::kClock || event.kind == EventKind::kSampled);
    if (may && (driver_ == kNoId || rank(id) < rank(driver_))) driver_ = id;
  }
}

// Also finds those of all events before.
const WallClock::Use& WallClock::FindUses(EventId id) {
  while (uses_.size() <= id) {
    const EventId next = static_cast<EventId>(uses_.size());
    const Event& event = tables_.events[next];
    if (driver_ == kNoId && searched_ != tables_.events.size()) ChooseDriver();
    Use use;
    if (next == driver_) {
      use.kind = Use::kRuns;
    } else if (event.kind == EventKind::kOffCpu && !event.derived) {
      use.kind = Use::kOffCpu;
    } else if (const auto lock = LockTracepointOf(event.tracepoint)) {
      use = {Use::kLock, *lock};
    }
    uses_.push_back(use);
  }
  return uses_[id];
}

// Returns the time that a sample stands for, in ns; 0 if it is not known.
uint64_t WallClock::IntervalOf(const Sample& sample) const {
  const Event& event = tables_.events[sample.event];
  if (event.kind == EventKind::kClock) return sample.period;
  return event.period_is_frequency && event.period != 0
             ? 1'000'000'000 / event.period
             : 0;
}

// Between two spans of the filter, nothing is known.
void WallClock::EnterSpanOf(std::optional<uint64_t> time) {
  if (options_.filter == nullptr || !time.has_value()) return;
  const auto& spans = options_.filter->spans();
  if (spans.size() < 2) return;
  size_t span = 0;
  while (span < spans.size() &&
         (*time < spans[span].first || *time > spans[span].second)) {
    ++span;
  }
  if (span_.has_value() && span != *span_) times_.OnLost(/*cpu=*/-1);
  span_ = span;
}

absl::Status WallClock::OnSample(const Sample& sample) {
  Account();
  EnterSpanOf(sample.time);
  if (sample.time.has_value()) times_.NoteTime(*sample.time);
  const Use& use = UseOf(sample.event);
  switch (use.kind) {
    case Use::kRuns: {
      const uint64_t interval = IntervalOf(sample);
      if (interval == 0) {
        ++(sample.time.has_value() ? samples_without_interval_
                                   : samples_without_time_);
      }
      if (tables_.threads[sample.thread].tid < 0) ++samples_without_thread_;
      return times_.OnSample(sample, interval);
    }
    case Use::kOffCpu:
      return times_.OnOffCpuSample(sample);
    case Use::kLock:
      times_.OnLock(sample.thread, use.lock.kind, use.lock.begins);
      break;
    case Use::kOther:
      break;
  }
  const bool is_forwarded =
      options_.has_time_line || tables_.events[sample.event].derived;
  return is_forwarded ? to().OnSample(sample) : absl::OkStatus();
}

// Returns the marks that the stretch's stack is shown with; kNoId: none.
MarkedStacks::MarksId WallClock::MarksOf(const ThreadTime& time) {
  if (time.state == TimeState::kRunning &&
      time.origin == StackOrigin::kSample) {
    return kNoId;
  }
  const bool is_older =
      time.origin == StackOrigin::kOlder && time.stack != kNoId;
  const auto state = static_cast<size_t>(time.state);
  return options_.wakers && !time.wakers.empty()
             ? MarksWithWakers(time, is_older)
             : marks_[state][is_older];
}

MarkedStacks::MarksId WallClock::MarksWithWakers(const ThreadTime& time,
                                                 bool is_older) {
  std::vector<std::string> texts;
  for (const ThreadId waker : time.wakers) {
    texts.push_back(absl::StrCat(
        "[woken by ", tables_.strings[tables_.threads[waker].name], "]"));
  }
  std::reverse(texts.begin(), texts.end());
  texts.push_back(
      absl::StrCat("[", kStateNames[static_cast<size_t>(time.state)], "]"));
  if (is_older) texts.emplace_back("[last sample]");
  return stacks_->InternMarks(texts);
}

TagsId WallClock::TagsOf(const ThreadTime& time) {
  const ThreadId waker = time.wakers.empty() ? kNoId : time.wakers[0];
  const auto state = static_cast<size_t>(time.state);
  if (time.sample != nullptr && time.sample->tags != 0) {
    SampleTags tags = tables_.tags[time.sample->tags];  // of --latency
    tags.state = state_names_[state];
    return tables_.tags.Intern(tags);
  }
  TagsId& id = tags_[waker == kNoId ? 0 : TagsOfWaker(waker)][state];
  if (id == 0) {
    SampleTags tags;
    tags.state = state_names_[state];
    if (waker != kNoId) tags.waker = tables_.threads[waker].name;
    id = tables_.tags.Intern(tags);
  }
  return id;
}

// Returns the index in tags_ of the tags with this waker.
uint32_t WallClock::TagsOfWaker(ThreadId waker) {
  if (waker >= tags_of_waker_.size()) {
    tags_of_waker_.resize(tables_.threads.size());
  }
  uint32_t& at = tags_of_waker_[waker];
  if (at == 0) {
    const auto [it, inserted] = tags_of_name_.try_emplace(
        tables_.threads[waker].name, static_cast<uint32_t>(tags_.size()));
    if (inserted) tags_.emplace_back();
    at = it->second;
  }
  return at;
}

absl::Status WallClock::OnThreadTime(const ThreadTime& time) {
  const TagsId tags = TagsOf(time);
  const MarkedStacks::MarksId marks = MarksOf(time);
  const StackId stack =
      marks == kNoId ? time.stack : stacks_->WithMarks(marks, time.stack);
  // Sampled runs have no marks. Their many stacks cost less to sum up in the
  // other emitter.
  if (!to_requirements_.only_sums || marks == kNoId) {
    return EmitStretch(time, tags, stack);
  }
  Account();
  const TimeSums::Key key = {time.thread, tags, stack};
  if (!budget_.exhausted()) {
    sums_.Add(key, time.state, time.duration);
    return absl::OkStatus();
  }
  return sums_.AddIfKnown(key, time.duration) ? absl::OkStatus()
                                              : EmitStretch(time, tags, stack);
}

absl::Status WallClock::EmitStretch(const ThreadTime& time, TagsId tags,
                                    StackId stack) {
  Sample sample;
  if (time.sample != nullptr) sample = *time.sample;
  sample.thread = time.thread;
  sample.time = time.end;
  sample.cpu = time.cpu;
  sample.period = time.duration;
  sample.tags = tags;
  sample.stack = stack;
  return Emit(sample, time.state);
}

absl::Status WallClock::EmitSums() {
  for (const TimeSums::Sum& sum : sums_.Sums()) {
    Sample sample;
    sample.thread = sum.key.thread;
    sample.tags = sum.key.tags;
    sample.stack = sum.key.stack;
    sample.count = sum.count;
    sample.period = sum.duration;
    RETURN_IF_ERROR(Emit(sample, sum.state()));
  }
  return absl::OkStatus();
}

// Emits a sample for each event that has it. Sets its event and address space.
absl::Status WallClock::Emit(Sample& sample, TimeState state) {
  sample.address_space = tables_.stacks.address_space(sample.stack);
  if (wall_ != kNoId) {
    sample.event = wall_;
    RETURN_IF_ERROR(to().OnSample(sample));
  }
  if (state == TimeState::kUnknown) return absl::OkStatus();
  sample.event = state == TimeState::kRunning ? cpu_ : offcpu_;
  return to().OnSample(sample);
}

void WallClock::ChargeMemory() {
  constexpr uint64_t kOfName = 9;  // bytes of an entry
  memory_.Set(times_.memory() + sums_.memory() + stacks_->memory() +
              tags_.capacity() * sizeof(tags_[0]) +
              tags_of_waker_.capacity() * sizeof(tags_of_waker_[0]) +
              tags_of_name_.capacity() * kOfName);
}

absl::Status WallClock::OnFork(const Fork& fork) {
  RETURN_IF_ERROR(times_.OnFork(fork));
  return to().OnFork(fork);
}

absl::Status WallClock::OnExec(const Exec& exec) {
  RETURN_IF_ERROR(times_.OnExec(exec));
  return to().OnExec(exec);
}

absl::Status WallClock::OnExit(const Exit& exit) {
  RETURN_IF_ERROR(times_.OnExit(exit));
  return to().OnExit(exit);
}

// The run or wait that the switch ends comes before the switch.
absl::Status WallClock::OnSwitch(const Switch& event) {
  Account();
  EnterSpanOf(event.time);
  RETURN_IF_ERROR(times_.OnSwitch(event));
  return to_requirements_.switches ? to().OnSwitch(event) : absl::OkStatus();
}

absl::Status WallClock::OnWakeup(const Wakeup& wakeup) {
  EnterSpanOf(wakeup.time);
  RETURN_IF_ERROR(times_.OnWakeup(wakeup));
  return to().OnWakeup(wakeup);
}

absl::Status WallClock::OnLost(const Lost& lost) {
  if (!lost.is_samples) times_.OnLost(lost.cpu);
  return to().OnLost(lost);
}

// Adds what the recording lacks to the diagnostics.
void WallClock::ReportUnknownTimes() const {
  if (diagnostics_ == nullptr) return;
  using Severity = Diagnostics::Severity;
  const auto report = [this](Severity severity, const char* message,
                             uint64_t count) {
    if (count > 0) diagnostics_->Add(severity, message, 0, 0, count);
  };
  if (!times_.has_switches()) {
    report(Severity::kNote,
           "--wall-clock: the recording has no context switches, so that the "
           "time between samples is unknown; record with --switch-events, see "
           "docs/wall-clock.md",
           1);
    report(Severity::kNote,
           "--wall-clock: a sample does not tell for how long it stands; "
           "record a clock event, or with -F",
           samples_without_interval_);
  }
  report(Severity::kSkipped,
         "sample with neither a time nor a period that is one, which "
         "--wall-clock needs",
         samples_without_time_);
  report(Severity::kSkipped,
         "sample without a thread, which --wall-clock needs",
         samples_without_thread_);
}

// Returns the end of all lives: the recording's last time, or the filter's.
std::optional<uint64_t> WallClock::EndOf(const TraceSummary& summary) const {
  if (options_.filter == nullptr || !summary.last_time.has_value() ||
      options_.filter->spans().empty()) {
    return summary.last_time;
  }
  uint64_t end = 0;
  for (const auto& span : options_.filter->spans()) {
    end = std::max(end, span.second);
  }
  return std::min(end, *summary.last_time);
}

absl::Status WallClock::Finish(const TraceSummary& summary) {
  RETURN_IF_ERROR(times_.Finish(EndOf(summary)));
  RETURN_IF_ERROR(EmitSums());
  sums_.Clear();  // the other emitter's Finish needs the memory
  ChargeMemory();
  stacks_->ReportSkipped(diagnostics_);
  ReportUnknownTimes();
  return to().Finish(summary);
}

}  // namespace perf2x
