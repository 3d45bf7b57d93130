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

// Shows what the recording has not: lost records, throttled events, gaps in AUX
// data. On the CPUs' rows where the CPU is known, else on the thread's.
class ChromeLosses {
 public:
  ChromeLosses(const TraceTables& tables, ChromeTracks& tracks,
               ChromeTrace& trace)
      : tables_(tables), tracks_(tracks), trace_(trace) {}

  // All at a time that is known.
  void OnLost(const Lost& lost);
  void OnAuxGap(const AuxGap& gap);
  void OnThrottle(const Throttle& throttle);
  void Finish(uint64_t time);

 private:
  // Where to show what happened there; nothing when neither is known.
  std::optional<ChromeTrack> RowOf(int32_t cpu, ThreadId thread);
  void Show(absl::string_view what, int32_t cpu, ThreadId thread, uint64_t time,
            ChromeTrace::Args args);
  void EndThrottle(const Throttle& begun, uint64_t time);

  const TraceTables& tables_;
  ChromeTracks& tracks_;
  ChromeTrace& trace_;
  // Those that have not ended, by event, CPU and thread, and in which order
  // they began.
  struct Begun {
    Throttle throttle;
    uint64_t number = 0;
  };
  absl::flat_hash_map<std::tuple<EventId, int32_t, ThreadId>, Begun> throttled_;
  uint64_t begun_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_CHROME_CHROME_LOSSES_H_
