// SPDX-License-Identifier: Apache-2.0
#include "converter/stages/filtered_emitter.h"

namespace perf2x {

absl::Status FilteredEmitter::OnThread(ThreadId thread,
                                       std::optional<uint64_t> time) {
  threads_[tables_.threads[thread].tid] = thread;
  return filter_.SelectsThread(thread) ? to().OnThread(thread, time)
                                       : absl::OkStatus();
}

absl::Status FilteredEmitter::OnFork(const Fork& fork) {
  const bool selected = filter_.SelectsThread(fork.parent) &&
                        filter_.SelectsThread(fork.child) &&
                        filter_.SelectsTime(fork.time);
  return selected ? to().OnFork(fork) : absl::OkStatus();
}

absl::Status FilteredEmitter::OnExec(const Exec& exec) {
  const bool selected =
      filter_.SelectsThread(exec.thread) && filter_.SelectsTime(exec.time);
  return selected ? to().OnExec(exec) : absl::OkStatus();
}

absl::Status FilteredEmitter::OnExit(const Exit& exit) {
  const bool selected =
      filter_.SelectsThread(exit.thread) && filter_.SelectsTime(exit.time);
  return selected ? to().OnExit(exit) : absl::OkStatus();
}

// A mapping stays in effect, so its time does not matter.
absl::Status FilteredEmitter::OnMap(const MapEvent& map) {
  const bool selected =
      map.thread == kNoId || filter_.SelectsThread(map.thread);
  return selected ? to().OnMap(map) : absl::OkStatus();
}

absl::Status FilteredEmitter::OnSwitch(const Switch& event) {
  if (!filter_.SelectsThread(event.thread) || !filter_.SelectsCpu(event.cpu) ||
      !filter_.SelectsTime(event.time)) {
    return absl::OkStatus();
  }
  Switch selected = event;
  selected.other = IfSelected(event.other);
  return to().OnSwitch(selected);
}

absl::Status FilteredEmitter::OnWakeup(const Wakeup& wakeup) {
  if (!filter_.SelectsThread(wakeup.woken) ||
      !filter_.SelectsCpu(wakeup.target_cpu) ||
      !filter_.SelectsTime(wakeup.time)) {
    return absl::OkStatus();
  }
  Wakeup selected = wakeup;
  selected.waker = IfSelected(wakeup.waker);
  return to().OnWakeup(selected);
}

// A call that ends at a time that is not selected ends with the next change, or
// with the trace.
absl::Status FilteredEmitter::OnCall(const Call& call) {
  filter_.NoteTime(call.time);
  const bool selected =
      filter_.SelectsThread(call.thread) && filter_.SelectsTime(call.time);
  if (!selected) return absl::OkStatus();
  Call known = call;
  // What ends on another CPU may have begun on a selected one.
  if (call.function != kNoId && !filter_.SelectsCpu(call.cpu)) {
    known.function = kNoId;
  }
  if (known.function != kNoId) ++calls_;
  return to().OnCall(known);
}

// As for samples, all is evaluated: words of options may occur here alone.
absl::Status FilteredEmitter::OnCounter(const Counter& counter) {
  filter_.NoteTime(counter.time);
  bool selected = SelectsThread(counter.thread);
  selected &= filter_.SelectsEvent(counter.event);
  selected &= filter_.SelectsCpu(counter.cpu);
  selected &= filter_.SelectsTime(counter.time);
  return selected ? to().OnCounter(counter) : absl::OkStatus();
}

// The threads of lost samples are not known, only the thread that ran when the
// loss was noticed. So a loss is not filtered by thread.
absl::Status FilteredEmitter::OnLost(const Lost& lost) {
  const bool selected = (lost.cpu < 0 || filter_.SelectsCpu(lost.cpu)) &&
                        filter_.SelectsTime(lost.time);
  if (!selected) return absl::OkStatus();
  Lost known = lost;
  known.thread = IfSelected(lost.thread);
  return to().OnLost(known);
}

absl::Status FilteredEmitter::OnAuxGap(const AuxGap& gap) {
  const bool selected = SelectsThread(gap.thread) &&
                        (gap.cpu < 0 || filter_.SelectsCpu(gap.cpu)) &&
                        filter_.SelectsTime(gap.time);
  return selected ? to().OnAuxGap(gap) : absl::OkStatus();
}

absl::Status FilteredEmitter::OnThrottle(const Throttle& throttle) {
  const bool selected =
      (throttle.event == kNoId ||
       tables_.events[throttle.event].selection_rank != kNoId) &&
      IfSelected(throttle.thread) == throttle.thread &&
      (throttle.cpu < 0 || filter_.SelectsCpu(throttle.cpu)) &&
      filter_.SelectsTime(throttle.time);
  return selected ? to().OnThrottle(throttle) : absl::OkStatus();
}

// perf's own records have no thread, CPU or time, and are forwarded.
absl::Status FilteredEmitter::OnRecord(const RecordEvent& record) {
  bool selected = filter_.SelectsTime(record.time) &&
                  (record.cpu < 0 || filter_.SelectsCpu(record.cpu));
  if (filter_.by_thread() && record.tid >= 0) {
    const auto it = threads_.find(record.tid);
    selected =
        selected && it != threads_.end() && filter_.SelectsThread(it->second);
  }
  return selected ? to().OnRecord(record) : absl::OkStatus();
}

}  // namespace perf2x
