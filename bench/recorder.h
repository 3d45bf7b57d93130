// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BENCH_RECORDER_H_
#define PERF2X_BENCH_RECORDER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "bench/perf_data_writer.h"
#include "bench/population.h"
#include "bench/random.h"
#include "bench/record_buffer.h"
#include "bench/sched_events.h"

namespace perf2x::bench {

// The events of the recording.
enum class Kind {
  kCallGraph,  // cpu-clock with frame-pointer callchains
  kFlat,       // cpu-clock without callchains
  kBranches,   // cycles:u with branch stacks of 32 entries
  kSched,      // sched:sched_switch, sched:sched_wakeup and context switches
  kSpe,        // Arm SPE
};

// Nanoseconds on the recording's clock.
struct TimeSpan {
  uint64_t first = 0;
  uint64_t last = 0;
};

// Returns the mean time between two ticks of a CPU, in ns. A tick makes a
// sample or more, unless no task can run.
uint64_t TickOf(Kind kind);
// Returns the events, with ids for each of `cpus` CPUs.
std::vector<Event> EventsOf(Kind kind, uint64_t cpus);
// The type of kSpe's event: a number that the kernel chose for the unit.
inline constexpr uint32_t kSpeEventType = 8;
// Appends the records that tell how to read a trace of Arm SPE.
void AppendSpeInfo(RecordBuffer& out);
// Returns the first time of the recording and the last planned one.
TimeSpan TimesOf(Kind kind, const Shape& shape);
// Returns the header features, in ascending order.
std::vector<Feature> FeaturesOf(Kind kind, const Shape& shape,
                                const Population& population, bool compressed);

// Simulates the population on the shape's CPUs, and writes what perf would
// record system-wide. There is one ring buffer for each CPU; each round drains
// the buffers one after another.
class Recorder {
 public:
  // `population` and `writer` must outlive the recorder.
  Recorder(Kind kind, const Shape& shape, Population* population,
           PerfDataWriter* writer);
  // Writes the whole recording, and finishes `writer`. To be called once.
  void Run();

  // After Run: the number of samples, and of distinct (thread, callchain)
  // pairs.
  uint64_t samples() const { return samples_; }
  uint64_t stacks() const { return stacks_; }

 private:
  // An event in the life of a process.
  struct Change {
    enum class What { kFork, kExec, kMap, kThread, kExit } what;
    uint64_t time = 0;
    uint32_t process = 0;
    uint32_t index = 0;  // mapping or thread
  };
  struct Cpu {
    uint32_t number = 0;
    uint64_t next_tick = 0;
    uint32_t task = 0;
    bool idle = false;            // only kSched runs the idle task
    uint64_t slice_left = 0;      // ticks
    std::vector<Change> changes;  // in time order
    size_t next_change = 0;
    std::vector<uint32_t> tasks;  // tasks that the CPU may run
    RecordBuffer trace;           // of kSpe, not written yet
    uint64_t trace_offset = 0;    // in the CPU's AUX data
  };
  // The task that runs on a CPU.
  struct Runner {
    uint32_t pid = 0;
    SchedTask task;
  };
  struct TaskState {
    uint64_t samples = 0;
    uint64_t stacks = 0;
  };

  void ScheduleChanges();
  void Synthesize();
  void SynthesizeProcess(uint32_t index, RecordBuffer& out);
  void Drain(Cpu& cpu, uint64_t until, RecordBuffer& out);
  void Apply(const Cpu& cpu, const Change& change, RecordBuffer& out);
  void Tick(Cpu& cpu, RecordBuffer& out);
  void SampleStack(const Cpu& cpu, RecordBuffer& out);
  // Returns the number of a stack of the CPU's task, which may be a new one.
  uint64_t PickStack(uint32_t task);
  void BranchStack(uint32_t task, uint64_t stack, RecordBuffer& out);
  void SampleSwitch(Cpu& cpu, RecordBuffer& out);
  void TraceOperation(Cpu& cpu);
  void NameTrace(const Cpu& cpu, uint64_t time, RecordBuffer& out);
  void WriteTrace(Cpu& cpu);
  Runner RunnerOn(const Cpu& cpu) const;
  void BeginSchedSample(const Cpu& cpu, size_t event, uint64_t time,
                        const Runner& runner, RecordBuffer& out);
  bool PickTask(Cpu& cpu);
  bool Alive(uint32_t task, uint64_t time) const;
  uint64_t At(uint64_t fraction) const;

  void Fork(const Process& child, uint32_t ppid, uint32_t tid, uint32_t ptid,
            uint64_t time, RecordBuffer& out);
  void CommOf(uint32_t pid, uint32_t tid, const std::string& comm,
              RecordBuffer& out);
  void MapOf(uint32_t process, uint32_t slot, RecordBuffer& out);
  // Appends the sample_id trailer of a record that is not a sample; it is zero
  // for synthesized records.
  void Trailer(RecordBuffer& out);

  Kind kind_;
  Shape shape_;
  Population& population_;
  PerfDataWriter& writer_;
  TimeSpan times_;
  std::vector<Event> events_;
  std::vector<Cpu> cpus_;
  std::vector<TaskState> states_;
  Random random_;
  // The values of the next trailer.
  struct {
    uint32_t pid = 0, tid = 0;
    uint64_t time = 0, id = 0;
    uint32_t cpu = 0;
  } trailer_;
  std::vector<uint64_t> chain_;
  uint64_t samples_ = 0;
  uint64_t stacks_ = 0;
};

}  // namespace perf2x::bench

#endif  // PERF2X_BENCH_RECORDER_H_
