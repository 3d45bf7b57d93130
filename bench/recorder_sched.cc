// SPDX-License-Identifier: Apache-2.0

// The recorder's context switches.

#include "bench/recorder.h"
#include "bench/sched_events.h"

namespace perf2x::bench {
namespace {

constexpr uint16_t kKernelMode = 1;
constexpr uint16_t kSwitchOut = 0x2000, kPreempted = 0x4000;
constexpr uint64_t kIdleShare = 3;  // one switch in so many is to the idle task

}  // namespace

Recorder::Runner Recorder::RunnerOn(const Cpu& cpu) const {
  if (cpu.idle) return {0, {0, "swapper/" + std::to_string(cpu.number)}};
  const Task& task = population_.tasks()[cpu.task];
  uint32_t pid = population_.processes()[task.process].pid;
  return {pid, {pid + task.thread, population_.Comm(task)}};
}

void Recorder::BeginSchedSample(const Cpu& cpu, size_t event, uint64_t time,
                                const Runner& runner, RecordBuffer& out) {
  out.Begin(kSample, kKernelMode);
  out.U64(events_[event].ids[cpu.number]);
  out.U64(population_.kernel().address + 1);
  out.U32(runner.pid);
  out.U32(runner.task.tid);
  out.U64(time);
  out.U32(cpu.number);
  out.U32(0);
  out.U64(1);
  ++samples_;
}

// Writes a sched_wakeup in half of the calls, sched_switch while the old task
// still runs, then the two records of `record --switch-events`.
void Recorder::SampleSwitch(Cpu& cpu, RecordBuffer& out) {
  Runner prev = RunnerOn(cpu);
  bool was_idle = cpu.idle;
  cpu.idle = !was_idle && random_.Below(kIdleShare) == 0;
  if (!cpu.idle) cpu.idle = !PickTask(cpu);
  Runner next = RunnerOn(cpu);
  if (prev.task.tid == next.task.tid) return;

  if (!cpu.idle && random_.Below(2) == 0) {
    BeginSchedSample(cpu, 1, cpu.next_tick - 2'000, prev, out);
    AppendWakeupRaw(prev.task.tid, next.task, cpu.number, out);
    out.End();
  }
  bool sleeps = !was_idle && (cpu.idle || random_.Below(2) == 0);
  BeginSchedSample(cpu, 0, cpu.next_tick, prev, out);
  AppendSwitchRaw(prev.task, sleeps, next.task, out);
  out.End();

  uint64_t id = events_.back().ids[cpu.number];
  out.Begin(kSwitchCpuWide, kSwitchOut | (sleeps ? 0 : kPreempted));
  out.U32(next.pid);
  out.U32(next.task.tid);
  trailer_ = {prev.pid, prev.task.tid, cpu.next_tick + 300, id, cpu.number};
  Trailer(out);
  out.End();
  out.Begin(kSwitchCpuWide);
  out.U32(prev.pid);
  out.U32(prev.task.tid);
  trailer_ = {next.pid, next.task.tid, cpu.next_tick + 700, id, cpu.number};
  Trailer(out);
  out.End();
}

}  // namespace perf2x::bench
