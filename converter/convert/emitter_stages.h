// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CONVERT_EMITTER_STAGES_H_
#define PERF2X_CONVERT_EMITTER_STAGES_H_

#include <optional>

#include "converter/base/budget.h"
#include "converter/base/diagnostics.h"
#include "converter/convert/convert.h"
#include "converter/model/emitter.h"
#include "converter/model/trace_tables.h"
#include "converter/session/recording_facts.h"
#include "converter/stages/filtered_emitter.h"
#include "converter/stages/latency.h"
#include "converter/stages/sample_filter.h"
#include "converter/stages/wall_clock.h"

namespace perf2x {

// The stages that options request between a session and an emitter: Latency,
// then the filter, then WallClock. Not thread-safe.
class EmitterStages {
 public:
  // `has_time_line` is EmitterInfo::has_time_line of the format.
  // `pipeline` may be null: stages then use no thread but the caller's.
  // `options` is used only here; all else must outlive the stages.
  EmitterStages(const ConvertOptions& options, bool has_time_line,
                Pipeline* pipeline, TraceTables& tables, SampleFilter& filter,
                Budget& budget, Diagnostics& diagnostics, Emitter& emitter);
  EmitterStages(const EmitterStages&) = delete;
  EmitterStages& operator=(const EmitterStages&) = delete;

  // Returns the first stage, which forwards to the next; the emitter if no
  // stage is requested. Valid as long as this.
  Emitter& first() { return *first_; }
  // Returns true if SWITCH records that only repeat samples of
  // sched:sched_switch have no effect on the output. A filter may leave out
  // what they repeat.
  bool ignores_repeated_switches() const { return ignores_repeated_switches_; }
  // Moves the calls that the filter excluded from `facts->calls` to
  // `facts->filtered_calls`. To be called after the emitter's Finish.
  void CountFilteredCalls(RecordingFacts* facts) const;

 private:
  Emitter* first_;
  const bool ignores_repeated_switches_;
  std::optional<WallClock> wall_clock_;
  std::optional<FilteredEmitter> filtered_;
  std::optional<Latency> latency_;
};

}  // namespace perf2x

#endif  // PERF2X_CONVERT_EMITTER_STAGES_H_
