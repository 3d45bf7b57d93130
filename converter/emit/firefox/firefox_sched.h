// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_FIREFOX_FIREFOX_SCHED_H_
#define PERF2X_EMIT_FIREFOX_FIREFOX_SCHED_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "converter/emit/firefox/firefox_markers.h"
#include "converter/emit/firefox/firefox_tracks.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Follows context switches. Adds a marker "off CPU" for each time that a thread
// is off its CPU, and sums up the run time of threads. To be called in order of
// time. The caller charges memory() to the budget and checks it. Not
// thread-safe.
class FirefoxSched {
 public:
  // All must outlive this.
  FirefoxSched(TraceTables& tables, const FirefoxTracks& tracks,
               FirefoxMarkers& markers)
      : tables_(tables), tracks_(tracks), markers_(markers) {}

  // Applies a switch of `event.thread`, whose track is `track`. `other` is the
  // track of `event.other`, which the marker of a switch-out names; kNoId:
  // none. `event.time` must be present. Treats Switch::after_gap as OnLost.
  // Ignores all else in switches of the idle thread (tid 0).
  void OnSwitch(TrackId track, const Switch& event, TrackId other);
  // Records were lost: it is not known which threads run. Markers "off CPU"
  // that have not ended become instants.
  void OnLost() { ++losses_; }
  // Returns the run time of a thread up to `time`, in ns. Returns nullopt until
  // the first switch of any thread but the idle one, or if `time` is absent. To
  // be called for each sample of the thread. If it is not known whether the
  // thread runs, the thread counts as running from `time` on.
  std::optional<uint64_t> RunTime(TrackId track, std::optional<uint64_t> time);
  // Adds the markers of threads that are still off their CPUs. They last until
  // `time`. For exited threads, they are instants. To be called once, last.
  void Finish(uint64_t time);
  // Returns the approximate memory in bytes.
  uint64_t memory() const { return threads_.size() * sizeof(ThreadState); }

 private:
  // A switch-out whose end is not known yet.
  struct Out {
    uint64_t time = 0;
    int32_t cpu = -1;
    StringId state = 0;  // the scheduler's letters
    TrackId next = kNoId;
    StackId stack = kNoId;
  };
  struct ThreadState {
    uint64_t run_time = 0;  // ns, of the runs that have ended
    std::optional<uint64_t> running_since;
    std::optional<Out> out;
    uint32_t losses = 0;  // value of losses_ when the state began
  };

  ThreadState& StateOf(TrackId track);
  // Without `end`, the switch-out is an instant.
  void Show(TrackId track, const Out& out, std::optional<uint64_t> end);

  TraceTables& tables_;
  const FirefoxTracks& tracks_;
  FirefoxMarkers& markers_;
  bool has_switches_ = false;
  bool traced_ = false;  // switches come from the tracepoint sched:sched_switch
  uint32_t losses_ = 0;  // number of OnLost calls
  std::vector<ThreadState> threads_;  // by TrackId
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_FIREFOX_FIREFOX_SCHED_H_
