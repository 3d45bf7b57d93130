// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/firefox/firefox_emitter.h"

#include <algorithm>
#include <utility>

#include "converter/base/status_macros.h"
#include "converter/emit/firefox/firefox_code.h"
#include "converter/emit/firefox/firefox_profile.h"
#include "converter/emit/json_fields.h"
#include "converter/emit/task_fields.h"
#include "converter/emit/used_stacks.h"
#include "converter/emit/used_strings.h"
#include "converter/model/sample_field.h"

namespace perf2x {
namespace {

// Returns true if a sample's field is a value of the event itself. Lists
// (branches, registers) are too long for a marker.
bool IsMeasured(const Field& field) {
  const SampleField* known = FindSampleField(field.name);
  if (known == nullptr || !known->is_measurement ||
      known->kind == SampleField::Kind::kList) {
    return false;
  }
  // Recorders write a field without a value as 0.
  if (const auto* hex = std::get_if<Field::Hex>(&field.value)) {
    return hex->value != 0;
  }
  const auto* number = std::get_if<uint64_t>(&field.value);
  return number == nullptr || *number != 0;
}

bool IsShown(const Field& field) {
  const SampleField* known = FindSampleField(field.name);
  return known == nullptr ||
         (!known->is_event_id && known->kind != SampleField::Kind::kList);
}

}  // namespace

FirefoxEmitter::FirefoxEmitter(const EmitterContext& context,
                               std::unique_ptr<Output> output, bool periods)
    : tables_(context.tables),
      pipeline_(context.pipeline),
      budget_(context.budget),
      diagnostics_(context.diagnostics),
      output_(std::move(output)),
      tracks_(tables_, times_),
      markers_(tables_, times_),
      samples_(tables_, times_, periods),
      sched_(tables_, tracks_, markers_),
      counters_(tables_, tracks_, times_),
      event_names_(tables_.events),
      memory_(context.budget),
      skipped_samples_("sample of the profile", budget_, diagnostics_),
      skipped_markers_("marker", budget_, diagnostics_) {}

absl::Status FirefoxEmitter::Begin(const TraceInfo& info) {
  info_ = info;
  return absl::OkStatus();
}

// Accounts for what is kept, in steps: logs grow in chunks, but there may be
// many of them.
void FirefoxEmitter::Account() {
  constexpr uint64_t kStep = 64 << 10;
  const uint64_t held = tracks_.memory() + markers_.memory() +
                        samples_.memory() + sched_.memory() +
                        counters_.memory();
  if (held >= memory_.held() + kStep) memory_.Set(held);
  if (markers_.uncharged_output() >= kStep) {
    budget_.Spend(Budget::kOutput, markers_.TakeUnchargedOutput());
  }
}

const FirefoxEmitter::EventUse& FirefoxEmitter::UseOf(EventId id) {
  if (id >= uses_.size()) uses_.resize(id + 1);
  std::optional<EventUse>& use = uses_[id];
  if (!use.has_value()) {
    const Event& event = tables_.events[id];
    use.emplace();
    use->type = markers_.TypeOf(event_names_[id]);
    use->is_page_fault = event.kind == EventKind::kPageFault;
    use->has_markers =
        event.kind == EventKind::kTracepoint || use->is_page_fault;
    use->is_memory = event.tracepoint == TracepointName{"kmem", "rss_stat"};
  }
  return *use;
}

// A tracepoint's own field has precedence over a sample field of the same name.
void FirefoxEmitter::SampleMarker(const Sample& sample, TrackId track) {
  if (skipped_markers_.CountIfExhausted()) return;
  fields_.assign(sample.tracepoint.begin(), sample.tracepoint.end());
  for (const Field& field : sample.fields) {
    if (IsShown(field) && !HasField(sample.tracepoint, field.name)) {
      fields_.push_back(field);
    }
  }
  const EventUse& use = UseOf(sample.event);
  // Not every fault has a sample.
  if (use.is_page_fault) fields_.push_back({"count", sample.period});
  if (sample.cpu >= 0 && !HasField(fields_, "cpu")) {
    fields_.push_back({"cpu", int64_t{sample.cpu}});
  }
  markers_.Add(track, {use.type, *sample.time, std::nullopt, sample.stack},
               fields_);
}

absl::Status FirefoxEmitter::OnSample(const Sample& sample) {
  const TrackId track = tracks_.TrackOf(sample.thread, sample.time);
  Account();
  if (!skipped_samples_.CountIfExhausted()) {
    samples_.Add(track, sample, sched_.RunTime(track, sample.time));
  }
  if (!sample.time.has_value()) return absl::OkStatus();
  const EventUse& use = UseOf(sample.event);
  if (use.is_memory && !skipped_markers_.CountIfExhausted()) {
    counters_.OnMemory(sample, track);
  }
  if (use.has_markers ||
      std::any_of(sample.fields.begin(), sample.fields.end(), IsMeasured)) {
    SampleMarker(sample, track);
  }
  return absl::OkStatus();
}

absl::Status FirefoxEmitter::OnThread(ThreadId thread,
                                      std::optional<uint64_t> time) {
  tracks_.TrackOf(thread, time);
  Account();
  return absl::OkStatus();
}

void FirefoxEmitter::TaskMarker(absl::string_view type, TrackId track,
                                std::optional<uint64_t> time, Fields fields) {
  if (!time.has_value() || skipped_markers_.CountIfExhausted()) return;
  markers_.Add(track, {markers_.TypeOf(type), *time, std::nullopt, kNoId},
               fields);
  Account();
}

absl::Status FirefoxEmitter::OnFork(const Fork& fork) {
  const TrackId parent = tracks_.TrackOf(fork.parent, fork.time);
  const TrackId child = tracks_.OnFork(fork);
  TaskMarker("fork", parent, fork.time,
             ForkFields(tracks_[child].pid, tracks_[child].tid));
  return absl::OkStatus();
}

absl::Status FirefoxEmitter::OnExec(const Exec& exec) {
  const TrackId track = tracks_.TrackOf(exec.thread, exec.time);
  TaskMarker("exec", track, exec.time,
             ExecFields(tables_.strings[tables_.threads[exec.thread].name]));
  return absl::OkStatus();
}

absl::Status FirefoxEmitter::OnExit(const Exit& exit) {
  const TrackId track = tracks_.OnExit(exit);
  TaskMarker("exit", track, exit.time, {});
  return absl::OkStatus();
}

absl::Status FirefoxEmitter::OnSwitch(const Switch& event) {
  const TrackId track = tracks_.TrackOf(event.thread, event.time);
  if (!event.time.has_value() || skipped_markers_.CountIfExhausted()) {
    return absl::OkStatus();
  }
  const TrackId other =
      event.other == kNoId ? kNoId : tracks_.TrackOf(event.other, event.time);
  sched_.OnSwitch(track, event, other);
  Account();
  return absl::OkStatus();
}

absl::Status FirefoxEmitter::OnCounter(const Counter& counter) {
  if (!counter.time.has_value() || skipped_markers_.CountIfExhausted()) {
    return absl::OkStatus();
  }
  counters_.OnCounter(counter,
                      counter.thread == kNoId
                          ? kNoId
                          : tracks_.TrackOf(counter.thread, counter.time));
  Account();
  return absl::OkStatus();
}

void FirefoxEmitter::PlaceMarker(absl::string_view type, uint64_t time,
                                 std::optional<uint64_t> end, int32_t cpu,
                                 ThreadId thread) {
  if (skipped_markers_.CountIfExhausted()) return;
  if (cpu >= 0) fields_.push_back({"cpu", int64_t{cpu}});
  const TrackId track = thread == kNoId ? kNoId : tracks_.TrackOf(thread, time);
  markers_.Add(track,
               {markers_.TypeOf(type, /*in_overview=*/true), time, end, kNoId},
               fields_);
  Account();
}

absl::Status FirefoxEmitter::OnLost(const Lost& lost) {
  if (!lost.is_samples) sched_.OnLost();
  if (!lost.time.has_value()) return absl::OkStatus();
  fields_.assign({{"count", lost.count}});
  PlaceMarker(lost.is_samples ? "lost samples" : "lost records", *lost.time,
              std::nullopt, lost.cpu, lost.thread);
  return absl::OkStatus();
}

absl::Status FirefoxEmitter::OnAuxGap(const AuxGap& gap) {
  if (!gap.time.has_value()) return absl::OkStatus();
  fields_.assign({{"reason", gap.reason}});
  PlaceMarker("AUX data missing", *gap.time, std::nullopt, gap.cpu, gap.thread);
  return absl::OkStatus();
}

absl::Status FirefoxEmitter::OnThrottle(const Throttle& throttle) {
  if (!throttle.time.has_value()) return absl::OkStatus();
  const auto key = std::tuple(throttle.event, throttle.cpu, throttle.thread);
  if (throttle.begin) {
    if (!skipped_markers_.CountIfExhausted()) {
      throttled_.try_emplace(key, throttle);
    }
    return absl::OkStatus();
  }
  const auto open = throttled_.find(key);
  if (open == throttled_.end()) return absl::OkStatus();
  EndThrottle(open->second, *throttle.time);
  throttled_.erase(open);
  return absl::OkStatus();
}

void FirefoxEmitter::EndThrottle(const Throttle& begun, uint64_t time) {
  fields_.clear();
  if (begun.event != kNoId) {
    fields_.push_back({"event", absl::string_view(event_names_[begun.event])});
  }
  PlaceMarker("throttled", *begun.time, time, begun.cpu, begun.thread);
}

absl::Status FirefoxEmitter::Finish(const TraceSummary& summary) {
  for (const auto& [key, begun] : throttled_) {
    EndThrottle(begun, times_.end());
  }
  sched_.Finish(times_.end());
  skipped_samples_.Report();
  skipped_markers_.Report();
  UsedStacks stacks(tables_, budget_, diagnostics_);
  samples_.Finish(stacks);
  markers_.UseStacks(stacks);
  stacks.Finish(pipeline_);
  UsedStrings strings(tables_.strings);
  FirefoxCode code(tables_, stacks, strings);
  FirefoxProfile profile({tables_, info_, summary, times_, tracks_, markers_,
                          samples_, counters_, event_names_, code, strings});
  RETURN_IF_ERROR(profile.Write(*output_));
  return output_->Close();
}

}  // namespace perf2x
