// SPDX-License-Identifier: Apache-2.0
#include "converter/session/sched_tracker.h"

#include "converter/base/status_macros.h"
#include "converter/perf/records/wire.h"

namespace perf2x {

absl::StatusOr<Switch> SchedTracker::SwitchOf(const RecordContext& context) {
  Switch event;
  event.time = context.time;
  event.cpu = static_cast<int32_t>(context.id.cpu);
  event.out = (context.raw.misc & kMiscSwitchOut) != 0;
  event.preempted =
      event.out && (context.raw.misc & kMiscSwitchOutPreempt) != 0;
  ASSIGN_OR_RETURN(
      event.thread,
      threads_.Announce(threads_.GetThread(context.id.pid, context.id.tid),
                        context.time));
  return event;
}

absl::Status SchedTracker::Apply(const SwitchRecord&,
                                 const RecordContext& context) {
  ASSIGN_OR_RETURN(const Switch event, SwitchOf(context));
  return sink_.Report(&Emitter::OnSwitch, event);
}

absl::Status SchedTracker::Apply(const SwitchCpuWideRecord& record,
                                 const RecordContext& context) {
  ASSIGN_OR_RETURN(Switch event, SwitchOf(context));
  ASSIGN_OR_RETURN(event.other,
                   threads_.Announce(threads_.GetThread(record.next_prev_pid,
                                                        record.next_prev_tid),
                                     context.time));
  return sink_.Report(&Emitter::OnSwitch, event);
}

// Tracepoints identify threads by tid alone. A thread that no record names is
// not one of the recorded threads.
absl::Status SchedTracker::ReportWakeup(const SchedEvent& event,
                                        const Sample& sample) {
  Wakeup wakeup;
  wakeup.time = sample.time;
  wakeup.waker = sample.thread;
  wakeup.cpu = sample.cpu;
  wakeup.target_cpu = event.target_cpu;
  RETURN_IF_ERROR(Find(event.tid, sample.time, &wakeup.woken));
  return wakeup.woken == kNoId ? absl::OkStatus()
                               : sink_.Report(&Emitter::OnWakeup, wakeup);
}

absl::Status SchedTracker::LearnThread(const SchedEvent& event,
                                       const Sample& sample) {
  if (!tids_.Learn(event.tid, tables_.threads[sample.thread].tid)) {
    return absl::OkStatus();
  }
  const auto cpu = static_cast<size_t>(sample.cpu);
  if (sample.cpu < 0 || cpu >= switched_at_.size() || sample.period > 1 ||
      !switched_at_[cpu].has_value()) {
    return absl::OkStatus();
  }
  Switch in;
  in.time = switched_at_[cpu];
  in.cpu = sample.cpu;
  RETURN_IF_ERROR(Find(event.tid, in.time, &in.thread));
  return in.thread == kNoId ? absl::OkStatus()
                            : sink_.Report(&Emitter::OnSwitch, in);
}

void SchedTracker::NoteSwitch(const Sample& sample) {
  constexpr int32_t kMaxCpus = 1 << 16;
  if (sample.cpu < 0 || sample.cpu >= kMaxCpus) return;
  const auto cpu = static_cast<size_t>(sample.cpu);
  if (cpu >= switched_at_.size()) switched_at_.resize(cpu + 1);
  switched_at_[cpu] = sample.time;
}

absl::Status SchedTracker::ReportSwitch(const SchedEvent& event,
                                        const Sample& sample) {
  Switch out;
  out.time = sample.time;
  out.cpu = sample.cpu;
  out.out = true;
  out.state = event.state;
  out.preempted = out.state.back() == '+';
  out.after_gap = sample.period > 1;
  RETURN_IF_ERROR(Find(event.tid, sample.time, &out.thread));
  if (out.thread != sample.thread) {
    RETURN_IF_ERROR(LearnThread(event, sample));
    RETURN_IF_ERROR(Find(event.tid, sample.time, &out.thread));
  }
  if (tids_.differ()) NoteSwitch(sample);
  if (out.thread == sample.thread) out.stack = sample.stack;
  RETURN_IF_ERROR(Find(event.next_tid, sample.time, &out.other));
  if (out.thread != kNoId)
    RETURN_IF_ERROR(sink_.Report(&Emitter::OnSwitch, out));
  if (out.other == kNoId) return absl::OkStatus();
  Switch in;
  in.time = sample.time;
  in.cpu = sample.cpu;
  in.thread = out.other;
  in.other = out.thread;
  in.after_gap = out.after_gap && out.thread == kNoId;
  return sink_.Report(&Emitter::OnSwitch, in);
}

}  // namespace perf2x
