// SPDX-License-Identifier: Apache-2.0
#include "converter/stages/thread_times.h"

#include <algorithm>
#include <utility>

#include "converter/base/status_macros.h"

namespace perf2x {
namespace {

uint64_t Since(uint64_t begin, uint64_t end) {
  return end > begin ? end - begin : 0;
}

// Returns why a thread waits that was switched out. `letters` are the
// scheduler's: TASK_STATE_TO_CHAR_STR of the recorded kernel.
TimeState WaitOf(const Switch& event) {
  if (event.state.empty()) {
    return event.preempted ? TimeState::kRunnable : TimeState::kBlocked;
  }
  switch (event.state[0]) {
    case 'R':
      return TimeState::kRunnable;
    case 'D':
      return TimeState::kDisk;
    case 'T':
    case 't':
    case 'P':
      return TimeState::kStopped;
    default:  // S; I, an idle worker of the kernel
      return TimeState::kSleeping;
  }
}

}  // namespace

ThreadTimes::Row& ThreadTimes::AddRowOf(ThreadId thread) {
  if (thread >= row_of_.size()) row_of_.resize(thread + 1);
  Row*& row = row_of_[thread];
  if (row == nullptr) {
    const Thread& named = tables_.threads[thread];
    Row*& same = rows_by_tid_[{named.pid, named.tid}];
    if (same == nullptr) {
      same = &rows_.emplace_back();
      same->is_idle = named.tid <= 0;
      same->losses = losses_.count();
    }
    row = same;
    row->id = thread;
  }
  return *row;
}

// To be called when something happens to the thread of `row`. Returns `row`.
ThreadTimes::Row& ThreadTimes::Touch(Row& row, std::optional<uint64_t> time) {
  if (time.has_value()) NoteTime(*time);
  if (!row.was_touched && time.has_value()) {
    row.was_touched = true;
    row.start = row.point = *first_;
  }
  row.NoteLosses(losses_);
  return row;
}

// Takes a reference: the pieces of a stretch were just stored, and a copy would
// load them in larger pieces, which have to wait until all are stored.
absl::Status ThreadTimes::Report(Row& row, ThreadTime& time) {
  if (time.duration == 0) return absl::OkStatus();
  row.accounted += time.duration;
  time.thread = row.id;
  return sink_.OnThreadTime(time);
}

absl::Status ThreadTimes::OnSample(const Sample& sample, uint64_t interval) {
  Row& row = Touch(RowOf(sample.thread), sample.time);
  if (row.is_idle) return absl::OkStatus();
  row.last_stack = sample.stack;
  ThreadTime time;
  time.state = TimeState::kRunning;
  time.stack = sample.stack;
  time.origin = StackOrigin::kSample;
  time.cpu = sample.cpu;
  time.sample = &sample;
  if (!sample.time.has_value()) {
    time.duration = interval;
    return Report(row, time);
  }
  if (row.phase == Row::kDead) return absl::OkStatus();
  if (row.phase == Row::kWaiting) {
    // A thread that does not run is not sampled, except for the moment in which
    // it is being switched. Else, its switch-in was not recorded.
    const uint64_t begin = *sample.time - std::min(*sample.time, interval);
    if (interval == 0 || begin < row.point) return absl::OkStatus();
    RETURN_IF_ERROR(In(row, begin, sample.cpu));
  }
  // Before its first switch, a sampled thread runs on if switches are recorded.
  const bool ran =
      row.phase == Row::kRunning ||
      (row.phase == Row::kStart && row.sampled_in_run && has_switches_);
  row.sampled_in_run = true;
  time.end = sample.time;
  time.duration = Since(row.point, *sample.time);
  if (!ran) time.duration = std::min(time.duration, interval);
  row.point = std::max(row.point, *sample.time);
  return Report(row, time);
}

absl::Status ThreadTimes::OnOffCpuSample(const Sample& sample) {
  if (has_switches_) return absl::OkStatus();
  Row& row = Touch(RowOf(sample.thread), sample.time);
  if (row.is_idle) return absl::OkStatus();
  ThreadTime time;
  time.state = TimeState::kBlocked;
  time.duration = sample.period;
  time.end = sample.time;
  time.stack = sample.stack;
  time.origin = StackOrigin::kSwitch;
  time.sample = &sample;
  if (sample.time.has_value()) row.point = std::max(row.point, *sample.time);
  return Report(row, time);
}

// Ends the time in which the thread ran or, before the first switch, may have
// run since it began. `out_stack` is that of the switch-out, if it has callers.
absl::Status ThreadTimes::EndRun(Row& row, uint64_t time, StackId out_stack) {
  ThreadTime run;
  run.state = TimeState::kRunning;
  run.duration = row.phase == Row::kStart
                     ? Since(row.accounted, Since(row.start, time))
                     : Since(row.point, time);
  run.end = time;
  run.cpu = row.cpu;
  const bool at_switch = !row.sampled_in_run && out_stack != kNoId;
  run.stack = at_switch ? out_stack : row.last_stack;
  run.origin = row.sampled_in_run ? StackOrigin::kSample
               : at_switch        ? StackOrigin::kSwitch
                                  : StackOrigin::kOlder;
  row.point = std::max(row.point, time);
  return Report(row, run);
}

// Returns the wakers of a wait that ends; valid until the next call.
absl::Span<const ThreadId> ThreadTimes::WakersOf(const Row& row) {
  if (row.waker == kNoId) return {};
  if (max_wakers_ == 1) return {&row.waker, 1};
  wakers_.clear();
  const Row* at = &row;
  while (at->waker != kNoId) {
    wakers_.push_back(at->waker);
    if (wakers_.size() == max_wakers_) break;
    const Row* const next = KnownRowOf(at->waker);
    if (next == nullptr || next == &row) break;
    at = next;
  }
  return wakers_;
}

absl::Status ThreadTimes::EndWait(Row& row, uint64_t time) {
  ThreadTime wait;
  wait.state = row.waiting;
  wait.duration = Since(row.point, time);
  wait.end = time;
  const bool at_switch = row.out_stack != kNoId;
  wait.stack = at_switch ? row.out_stack : row.last_stack;
  wait.origin = at_switch ? StackOrigin::kSwitch : StackOrigin::kOlder;
  wait.wakers = WakersOf(row);
  row.point = std::max(row.point, time);
  return Report(row, wait);
}

// Ends what a thread did before it was first woken or switched in: a new thread
// waited for a CPU. If samples say that it ran, a switch was not recorded.
absl::Status ThreadTimes::EndStart(Row& row, uint64_t time) {
  if (row.sampled_in_run) return absl::OkStatus();
  row.waiting = row.began_late ? TimeState::kRunnable : TimeState::kBlocked;
  return EndWait(row, time);
}

absl::Status ThreadTimes::In(Row& row, uint64_t time, int32_t cpu) {
  if (row.phase == Row::kRunning || row.phase == Row::kDead) {
    return absl::OkStatus();  // recorded twice, by two means
  }
  if (row.phase == Row::kStart) RETURN_IF_ERROR(EndStart(row, time));
  if (row.phase == Row::kWaiting) RETURN_IF_ERROR(EndWait(row, time));
  row.phase = Row::kRunning;
  row.point = time;
  row.cpu = cpu;
  row.sampled_in_run = false;
  row.out_stack = kNoId;
  return absl::OkStatus();
}

// Another thread runs on `cpu`: if the switch-out of `left`, which did, is not
// recorded, it is unknown when that was. A thread that is gone left at its end.
absl::Status ThreadTimes::Leave(Row& left, int32_t cpu) {
  left.NoteLosses(losses_);
  if (left.phase != Row::kRunning || left.cpu != cpu) return absl::OkStatus();
  const std::optional<uint64_t> gone = GoneAt(left);
  if (!gone.has_value()) {
    left.phase = Row::kLosing;
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(EndRun(left, *gone, kNoId));
  left.phase = Row::kDead;
  return absl::OkStatus();
}

absl::Status ThreadTimes::Out(Row& row, const Switch& event) {
  const uint64_t time = *event.time;
  const StackId stack = HasCallchain(event.stack) ? event.stack : kNoId;
  if (row.phase == Row::kRunning || row.phase == Row::kStart) {
    RETURN_IF_ERROR(EndRun(row, time, stack));
  }
  if (row.phase == Row::kDead) return absl::OkStatus();
  row.point = std::max(row.point, time);
  const char letter = event.state.empty() ? ' ' : event.state[0];
  const TimeState wait = WaitOf(event);
  const bool can_run = wait == TimeState::kRunnable;
  if (letter == 'X' || letter == 'Z' || (row.has_exited() && !can_run)) {
    row.phase = Row::kDead;
    return absl::OkStatus();
  }
  row.phase = Row::kWaiting;
  const bool in_lock = row.in_futex || row.in_kernel_lock;
  row.waiting = in_lock && !can_run ? TimeState::kLock : wait;
  row.out_stack = stack;
  row.waker = kNoId;
  return absl::OkStatus();
}

absl::Status ThreadTimes::OnSwitch(const Switch& event) {
  if (!event.time.has_value()) return absl::OkStatus();
  if (event.after_gap) OnLost(event.cpu);
  traced_ |= !event.state.empty();
  // A SWITCH record that repeats the tracepoint.
  if (event.out && traced_ && event.state.empty()) return absl::OkStatus();
  Row* row = KnownRowOf(event.thread);
  const bool is_known = row != nullptr && !row->is_idle;  // has a tid
  ExpectThread(event.other);  // mostly, the next event is of it
  if (is_known || tables_.threads[event.thread].tid >= 0) {
    row = &Touch(is_known ? *row : RowOf(event.thread), event.time);
    row->id = event.thread;
  } else {
    // In SWITCH records, an exited thread has the tid -1 when it leaves its
    // CPU.
    NoteTime(*event.time);
    row = event.out && event.cpu >= 0 ? running_.On(event.cpu) : nullptr;
    if (row == nullptr || !row->has_exited()) return absl::OkStatus();
    row->NoteLosses(losses_);
  }
  Row* unknown = nullptr;
  Row*& running = event.cpu >= 0 ? running_.On(event.cpu) : unknown;
  if (running != nullptr && running != row) {
    RETURN_IF_ERROR(Leave(*std::exchange(running, nullptr), event.cpu));
  }
  if (row->is_idle) return absl::OkStatus();
  has_switches_ = true;
  running = event.out ? nullptr : row;
  if (event.out) return Out(*row, event);
  return In(*row, *event.time, event.cpu);
}

// Without switches, wake-ups do not tell how long a thread waited.
absl::Status ThreadTimes::OnWakeup(const Wakeup& event) {
  if (!event.time.has_value() || !has_switches_) return absl::OkStatus();
  Row& row = Touch(RowOf(event.woken), event.time);
  const bool is_awake =
      row.phase == Row::kRunning || row.phase == Row::kDead ||
      (row.phase == Row::kStart && row.sampled_in_run) ||
      (row.phase == Row::kWaiting && row.waiting == TimeState::kRunnable);
  if (row.is_idle || is_awake) return absl::OkStatus();
  row.waker = event.waker;
  if (row.phase == Row::kStart) {
    RETURN_IF_ERROR(EndStart(row, *event.time));
  } else if (row.phase == Row::kWaiting) {
    RETURN_IF_ERROR(EndWait(row, *event.time));
  }
  row.phase = Row::kWaiting;
  row.waiting = TimeState::kRunnable;
  row.point = std::max(row.point, *event.time);
  return absl::OkStatus();
}

absl::Status ThreadTimes::OnFork(const Fork& fork) {
  if (!fork.time.has_value()) return absl::OkStatus();
  NoteTime(*fork.time);
  Row& row = RowOf(fork.child);
  row.NoteLosses(losses_);
  RETURN_IF_ERROR(EndLife(row));  // of an earlier thread with the same tid
  BeginLife(row, *fork.time);
  return absl::OkStatus();
}

void ThreadTimes::BeginLife(Row& row, uint64_t time) {
  const ThreadId id = row.id;
  const bool is_idle = row.is_idle;
  row = Row();
  row.id = id;
  row.is_idle = is_idle;
  row.losses = losses_.count();
  row.was_touched = row.began_late = true;
  row.start = row.point = time;
}

// If another thread than the main one replaces the program, the kernel ends the
// main one and gives its tid to the other: de_thread() in fs/exec.c. No record
// says which thread that was.
absl::Status ThreadTimes::OnExec(const Exec& exec) {
  const Thread thread = tables_.threads[exec.thread];
  const auto known = rows_by_tid_.find({thread.pid, thread.tid});
  const ThreadId before =
      known == rows_by_tid_.end() ? exec.thread : known->second->id;
  Row& row = Touch(RowOf(exec.thread), exec.time);
  if (!row.has_exited() || !exec.time.has_value()) {
    return absl::OkStatus();
  }
  row.id = before;  // the last stretch has the old name
  RETURN_IF_ERROR(EndLife(row));
  row.id = exec.thread;
  BeginLife(row, *exec.time);
  thread_execs_.Add(thread.pid, *exec.time);
  return absl::OkStatus();
}

std::optional<uint64_t> ThreadTimes::GoneAt(const Row& row) const {
  const Thread& thread = tables_.threads[row.id];
  if (row.has_exited()) return row.exited_at;
  if (thread.tid == thread.pid) return std::nullopt;
  return thread_execs_.FirstSince(thread.pid, row.point);
}

// A thread that exits is running, even if its switch-in is not recorded. The
// kernel switches it out some time later, and may even switch it in once more.
absl::Status ThreadTimes::OnExit(const Exit& exit) {
  if (!exit.time.has_value()) return absl::OkStatus();
  Row& row = Touch(RowOf(exit.thread), exit.time);
  if (row.phase == Row::kWaiting) row.phase = Row::kLosing;
  row.exited_at = *exit.time;
  return absl::OkStatus();
}

// Ends the life of a thread: at its exit or its last switch-out, or with the
// recording. What is left is unknown.
absl::Status ThreadTimes::EndLife(Row& row) {
  if (!row.was_touched || row.is_idle) return absl::OkStatus();
  const uint64_t last = GoneAt(row).value_or(last_);
  const uint64_t end =
      row.phase == Row::kDead ? row.point : std::max(last, row.point);
  const bool never_switched =
      row.phase == Row::kStart && row.sampled_in_run && has_switches_;
  if (row.phase == Row::kRunning || never_switched) {
    RETURN_IF_ERROR(EndRun(row, end, kNoId));
  } else if (row.phase == Row::kWaiting) {
    row.waker = kNoId;
    RETURN_IF_ERROR(EndWait(row, end));
  }
  ThreadTime rest;
  rest.duration = Since(row.accounted, Since(row.start, end));
  return Report(row, rest);
}

absl::Status ThreadTimes::Finish(std::optional<uint64_t> last) {
  if (last.has_value()) NoteTime(*last);
  for (Row& row : rows_) {
    row.NoteLosses(losses_);
    RETURN_IF_ERROR(EndLife(row));
  }
  return absl::OkStatus();
}

}  // namespace perf2x
