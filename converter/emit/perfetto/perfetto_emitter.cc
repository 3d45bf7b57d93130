// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/perfetto/perfetto_emitter.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_join.h"
#include "converter/base/status_macros.h"
#include "converter/base/text.h"
#include "converter/emit/sample_measurements.h"
#include "converter/emit/task_fields.h"
#include "converter/emit/tracepoint_roles.h"
#include "converter/model/sample_field.h"
#include "perfetto_trace.pb.h"

namespace perf2x {
namespace {

namespace protos = perfetto::protos;

}  // namespace

PerfettoEmitter::PerfettoEmitter(const EmitterContext& context,
                                 std::unique_ptr<Output> output)
    : tables_(context.tables),
      output_(std::move(output)),
      packets_(*output_),
      events_(packets_, context.budget),
      threads_(tables_, packets_, events_),
      samples_(context, packets_, threads_),
      ftrace_(packets_, context.budget, context.diagnostics),
      calls_(context, threads_, events_),
      counters_(tables_, threads_, events_),
      losses_(tables_, threads_, events_, context.budget),
      memory_(context.budget) {}

absl::Status PerfettoEmitter::Begin(const TraceInfo& info) {
  info_ = info;
  packets_.SetClock(info);
  shown_sched_.emplace(info.os_release, threads_, ftrace_);
  sched_.emplace(*shown_sched_);
  syscalls_.emplace(info.arch);
  WriteSystem();
  return packets_.MaybeFlush();
}

void PerfettoEmitter::WriteSystem() {
  std::string scratch;
  ProtoWriter& packet = packets_.Begin(kMainSequence);
  const size_t system =
      packet.Open(protos::TracePacket::kSystemInfoFieldNumber);
  const size_t utsname = packet.Open(protos::SystemInfo::kUtsnameFieldNumber);
  packet.Bytes(protos::Utsname::kSysnameFieldNumber, "Linux");
  packet.Bytes(protos::Utsname::kReleaseFieldNumber,
               AsPlainText(info_.os_release, &scratch));
  packet.Bytes(protos::Utsname::kMachineFieldNumber,
               AsPlainText(info_.arch, &scratch));
  packet.Close(utsname);
  packet.Close(system);
  packets_.End();
}

void PerfettoEmitter::NoteTime(uint64_t time) {
  threads_.WriteNames();
  if (!start_.has_value()) start_ = time;
  packets_.NoteTime(time);
}

PerfettoEmitter::EventState& PerfettoEmitter::StateOf(EventId id) {
  if (id >= states_.size()) states_.resize(size_t{id} + 1);
  std::optional<EventState>& state = states_[id];
  if (!state.has_value()) {
    const Event& event = tables_.events[id];
    state.emplace(EventState{TracepointUseOf(event), IsSwitchOrWakeup(event),
                             SampleIntervals(event)});
  }
  return *state;
}

// Samples of a recording without times still have an order: they are shown one
// after another, one interval each. Where only some have no time, these are
// shown at the latest time.
uint64_t PerfettoEmitter::TimeOf(const Sample& sample, TrackId track,
                                 EventState& state) {
  if (sample.time.has_value()) return *sample.time;
  if (start_.has_value()) return packets_.latest();
  const uint64_t time = untimed_;
  untimed_ += state.intervals.IntervalOf(sample, track);
  return time;
}

absl::Status PerfettoEmitter::OnSample(const Sample& sample) {
  const TrackId track = threads_.TrackOf(sample.thread, sample.time);
  EventState& state = StateOf(sample.event);
  const uint64_t time = TimeOf(sample, track, state);
  if (sample.time.has_value()) NoteTime(time);
  threads_.WriteNames();
  NoteCgroup(sample, track, time);
  const Event& event = tables_.events[sample.event];
  if (event.kind != EventKind::kTracepoint) {
    if (HasMeasurement(sample.fields)) Measurements(sample, track, time);
  } else if (!state.is_sched) {
    ShowTracepoint(sample, track, time);
    const std::optional<SystemCall> call =
        syscalls_->OnSample(state.use, track, time, sample.tracepoint);
    if (call.has_value()) {
      events_.Slice(call->name, "syscall", threads_.ThreadUuid(track),
                    call->begin, call->end, {});
    }
  }
  RETURN_IF_ERROR(samples_.OnSample(sample, track, time));
  return packets_.MaybeFlush();
}

// Shows changes of the thread's cgroup, if the recording has the cgroup's path.
void PerfettoEmitter::NoteCgroup(const Sample& sample, TrackId track,
                                 uint64_t time) {
  for (const Field& field : sample.fields) {
    if (field.name != "cgroup") continue;
    if (const auto* path = std::get_if<absl::string_view>(&field.value)) {
      threads_.SetCgroup(track, tables_.strings.Intern(*path), time);
    }
    return;
  }
}

// The kernel's events lie on a CPU; one without a CPU is shown on its thread.
void PerfettoEmitter::ShowTracepoint(const Sample& sample, TrackId track,
                                     uint64_t time) {
  const absl::string_view name = samples_.NameOf(sample.event);
  if (sample.cpu >= 0) {
    ftrace_.Tracepoint(sample, threads_.row(track).tid, time, name);
  } else {
    events_.Instant(name, name, threads_.ThreadUuid(track), time,
                    sample.tracepoint);
  }
}

// Samples of a Perfetto trace have no fields for what an event measured.
void PerfettoEmitter::Measurements(const Sample& sample, TrackId track,
                                   uint64_t time) {
  args_.clear();
  for (const Field& field : sample.fields) {
    const SampleField* known = FindSampleField(field.name);
    if (known == nullptr || !known->is_event_id) args_.push_back(field);
  }
  args_.push_back({"period", sample.period});
  if (sample.ip != 0) args_.push_back({"address", Field::Hex{sample.ip}});
  const absl::string_view name = samples_.NameOf(sample.event);
  events_.Instant(name, name, threads_.ThreadUuid(track), time, args_);
}

absl::Status PerfettoEmitter::OnThread(ThreadId thread,
                                       std::optional<uint64_t> time) {
  threads_.TrackOf(thread, time);
  return packets_.MaybeFlush();
}

absl::Status PerfettoEmitter::OnFork(const Fork& fork) {
  const TrackId parent = threads_.TrackOf(fork.parent, fork.time);
  const TrackId child = threads_.TrackOf(fork.child, fork.time);
  threads_.SetParent(child, parent);
  if (!fork.time.has_value()) return absl::OkStatus();
  NoteTime(*fork.time);
  sched_->OnFork(child);
  const PerfettoThreads::Row& row = threads_.row(child);
  events_.Instant("fork", "task", threads_.ThreadUuid(parent), *fork.time,
                  ForkFields(row.pid, row.tid));
  return packets_.MaybeFlush();
}

absl::Status PerfettoEmitter::OnExec(const Exec& exec) {
  const TrackId track = threads_.TrackOf(exec.thread, exec.time);
  if (!exec.time.has_value()) return absl::OkStatus();
  NoteTime(*exec.time);
  sched_->OnExec(track);
  events_.Instant("exec", "task", threads_.ThreadUuid(track), *exec.time,
                  ExecFields(threads_.name(track)));
  return packets_.MaybeFlush();
}

absl::Status PerfettoEmitter::OnExit(const Exit& exit) {
  const TrackId track = threads_.TrackOf(exit.thread, exit.time);
  if (!exit.time.has_value()) return absl::OkStatus();
  NoteTime(*exit.time);
  sched_->OnExit(track, *exit.time);
  calls_.Stop(track, *exit.time);
  events_.Instant("exit", "task", threads_.ThreadUuid(track), *exit.time, {});
  return packets_.MaybeFlush();
}

absl::Status PerfettoEmitter::OnSwitch(const Switch& event) {
  const TrackId track = threads_.TrackOf(event.thread, event.time);
  if (!event.time.has_value()) return absl::OkStatus();
  NoteTime(*event.time);
  if (event.after_gap) sched_->OnLost(event.cpu);
  if (event.cpu < 0) ftrace_.CountSkippedWithoutCpu();
  sched_->OnSwitch(track, event, /*blocked_in=*/"");
  Account();
  return packets_.MaybeFlush();
}

absl::Status PerfettoEmitter::OnWakeup(const Wakeup& event) {
  if (!event.time.has_value()) return absl::OkStatus();
  const TrackId woken = threads_.TrackOf(event.woken, event.time);
  int32_t waker = 0;
  if (event.waker != kNoId) {
    waker = threads_.row(threads_.TrackOf(event.waker, event.time)).tid;
  }
  NoteTime(*event.time);
  sched_->OnWakeup(woken, event);
  ftrace_.Waking(event.cpu, *event.time, waker,
                 {threads_.row(woken).tid, threads_.name(woken)},
                 event.target_cpu);
  return packets_.MaybeFlush();
}

absl::Status PerfettoEmitter::OnCall(const Call& call) {
  const TrackId track = threads_.TrackOf(call.thread, call.time);
  if (!call.time.has_value()) return absl::OkStatus();
  NoteTime(*call.time);
  calls_.OnCall(call, track);
  return packets_.MaybeFlush();
}

absl::Status PerfettoEmitter::OnCounter(const Counter& counter) {
  if (!counter.time.has_value()) return absl::OkStatus();
  NoteTime(counter.since.value_or(*counter.time));
  packets_.NoteTime(*counter.time);
  counters_.OnCounter(counter, *start_);
  Account();
  return packets_.MaybeFlush();
}

absl::Status PerfettoEmitter::OnLost(const Lost& lost) {
  if (lost.time.has_value()) {
    NoteTime(*lost.time);
    losses_.OnLost(lost);
    if (!lost.is_samples) {
      sched_->OnLost(lost.cpu);
      ftrace_.OnLost(lost.cpu);
    }
  }
  RETURN_IF_ERROR(samples_.OnLost(lost));
  return packets_.MaybeFlush();
}

absl::Status PerfettoEmitter::OnAuxGap(const AuxGap& gap) {
  if (!gap.time.has_value()) return absl::OkStatus();
  NoteTime(*gap.time);
  losses_.OnAuxGap(gap);
  return packets_.MaybeFlush();
}

absl::Status PerfettoEmitter::OnThrottle(const Throttle& throttle) {
  if (!throttle.time.has_value()) return absl::OkStatus();
  NoteTime(*throttle.time);
  losses_.OnThrottle(throttle);
  return packets_.MaybeFlush();
}

void PerfettoEmitter::WriteAttributes(const TraceSummary& summary) {
  using Attributes = protos::TraceAttributes;
  std::string scratch;
  ProtoWriter& packet = packets_.Begin(kMainSequence);
  const size_t message =
      packet.Open(protos::TracePacket::kTraceAttributesFieldNumber);
  const auto text = [&](absl::string_view key, absl::string_view value) {
    if (value.empty()) return;
    const size_t attribute = packet.Open(Attributes::kAttributeFieldNumber);
    packet.Bytes(Attributes::Attribute::kKeyFieldNumber, key);
    packet.Bytes(Attributes::Attribute::kStringValueFieldNumber,
                 AsPlainText(value, &scratch));
    packet.Close(attribute);
  };
  text("converter", "perf2x " PERF2X_VERSION);
  text("input", info_.input);
  text("clock", info_.clock);
  text("hostname", info_.hostname);
  text("cpu", info_.cpu_description);
  text("perf_version", info_.perf_version);
  text("command_line", absl::StrJoin(info_.command_line, " "));
  text("losses", absl::StrJoin(summary.losses, "; "));
  packet.Close(message);
  packets_.End();
}

absl::Status PerfettoEmitter::Finish(const TraceSummary& summary) {
  if (sched_.has_value()) {
    sched_->Finish(packets_.latest());
    shown_sched_->Finish();
  }
  threads_.WriteNames();
  calls_.Finish(packets_.latest());
  losses_.Finish(packets_.latest());
  counters_.Finish();
  RETURN_IF_ERROR(samples_.Finish());
  ftrace_.Finish();
  WriteAttributes(summary);
  RETURN_IF_ERROR(packets_.Finish());
  return output_->Close();
}

}  // namespace perf2x
