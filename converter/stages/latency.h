// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_STAGES_LATENCY_H_
#define PERF2X_STAGES_LATENCY_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "converter/base/diagnostics.h"
#include "converter/model/emitter.h"
#include "converter/model/trace_tables.h"
#include "converter/stages/forwarding_emitter.h"

namespace perf2x {

// The threads that run now, according to switches, exits and samples.
// Identifies a thread by its pid and tid; its name may change. Not thread-safe.
class RunningThreads {
 public:
  // `tables` must outlive this.
  explicit RunningThreads(const TraceTables& tables) : tables_(tables) {}

  // Notes that a thread was put on its CPU or taken off it.
  void OnSwitch(const Switch& event);
  // Notes that the thread no longer runs.
  void OnExit(ThreadId thread) { Erase(thread); }
  // Records of this CPU (-1: of any CPU) were lost. Threads that ran on it no
  // longer count as running.
  void OnLost(int32_t cpu);
  // Notes that `thread` was sampled, so that it runs. Returns the number of
  // running threads, without idle threads; at least 1.
  uint32_t OnSample(ThreadId thread);

 private:
  // Pid and tid of a thread.
  using Key = uint64_t;
  Key KeyOf(ThreadId thread) const {
    const Thread& named = tables_.threads[thread];
    return uint64_t{static_cast<uint32_t>(named.pid)} << 32 |
           static_cast<uint32_t>(named.tid);
  }
  bool IsCounted(ThreadId thread) const {
    return tables_.threads[thread].tid > 0;
  }
  void Erase(ThreadId thread) { running_.erase(KeyOf(thread)); }

  const TraceTables& tables_;
  absl::flat_hash_set<Key> running_;
  absl::flat_hash_map<int32_t, Key> on_cpu_;
};

// Tags samples of code with their parallelism, the number of threads that run
// at that moment. Also emits their latency as `perf report --latency` defines
// it: the period divided by the parallelism. Latencies are samples of derived
// events, which Begin appends to the tables: "latency" or, for several events
// of code, "latency/EVENT/". Each follows its sample, and has neither its
// branches nor its memory access. Formats that show samples at their times get
// only tags. Events that the recording describes after Begin get neither tags
// nor latencies.
//
// Forwards everything to another emitter. Finish adds a note to the diagnostics
// if the recording has no switches. Not thread-safe. Errors are the other
// emitter's.
class Latency final : public ForwardingEmitter {
 public:
  // References must outlive the stage; `diagnostics` may be null.
  // `has_time_line`: the format shows samples at their times.
  Latency(TraceTables& tables, Emitter& to, bool has_time_line,
          Diagnostics* diagnostics)
      : ForwardingEmitter(to),
        tables_(tables),
        has_time_line_(has_time_line),
        diagnostics_(diagnostics),
        running_(tables) {}

  // Returns the other emitter's requirements, with switches and each sample.
  // Forwards switches only if the other emitter requests them.
  EmitterRequirements requirements() const override {
    EmitterRequirements requirements = to().requirements();
    requirements.switches = true;
    requirements.only_sums = requirements.spills = false;
    return requirements;
  }
  // Appends the derived events to the tables, then calls the other emitter.
  absl::Status Begin(const TraceInfo& info) override;
  // Forwards the sample with its tag, then emits its latency.
  absl::Status OnSample(const Sample& sample) override;
  // Adds the note on missing switches, then calls the other emitter.
  absl::Status Finish(const TraceSummary& summary) override;
  // These update the running threads, then forward the event.
  absl::Status OnExit(const Exit& exit) override {
    running_.OnExit(exit.thread);
    return to().OnExit(exit);
  }
  absl::Status OnSwitch(const Switch& event) override;
  absl::Status OnLost(const Lost& lost) override {
    if (!lost.is_samples) running_.OnLost(lost.cpu);
    return to().OnLost(lost);
  }

 private:
  TraceTables& tables_;
  const bool has_time_line_;
  Diagnostics* const diagnostics_;
  RunningThreads running_;
  bool has_switches_ = false;
  std::vector<EventId> latency_of_;  // by event; kNoId: none
};

}  // namespace perf2x

#endif  // PERF2X_STAGES_LATENCY_H_
