// SPDX-License-Identifier: Apache-2.0
#include "converter/convert/emitter_stages.h"

#include <algorithm>

namespace perf2x {
namespace {

// WallClock ignores repeated switches; other stages and emitters need not.
bool IgnoresRepeatedSwitches(const ConvertOptions& options, bool has_time_line,
                             const EmitterRequirements& requirements) {
  return options.derived.wall_clock && !options.derived.latency &&
         !options.filter.any() && !has_time_line && !requirements.switches &&
         !requirements.records;
}

}  // namespace

EmitterStages::EmitterStages(const ConvertOptions& options, bool has_time_line,
                             Pipeline* pipeline, TraceTables& tables,
                             SampleFilter& filter, Budget& budget,
                             Diagnostics& diagnostics, Emitter& emitter)
    : first_(&emitter),
      ignores_repeated_switches_(IgnoresRepeatedSwitches(
          options, has_time_line, emitter.requirements())) {
  const DerivedOptions& derived = options.derived;
  if (derived.wall_clock) {
    const WallClockOptions wall_clock = {
        .wakers = derived.wakers,
        .has_time_line = has_time_line,
        .filter = options.filter.any() ? &filter : nullptr,
        .pipeline = pipeline};
    first_ =
        &wall_clock_.emplace(tables, *first_, wall_clock, budget, &diagnostics);
  }
  if (options.filter.any()) {
    first_ = &filtered_.emplace(filter, tables, *first_);
  }
  // Threads that are filtered run in parallel all the same.
  if (derived.latency) {
    first_ = &latency_.emplace(tables, *first_, has_time_line, &diagnostics);
  }
}

void EmitterStages::CountFilteredCalls(RecordingFacts* facts) const {
  if (!filtered_.has_value()) return;
  facts->filtered_calls =
      facts->calls - std::min(facts->calls, filtered_->calls());
  facts->calls = filtered_->calls();
}

}  // namespace perf2x
