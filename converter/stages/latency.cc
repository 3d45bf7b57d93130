// SPDX-License-Identifier: Apache-2.0
#include "converter/stages/latency.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "converter/base/status_macros.h"
#include "converter/model/event_names.h"

namespace perf2x {

void RunningThreads::OnSwitch(const Switch& event) {
  if (event.after_gap) OnLost(event.cpu);
  // Whoever ran on this CPU before has left it. In SWITCH records, an exited
  // thread has the tid -1 when it leaves.
  const Key key = KeyOf(event.thread);
  if (event.cpu >= 0) {
    const auto on = on_cpu_.find(event.cpu);
    if (on != on_cpu_.end()) {
      if (on->second != key || event.out) running_.erase(on->second);
      on_cpu_.erase(on);
    }
  }
  if (event.out) {
    running_.erase(key);
  } else if (IsCounted(event.thread)) {
    running_.insert(key);
    if (event.cpu >= 0) on_cpu_[event.cpu] = key;
  }
}

void RunningThreads::OnLost(int32_t cpu) {
  const auto on = on_cpu_.find(cpu);
  if (cpu < 0) {
    running_.clear();
    on_cpu_.clear();
  } else if (on != on_cpu_.end()) {
    running_.erase(on->second);
    on_cpu_.erase(on);
  }
}

uint32_t RunningThreads::OnSample(ThreadId thread) {
  if (IsCounted(thread)) running_.insert(KeyOf(thread));
  return std::max<uint32_t>(1, static_cast<uint32_t>(running_.size()));
}

absl::Status Latency::Begin(const TraceInfo& info) {
  const auto known = static_cast<EventId>(tables_.events.size());
  const auto has_latency = [](const Event& event) {
    return SamplesCode(event.kind) && event.selection_rank != kNoId;
  };
  const bool is_only = std::count_if(tables_.events.begin(),
                                     tables_.events.end(), has_latency) == 1;
  const std::vector<std::string> names = DistinctEventNames(tables_.events);
  latency_of_.assign(known, kNoId);
  for (EventId id = 0; id < known; ++id) {
    if (!has_latency(tables_.events[id])) continue;
    latency_of_[id] = static_cast<EventId>(tables_.events.size());
    if (has_time_line_) continue;
    const Event& of = tables_.events[id];
    Event event;
    event.name = is_only ? "latency" : absl::StrCat("latency/", names[id], "/");
    event.kind = of.kind;
    event.unit = of.unit;
    event.derived = true;
    event.selection_rank = of.selection_rank;
    tables_.events.push_back(std::move(event));
  }
  return to().Begin(info);
}

absl::Status Latency::OnSample(const Sample& sample) {
  if (sample.event >= latency_of_.size() ||
      latency_of_[sample.event] == kNoId) {
    return to().OnSample(sample);
  }
  Sample tagged = sample;
  SampleTags tags;
  tags.parallelism = running_.OnSample(sample.thread);
  tagged.tags = tables_.tags.Intern(tags);
  RETURN_IF_ERROR(to().OnSample(tagged));
  if (has_time_line_) return absl::OkStatus();
  tagged.event = latency_of_[sample.event];
  tagged.period = sample.period / tags.parallelism;
  // Those are the sample's. They must not count twice.
  tagged.branches = {};
  tagged.access = nullptr;
  return to().OnSample(tagged);
}

absl::Status Latency::OnSwitch(const Switch& event) {
  has_switches_ = true;
  running_.OnSwitch(event);
  return to().requirements().switches ? to().OnSwitch(event) : absl::OkStatus();
}

absl::Status Latency::Finish(const TraceSummary& summary) {
  if (!has_switches_ && diagnostics_ != nullptr) {
    diagnostics_->Add(
        Diagnostics::Severity::kNote,
        "--latency: the recording has no context switches, so that every "
        "thread seems to run alone; record with --latency or --switch-events");
  }
  return to().Finish(summary);
}

}  // namespace perf2x
