// SPDX-License-Identifier: Apache-2.0
#include "bench/recorder.h"

#include <algorithm>

#include "bench/sched_events.h"

namespace perf2x::bench {
namespace {

constexpr uint16_t kKernelMode = 1, kUserMode = 2;
constexpr uint16_t kCommExecBit = 0x2000;
constexpr uint64_t kTicksARound = 250;  // in a CPU's ring buffer
constexpr uint64_t kSpeTicksARound = 4'000;
constexpr uint64_t kDrainNanos = 20'000;  // to read one buffer
constexpr uint64_t kChangeNanos = 5'000;  // between the steps of an exec
constexpr uint32_t kProtReadExec = 5, kMapPrivate = 2;

}  // namespace

Recorder::Recorder(Kind kind, const Shape& shape, Population* population,
                   PerfDataWriter* writer)
    : kind_(kind),
      shape_(shape),
      population_(*population),
      writer_(*writer),
      times_(TimesOf(kind, shape)),
      events_(EventsOf(kind, shape.cpus)),
      cpus_(shape.cpus),
      states_(population->tasks().size()),
      random_(Mix(shape.seed, 10)) {
  for (uint32_t c = 0; c < cpus_.size(); ++c) {
    cpus_[c].number = c;
    cpus_[c].next_tick = times_.first + random_.Below(TickOf(kind));
    cpus_[c].idle = kind == Kind::kSched;
  }
  // Each thread stays on one CPU. CPUs without threads are dropped.
  for (uint32_t t = 0; t < population_.tasks().size(); ++t) {
    cpus_[t % cpus_.size()].tasks.push_back(t);
  }
  std::erase_if(cpus_, [](const Cpu& cpu) { return cpu.tasks.empty(); });
}

uint64_t Recorder::At(uint64_t fraction) const {
  return times_.first + ((times_.last - times_.first) >> 16) * (fraction >> 16);
}

void Recorder::ScheduleChanges() {
  using What = Change::What;
  for (uint32_t i = 0; i < population_.processes().size(); ++i) {
    const Process& p = population_.processes()[i];
    if (!p.live) continue;
    std::vector<Change>& out = cpus_[i % cpus_.size()].changes;
    uint64_t time = At(p.start);
    auto add = [&](What what, uint32_t index) {
      out.push_back({what, time += kChangeNanos, i, index});
    };
    add(What::kFork, 0);
    if (p.execs) {
      add(What::kExec, 0);
      for (uint32_t m = 0; m < p.bases.size(); ++m) add(What::kMap, m);
    }
    for (uint32_t t = 1; t < p.threads; ++t) add(What::kThread, t);
    time = At(p.end);
    for (uint32_t t = p.threads; t-- > 0;) add(What::kExit, t);
  }
  for (Cpu& cpu : cpus_) {
    std::stable_sort(
        cpu.changes.begin(), cpu.changes.end(),
        [](const Change& a, const Change& b) { return a.time < b.time; });
  }
}

// Returns true if the task may be sampled at `time`: after all records of the
// process's start, and before its end.
bool Recorder::Alive(uint32_t task, uint64_t time) const {
  const Process& p = population_.processes()[population_.tasks()[task].process];
  if (!p.live) return true;
  uint64_t birth = kChangeNanos * (p.bases.size() + p.threads + 4);
  return time > At(p.start) + birth && time < At(p.end);
}

void Recorder::Trailer(RecordBuffer& out) {
  uint64_t bits = events_[0].sample_type;
  if (bits & kTid) {
    out.U32(trailer_.pid);
    out.U32(trailer_.tid);
  }
  if (bits & kTime) out.U64(trailer_.time);
  if (bits & kId) out.U64(trailer_.id);
  if (bits & kCpu) {
    out.U32(trailer_.cpu);
    out.U32(0);
  }
  if (bits & kIdentifier) out.U64(trailer_.id);
}

void Recorder::Fork(const Process& child, uint32_t ppid, uint32_t tid,
                    uint32_t ptid, uint64_t time, RecordBuffer& out) {
  out.Begin(kFork);
  out.U32(child.pid);
  out.U32(ppid);
  out.U32(tid);
  out.U32(ptid);
  out.U64(time);
  Trailer(out);
  out.End();
}

void Recorder::CommOf(uint32_t pid, uint32_t tid, const std::string& comm,
                      RecordBuffer& out) {
  bool exec = trailer_.time != 0 && pid == tid;
  out.Begin(kComm, exec ? kCommExecBit : 0);
  out.U32(pid);
  out.U32(tid);
  out.PaddedString(comm);
  Trailer(out);
  out.End();
}

void Recorder::MapOf(uint32_t process, uint32_t slot, RecordBuffer& out) {
  const Process& p = population_.processes()[process];
  const std::vector<uint32_t>& program = population_.program(p.program);
  Binary vdso;
  vdso.path = "[vdso]";
  vdso.size = 0x2000;
  const Binary& binary =
      slot < program.size() ? population_.binaries()[program[slot]] : vdso;
  out.Begin(kMmap2, kUserMode);
  out.U32(p.pid);
  out.U32(p.pid);
  out.U64(p.bases[slot]);
  out.U64(binary.size);
  out.U64(binary.file_offset);
  out.U32(binary.major);
  out.U32(binary.minor);
  out.U64(binary.inode);
  out.U64(0);
  out.U32(kProtReadExec);
  out.U32(kMapPrivate);
  out.PaddedString(binary.path);
  Trailer(out);
  out.End();
}

void Recorder::SynthesizeProcess(uint32_t index, RecordBuffer& out) {
  const Process& p = population_.processes()[index];
  Fork(p, 1, p.pid, 1, 0, out);
  CommOf(p.pid, p.pid, population_.Comm({index, 0}), out);
  for (uint32_t slot = 0; slot < p.bases.size(); ++slot)
    MapOf(index, slot, out);
  for (uint32_t t = 1; t < p.threads; ++t) {
    Fork(p, p.pid, p.pid + t, p.pid, 0, out);
    CommOf(p.pid, p.pid + t, population_.Comm({index, t}), out);
  }
}

void Recorder::Synthesize() {
  RecordBuffer out;
  out.Begin(kIdIndex);
  uint64_t ids = 0;
  for (const Event& event : events_) ids += event.ids.size();
  out.U64(ids);
  for (const Event& event : events_) {
    for (uint64_t cpu = 0; cpu < event.ids.size(); ++cpu) {
      out.U64(event.ids[cpu]);
      out.U64(cpu);
      out.U64(cpu);
      out.U64(static_cast<uint64_t>(-1));
    }
  }
  out.End();
  if (kind_ == Kind::kSpe) AppendSpeInfo(out);
  if (const Binary& kernel = population_.kernel(); kernel.size != 0) {
    out.Begin(kMmap, kKernelMode);
    out.U32(static_cast<uint32_t>(-1));
    out.U32(0);
    out.U64(kernel.address);
    out.U64(kernel.size);
    out.U64(kernel.file_offset);
    out.PaddedString(kernel.path);
    Trailer(out);
    out.End();
  }
  constexpr uint64_t kAllThreads = static_cast<uint64_t>(-1);
  out.Begin(kThreadMap);
  out.U64(1);
  out.U64(kAllThreads);
  out.Zeros(16);
  out.End();
  constexpr uint16_t kCpuRange = 2;
  out.Begin(kCpuMap);
  out.U16(kCpuRange);
  out.U16(0);
  out.U16(0);
  out.U16(static_cast<uint16_t>(shape_.cpus - 1));
  out.End();
  for (uint32_t i = 0; i < population_.processes().size(); ++i) {
    if (population_.processes()[i].live) continue;
    SynthesizeProcess(i, out);
    writer_.WriteSynthesized(out);
    out.Clear();
  }
  out.Begin(kFinishedInit);
  out.End();
  writer_.WriteSynthesized(out);
}

void Recorder::Apply(const Cpu& cpu, const Change& change, RecordBuffer& out) {
  using What = Change::What;
  const Process& p = population_.processes()[change.process];
  uint32_t tid = p.pid;
  uint32_t thread = change.what == What::kMap ? 0 : change.index;
  if (change.what == What::kExit) tid += thread;
  trailer_ = {p.pid, tid, change.time, events_.back().ids[cpu.number],
              cpu.number};
  if (change.what == What::kFork) {
    uint32_t parent = population_.processes()[p.parent].pid;
    trailer_.pid = trailer_.tid = parent;
    Fork(p, parent, p.pid, parent, change.time, out);
  } else if (change.what == What::kExec) {
    CommOf(p.pid, p.pid, population_.Comm({change.process, 0}), out);
  } else if (change.what == What::kMap) {
    MapOf(change.process, change.index, out);
  } else if (change.what == What::kThread) {
    Fork(p, p.pid, p.pid + thread, p.pid, change.time, out);
    trailer_.tid = p.pid + thread;
    CommOf(p.pid, p.pid + thread, population_.Comm({change.process, thread}),
           out);
  } else {
    out.Begin(kExit);
    uint32_t parent = population_.processes()[p.parent].pid;
    out.U32(p.pid);
    out.U32(parent);
    out.U32(tid);
    out.U32(parent);
    out.U64(change.time);
    Trailer(out);
    out.End();
  }
  trailer_ = {};
}

bool Recorder::PickTask(Cpu& cpu) {
  constexpr int kTries = 64;
  for (int i = 0; i < kTries; ++i) {
    uint32_t task = cpu.tasks[SkewedBelow(random_.Next(), cpu.tasks.size())];
    if (!Alive(task, cpu.next_tick)) continue;
    cpu.task = task;
    cpu.slice_left = 1 + random_.Below(kind_ == Kind::kSpe ? 2'000 : 20);
    return true;
  }
  return false;
}

uint64_t Recorder::PickStack(uint32_t task) {
  TaskState& state = states_[task];
  // New stacks are spread evenly over the recording.
  uint64_t due =
      (++state.samples * shape_.stacks + shape_.samples - 1) / shape_.samples;
  if (state.stacks < due) {
    ++stacks_;
    return state.stacks++;
  }
  return SkewedBelow(random_.Next(), state.stacks);
}

void Recorder::SampleStack(const Cpu& cpu, RecordBuffer& out) {
  const Task& task = population_.tasks()[cpu.task];
  const Process& process = population_.processes()[task.process];
  const uint64_t stack = PickStack(cpu.task);
  bool user_mode = true;
  population_.MakeCallchain(cpu.task, stack, &chain_, &user_mode);
  const bool has_branches = kind_ == Kind::kBranches;
  if (has_branches) user_mode = true;
  out.Begin(kSample, user_mode ? kUserMode : kKernelMode);
  out.U64(has_branches ? chain_.back() : chain_[1]);
  out.U32(process.pid);
  out.U32(process.pid + task.thread);
  out.U64(cpu.next_tick);
  out.U64(events_[0].ids[cpu.number]);
  out.U32(cpu.number);
  out.U32(0);
  out.U64(TickOf(kind_));
  if (kind_ == Kind::kCallGraph) {
    out.U64(chain_.size());
    out.Bytes(chain_.data(), chain_.size() * 8);
  }
  if (has_branches) BranchStack(cpu.task, stack, out);
  out.End();
  ++samples_;
}

// Appends branches between the user addresses of a stack, over and over as in a
// loop, the latest first: from each address, code runs through to the source of
// the next branch.
void Recorder::BranchStack(uint32_t task, uint64_t stack, RecordBuffer& out) {
  constexpr uint64_t kEntries = 32, kKernel = uint64_t{1} << 63,
                     kMispredicted = 1, kPredicted = 2;
  std::vector<uint64_t> places;
  for (bool user_mode; places.empty(); ++stack) {
    population_.MakeCallchain(task, stack, &chain_, &user_mode);
    for (const uint64_t address : chain_) {
      if (address < kKernel) places.push_back(address);
    }
  }
  out.U64(kEntries);
  for (uint64_t i = 0; i < kEntries; ++i) {
    const uint64_t to = places[i % places.size()];
    const uint64_t before = places[(i + 1) % places.size()];
    out.U64(before + Mix(before) % 64);
    out.U64(to);
    out.U64(Mix(to, i) % 16 == 0 ? kMispredicted : kPredicted);
  }
}

void Recorder::Drain(Cpu& cpu, uint64_t until, RecordBuffer& out) {
  while (true) {
    bool change = cpu.next_change < cpu.changes.size() &&
                  cpu.changes[cpu.next_change].time < cpu.next_tick;
    uint64_t time = change ? cpu.changes[cpu.next_change].time : cpu.next_tick;
    if (time > until) return;
    if (change) {
      Apply(cpu, cpu.changes[cpu.next_change++], out);
      continue;
    }
    if (samples_ >= shape_.samples) return;
    Tick(cpu, out);
    cpu.next_tick += TickOf(kind_) * 9 / 10 + random_.Below(TickOf(kind_) / 5);
  }
}

void Recorder::Tick(Cpu& cpu, RecordBuffer& out) {
  if (kind_ == Kind::kSched) {
    SampleSwitch(cpu, out);
    return;
  }
  if (cpu.slice_left == 0 || !Alive(cpu.task, cpu.next_tick)) {
    if (!PickTask(cpu)) return;
  }
  --cpu.slice_left;
  if (kind_ == Kind::kSpe) {
    TraceOperation(cpu);
  } else {
    SampleStack(cpu, out);
  }
}

void Recorder::Run() {
  ScheduleChanges();
  Synthesize();
  RecordBuffer out;
  // All changes come before the last samples.
  const uint64_t ticks = kind_ == Kind::kSpe ? kSpeTicksARound : kTicksARound;
  for (uint64_t until = times_.first; samples_ < shape_.samples;) {
    until += ticks * TickOf(kind_);
    for (Cpu& cpu : cpus_) {
      out.Clear();
      const uint64_t drained = until + cpu.number * kDrainNanos;
      Drain(cpu, drained, out);
      NameTrace(cpu, drained, out);
      writer_.WriteRingBuffer(out);
      WriteTrace(cpu);
    }
    writer_.WriteFinishedRound();
  }
  writer_.Finish();
}

}  // namespace perf2x::bench
