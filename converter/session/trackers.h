// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_TRACKERS_H_
#define PERF2X_SESSION_TRACKERS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "converter/base/budget.h"
#include "converter/base/diagnostics.h"
#include "converter/hwtrace/itrace_options.h"
#include "converter/model/emitter.h"
#include "converter/model/sample_selector.h"
#include "converter/model/trace_tables.h"
#include "converter/perf/header/attr_table.h"
#include "converter/perf/header/features.h"
#include "converter/perf/stream/record_reader.h"
#include "converter/session/address_spaces.h"
#include "converter/session/counter_tracker.h"
#include "converter/session/dso_table.h"
#include "converter/session/etm_tracker.h"
#include "converter/session/event_tracker.h"
#include "converter/session/host_environment.h"
#include "converter/session/loss_tracker.h"
#include "converter/session/mapping_tracker.h"
#include "converter/session/record_counts.h"
#include "converter/session/record_tee.h"
#include "converter/session/recorded_code.h"
#include "converter/session/recording_facts.h"
#include "converter/session/sample_parts.h"
#include "converter/session/sample_processor.h"
#include "converter/session/sample_queue.h"
#include "converter/session/sched_tracker.h"
#include "converter/session/sleep_tracker.h"
#include "converter/session/stack_builder.h"
#include "converter/session/thread_tracker.h"
#include "converter/session/trace_sink.h"
#include "converter/session/trace_tracker.h"
#include "converter/session/work_meter.h"

namespace perf2x {

// What a session uses. All objects that it refers to must outlive the session.
struct SessionDeps {
  std::string input;              // the recording's name
  std::string recording_id = "";  // see TraceInfo
  // TraceInfo::recorded_at, if the recording does not say when it was begun.
  std::optional<int64_t> written_at = std::nullopt;
  AttrTable& attrs;
  TraceTables& tables;
  Emitter& emitter;
  SampleSelector* selector = nullptr;  // null: all samples are selected
  HostEnvironment& environment;
  Budget& budget;
  Diagnostics& diagnostics;
  ItraceOptions itrace = {};
  // Threads that may help to unwind user stack dumps.
  HelperPool* helpers = nullptr;
  // When the stacks take more memory in bytes than this, they are spilled, if
  // the emitter can; see Emitter::SpillStacks.
  uint64_t max_stack_memory = ~uint64_t{0};
};

// The trackers of a session, connected with each other. Each refers only to
// trackers declared before it, except for the hooks of `sink`
// (TraceSink::Hooks). When the trace begins, the hooks make the symbolizer and
// the unwinder, and set what depends on the recording's header. Not
// thread-safe.
class Trackers {
 public:
  // Makes `spaces` the frame source of the tables. Opens no files: only the
  // hooks of `sink` do.
  explicit Trackers(SessionDeps deps);
  Trackers(const Trackers&) = delete;
  Trackers& operator=(const Trackers&) = delete;

  // Returns the approximate memory, in bytes, of the tables and of all trackers
  // that may grow faster than the input.
  uint64_t memory() const;
  // Fills `facts`, and ends unwinding (StackBuilder::EndUnwinding). To be
  // called once, after the last sample and before Emitter::Finish, which may
  // free the stacks.
  void GatherFacts();
  // Returns the summary for Emitter::Finish. `bytes` is what the reader
  // counted. The summary's losses include all diagnostics so far except notes.
  // To be called once, last: clears the memory maps of all processes.
  TraceSummary Summarize(const ByteAccount& bytes);

  const SessionDeps deps;
  HeaderFeatures features;
  RecordingFacts facts;
  WorkMeter work{deps.budget};
  TraceSink sink;
  DsoTable dsos{deps.tables};
  AddressSpaces spaces{deps.tables, dsos};
  RecordCounts counts{deps.budget, deps.diagnostics};
  RecordTee tee{deps.attrs, sink, deps.selector != nullptr};
  EventTracker events{deps.attrs, deps.tables, deps.selector, deps.diagnostics,
                      deps.budget};
  ThreadTracker threads{deps.tables, sink, spaces.arena(), deps.environment,
                        deps.diagnostics};
  RecordedCode recorded_code{deps.environment, deps.budget, deps.diagnostics};
  MappingTracker mappings;
  SchedTracker sched{deps.tables, threads, sink};
  CounterTracker counters{deps.attrs, events, threads, sink, deps.diagnostics};
  LossTracker losses{deps.attrs, events, threads, sink};
  StackBuilder stacks;
  SampleParts parts{events, stacks, sink, work, deps.diagnostics};
  SampleQueue queue{deps.tables, deps.emitter, facts.stacks, sched};
  SampleProcessor samples;
  SleepTracker sleeps{deps.attrs, tee, samples, deps.diagnostics};
  TraceTracker traces;
  EtmTracker etm;

 private:
  TraceInfo PrepareTrace();
  absl::Status DrainDelayed();
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_TRACKERS_H_
