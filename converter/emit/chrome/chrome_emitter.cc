// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/chrome/chrome_emitter.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "converter/base/status_macros.h"
#include "converter/emit/json_fields.h"
#include "converter/emit/origin_facts.h"
#include "converter/emit/task_fields.h"
#include "converter/emit/tracepoint_roles.h"

namespace perf2x {

ChromeEmitter::ChromeEmitter(const EmitterContext& context,
                             std::unique_ptr<Output> output,
                             const Options& options)
    : tables_(context.tables),
      output_(std::move(output)),
      options_(options),
      trace_(*output_, options_.absolute, context.pipeline.helpers()),
      tracks_(tables_, trace_),
      stacks_(tables_, trace_, context.pipeline.workers(), context.budget,
              context.diagnostics),
      timeline_(tables_, stacks_, tracks_, trace_, context.budget,
                context.diagnostics),
      counters_(tables_, tracks_, trace_),
      losses_(tables_, tracks_, trace_),
      memory_(context.budget) {}

absl::Status ChromeEmitter::Begin(const TraceInfo& info) {
  info_ = info;
  const bool has_migrations = std::any_of(
      tables_.events.begin(), tables_.events.end(), [](const Event& e) {
        return TracepointUseOf(e).role == TracepointRole::kMigration;
      });
  shown_sched_.emplace(tracks_, trace_, !has_migrations);
  sched_.emplace(*shown_sched_);
  samples_.emplace(options_.samples, info.arch, tables_, stacks_, tracks_,
                   timeline_, trace_);
  return absl::OkStatus();
}

absl::Status ChromeEmitter::OnSample(const Sample& sample) {
  samples_->OnSample(sample);
  return trace_.MaybeFlush();
}

absl::Status ChromeEmitter::OnThread(ThreadId thread,
                                     std::optional<uint64_t> time) {
  tracks_.TrackOf(thread, time);
  return trace_.MaybeFlush();
}

absl::Status ChromeEmitter::OnFork(const Fork& fork) {
  const TrackId parent = tracks_.TrackOf(fork.parent, fork.time);
  const TrackId child_track = tracks_.TrackOf(fork.child, fork.time);
  const ChromeTrack child = tracks_.track(child_track);
  if (!fork.time.has_value()) return absl::OkStatus();
  sched_->OnFork(child_track);
  trace_.Instant("fork", "task", tracks_.track(parent), *fork.time,
                 [child](JsonWriter& json) {
                   WriteFields(ForkFields(child.pid, child.tid), json);
                 });
  return trace_.MaybeFlush();
}

absl::Status ChromeEmitter::OnExec(const Exec& exec) {
  const TrackId track = tracks_.TrackOf(exec.thread, exec.time);
  if (!exec.time.has_value()) return absl::OkStatus();
  sched_->OnExec(track);
  trace_.Instant("exec", "task", tracks_.track(track), *exec.time,
                 [this, track](JsonWriter& json) {
                   WriteFields(ExecFields(tracks_.name(track)), json);
                 });
  return trace_.MaybeFlush();
}

absl::Status ChromeEmitter::OnExit(const Exit& exit) {
  const TrackId track = tracks_.TrackOf(exit.thread, exit.time);
  if (!exit.time.has_value()) return absl::OkStatus();
  timeline_.Stop(track, *exit.time);
  timeline_.CallChange(track, 0, kNoId, *exit.time);
  sched_->OnExit(track, *exit.time);
  trace_.Instant("exit", "task", tracks_.track(track), *exit.time,
                 [](JsonWriter&) {});
  return trace_.MaybeFlush();
}

absl::Status ChromeEmitter::OnSwitch(const Switch& event) {
  const TrackId track = tracks_.TrackOf(event.thread, event.time);
  if (!event.time.has_value()) return absl::OkStatus();
  trace_.NoteTime(*event.time);
  if (event.out) timeline_.Stop(track, *event.time);
  if (event.after_gap) sched_->OnLost(event.cpu);
  sched_->OnSwitch(track, event,
                   event.stack == kNoId ? "" : stacks_.BlockedIn(event.stack));
  Account();
  return trace_.MaybeFlush();
}

absl::Status ChromeEmitter::OnWakeup(const Wakeup& event) {
  if (!event.time.has_value()) return absl::OkStatus();
  trace_.NoteTime(*event.time);
  sched_->OnWakeup(tracks_.TrackOf(event.woken, event.time), event);
  return trace_.MaybeFlush();
}

absl::Status ChromeEmitter::OnCall(const Call& call) {
  const TrackId track = tracks_.TrackOf(call.thread, call.time);
  if (!call.time.has_value()) return absl::OkStatus();
  trace_.NoteTime(*call.time);
  timeline_.CallChange(track, call.depth, call.function, *call.time);
  return trace_.MaybeFlush();
}

absl::Status ChromeEmitter::OnCounter(const Counter& counter) {
  counters_.OnCounter(counter);
  Account();
  return trace_.MaybeFlush();
}

absl::Status ChromeEmitter::OnLost(const Lost& lost) {
  if (!lost.time.has_value()) return absl::OkStatus();
  if (!lost.is_samples) sched_->OnLost(lost.cpu);
  losses_.OnLost(lost);
  return trace_.MaybeFlush();
}

absl::Status ChromeEmitter::OnAuxGap(const AuxGap& gap) {
  if (gap.time.has_value()) losses_.OnAuxGap(gap);
  return trace_.MaybeFlush();
}

absl::Status ChromeEmitter::OnThrottle(const Throttle& throttle) {
  if (throttle.time.has_value()) losses_.OnThrottle(throttle);
  Account();
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
    // Text, because readers parse a number as a double, which would round the
    // time.
    text("start_ns", absl::StrCat(*trace_.start()));
    if (info_.wall_clock_offset.has_value()) {
      text("start_wall_clock_ns",
           absl::StrCat(static_cast<int64_t>(
               *trace_.start() +
               static_cast<uint64_t>(*info_.wall_clock_offset))));
    }
  }
  ForEachOriginFact(info_, text);
  text("losses", absl::StrJoin(summary.losses, "; "));
}

absl::Status ChromeEmitter::Finish(const TraceSummary& summary) {
  const uint64_t end = trace_.latest();
  timeline_.Finish(end);
  if (sched_.has_value()) sched_->Finish(end);
  losses_.Finish(end);
  counters_.Finish();
  tracks_.Finish();
  stacks_.Report();
  RETURN_IF_ERROR(
      trace_.Finish([&](JsonWriter& json) { WriteOtherData(summary, json); }));
  return output_->Close();
}

}  // namespace perf2x
