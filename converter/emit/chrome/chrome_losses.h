// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_CHROME_CHROME_LOSSES_H_
#define PERF2X_EMIT_CHROME_CHROME_LOSSES_H_

#include <cstdint>
#include <optional>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "converter/emit/chrome/chrome_trace.h"
#include "converter/emit/chrome/chrome_tracks.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Shows data that the recording lacks: lost records, throttled events, gaps in
// AUX data. Shows a loss on the row of its CPU. If the CPU is not known, uses
// the row of the thread. If neither is known, uses the row of all CPUs. Charges
// no budget; see memory(). Not thread-safe.
class ChromeLosses {
 public:
  // References must outlive this.
  ChromeLosses(const TraceTables& tables, ChromeTracks& tracks,
               ChromeTrace& trace)
      : tables_(tables), tracks_(tracks), trace_(trace) {}

  // The `time` of `lost`, `gap` and `throttle` must be present.
  void OnLost(const Lost& lost);
  void OnAuxGap(const AuxGap& gap);
  // Shows a throttled period when it ends. Ignores an end without a begin, and
  // a second begin.
  void OnThrottle(const Throttle& throttle);
  // Returns the approximate memory of the throttled periods that have not
  // ended, in bytes.
  uint64_t memory() const {
    return throttled_.size() * 2 * (sizeof(OpenThrottle) + 24);
  }
  // Shows the throttled periods that have not ended, until `time`. To be called
  // once, last.
  void Finish(uint64_t time);

 private:
  // Returns nullopt if neither the CPU nor the thread is known.
  std::optional<ChromeTrack> RowOf(int32_t cpu, ThreadId thread);
  // Writes an instant.
  void ShowInstant(absl::string_view name, int32_t cpu, ThreadId thread,
                   uint64_t time, ChromeTrace::Args args);
  void EndThrottle(const Throttle& begun, uint64_t time);

  const TraceTables& tables_;
  ChromeTracks& tracks_;
  ChromeTrace& trace_;
  // Open throttles by event, CPU and thread.
  struct OpenThrottle {
    Throttle throttle;
    uint64_t order = 0;  // ascends by order of OnThrottle calls
  };
  absl::flat_hash_map<std::tuple<EventId, int32_t, ThreadId>, OpenThrottle>
      throttled_;
  uint64_t opened_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_CHROME_CHROME_LOSSES_H_
