// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_PERFETTO_PERFETTO_LOSSES_H_
#define PERF2X_EMIT_PERFETTO_PERFETTO_LOSSES_H_

#include <cstdint>
#include <map>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "converter/base/budget.h"
#include "converter/emit/event_names.h"
#include "converter/emit/perfetto/perfetto_threads.h"
#include "converter/emit/perfetto/perfetto_track_events.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Writes the losses of a recording as track events: lost records and samples,
// throttled events, gaps in AUX data. Shows a loss on the track of its CPU. If
// the CPU is not known, uses the track of the thread. If neither is known, uses
// the track "Losses". Charges memory to the budget; does not check it. Not
// thread-safe.
class PerfettoLosses {
 public:
  // All must outlive this.
  PerfettoLosses(const TraceTables& tables, PerfettoThreads& threads,
                 PerfettoTrackEvents& events, Budget& budget)
      : tables_(tables), threads_(threads), events_(events), memory_(budget) {}

  // The `time` of `lost`, `gap` and `throttle` must be present.
  void OnLost(const Lost& lost);
  void OnAuxGap(const AuxGap& gap);
  // Writes a throttled period as a slice when it ends. Ignores an end without a
  // begin, and a second begin.
  void OnThrottle(const Throttle& throttle);
  // Writes the throttled periods that have not ended, until `time`. To be
  // called once, last.
  void Finish(uint64_t time);

 private:
  using Key = std::tuple<EventId, int32_t, ThreadId>;
  struct Throttled {
    uint64_t track = 0;  // uuid
    bool open = false;
    uint64_t begin = 0;
  };

  uint64_t LossesUuid();
  uint64_t UuidOf(int32_t cpu, ThreadId thread);
  uint64_t AddThrottleTrack(const Throttle& throttle);
  void Account();

  const TraceTables& tables_;
  PerfettoThreads& threads_;
  PerfettoTrackEvents& events_;
  Budget::Share memory_;
  uint64_t losses_ = 0;                          // uuid; 0: none yet
  absl::flat_hash_map<int32_t, uint64_t> cpus_;  // uuids
  std::map<Key, Throttled> throttled_;           // by event, CPU and thread
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_PERFETTO_PERFETTO_LOSSES_H_
