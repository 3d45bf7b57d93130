// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_PERFETTO_PERFETTO_SAMPLES_H_
#define PERF2X_EMIT_PERFETTO_PERFETTO_SAMPLES_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "converter/base/budget.h"
#include "converter/emit/event_names.h"
#include "converter/emit/perfetto/perfetto_packets.h"
#include "converter/emit/perfetto/perfetto_stacks.h"
#include "converter/emit/perfetto/perfetto_threads.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Writes samples with their callstacks. Each event has a packet sequence of its
// own. Buffers some thousand samples and symbolizes their stacks together.
// Never skips a sample, but may skip its callstack (see PerfettoStacks).
// Functions that return a status return the errors of the output. Not
// thread-safe.
class PerfettoSamples {
 public:
  // The objects in `context`, `packets` and `threads` must outlive this.
  PerfettoSamples(const EmitterContext& context, PerfettoPackets& packets,
                  PerfettoThreads& threads)
      : tables_(context.tables),
        packets_(packets),
        threads_(threads),
        names_(context.tables.events),
        stacks_(context, packets),
        memory_(context.budget) {}

  // `track` is the row of the sample's thread; the caller must have written its
  // name (PerfettoThreads::WriteNames). Shows the sample at `time`, not at
  // `sample.time`, which may be absent.
  absl::Status OnSample(const Sample& sample, TrackId track, uint64_t time);
  // Writes lost records or samples to the sequence of the first event, in the
  // field kernel_records_lost. The trace processor shows the sum in its
  // statistics. Does nothing if the recording has no events. `lost.time` may be
  // absent.
  absl::Status OnLost(const Lost& lost);
  // Returns the event's distinct name; valid as long as this.
  absl::string_view NameOf(EventId event) { return names_[event]; }
  // Writes the buffered samples, and reports skipped callstacks to the
  // diagnostics. To be called once, last, but before PerfettoPackets::Finish.
  absl::Status Finish();

 private:
  static constexpr size_t kMaxWaiting = 8192;
  // Limit of the words in the waiting samples' callchains: bounds the memory
  // for symbolizing long ones.
  static constexpr size_t kMaxWords = 1 << 20;

  struct Waiting {
    EventId event;
    TrackId track;
    StackId stack;
    int32_t cpu;
    CpuMode mode;
    uint64_t time;
    uint64_t count;  // of the event on this CPU so far
  };

  void BeginSequence(EventId event);
  void WriteSample(const Waiting& sample);
  absl::Status Flush();

  TraceTables& tables_;
  PerfettoPackets& packets_;
  PerfettoThreads& threads_;
  EventNames names_;
  PerfettoStacks stacks_;
  Budget::Share memory_;     // of counts_
  std::vector<bool> begun_;  // sequences, by event
  // Sums of periods by event and CPU.
  absl::flat_hash_map<std::pair<EventId, int32_t>, uint64_t> counts_;
  std::vector<Waiting> waiting_;
  size_t words_ = 0;  // of the stacks in waiting_
  // The distinct stacks of waiting_ that are not written yet.
  std::vector<std::pair<EventId, StackId>> new_stacks_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_PERFETTO_PERFETTO_SAMPLES_H_
