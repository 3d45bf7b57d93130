// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_FIREFOX_FIREFOX_EMITTER_H_
#define PERF2X_EMIT_FIREFOX_FIREFOX_EMITTER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "converter/emit/event_names.h"
#include "converter/emit/firefox/firefox_counters.h"
#include "converter/emit/firefox/firefox_markers.h"
#include "converter/emit/firefox/firefox_samples.h"
#include "converter/emit/firefox/firefox_sched.h"
#include "converter/emit/firefox/firefox_tracks.h"
#include "converter/emit/skip_counter.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Writes the processed profile format of the Firefox Profiler. Keeps samples
// and markers, packed, and writes everything in Finish. Charges memory and
// output to the budget. Once the budget is exhausted, skips further samples,
// markers, switches and counters, and counts them in the diagnostics.
class FirefoxEmitter final : public Emitter {
 public:
  // The objects that `context` refers to must outlive the emitter. Finish
  // closes `output`. With `periods`, the weight of a sample is its period; see
  // FirefoxSamples.
  FirefoxEmitter(const EmitterContext& context, std::unique_ptr<Output> output,
                 bool periods);

  // Requests fields, counters and switches.
  EmitterRequirements requirements() const override {
    return {.fields = true, .counters = true, .switches = true};
  }
  // Keeps `info`; nothing is written before Finish.
  absl::Status Begin(const TraceInfo& info) override;
  // Keep one event for Finish, or skip it, and return OK. Events without a time
  // have no marker.
  absl::Status OnSample(const Sample& sample) override;
  absl::Status OnThread(ThreadId thread, std::optional<uint64_t> time) override;
  absl::Status OnFork(const Fork& fork) override;
  absl::Status OnExec(const Exec& exec) override;
  absl::Status OnExit(const Exit& exit) override;
  absl::Status OnSwitch(const Switch& event) override;
  absl::Status OnCounter(const Counter& counter) override;
  absl::Status OnLost(const Lost& lost) override;
  absl::Status OnAuxGap(const AuxGap& gap) override;
  absl::Status OnThrottle(const Throttle& throttle) override;
  // Writes the whole profile and closes the output.
  absl::Status Finish(const TraceSummary& summary) override;

 private:
  // How an event's samples are shown, besides their stacks.
  struct EventUse {
    FirefoxMarkers::TypeId type = 0;
    bool has_markers = false;    // each sample is a marker, too
    bool is_page_fault = false;  // the markers have the number of faults
    bool is_memory = false;      // kmem:rss_stat
  };

  const EventUse& UseOf(EventId event);
  void SampleMarker(const Sample& sample, TrackId track);
  // Adds a marker to the track of a thread or, if that is not known, to that of
  // CPUs.
  void PlaceMarker(absl::string_view type, uint64_t time,
                   std::optional<uint64_t> end, int32_t cpu, ThreadId thread);
  void TaskMarker(absl::string_view type, TrackId track,
                  std::optional<uint64_t> time, Fields fields);
  void EndThrottle(const Throttle& begun, uint64_t time);
  void Account();

  TraceTables& tables_;
  Pipeline& pipeline_;
  Budget& budget_;
  Diagnostics* const diagnostics_;
  const std::unique_ptr<Output> output_;
  TraceInfo info_;
  FirefoxTimes times_;
  FirefoxTracks tracks_;
  FirefoxMarkers markers_;
  FirefoxSamples samples_;
  FirefoxSched sched_;
  FirefoxCounters counters_;
  EventNames event_names_;
  Budget::Share memory_;  // of all that is kept until the end
  SkipCounter skipped_samples_, skipped_markers_;
  std::vector<std::optional<EventUse>> uses_;  // by event
  std::map<std::tuple<EventId, int32_t, ThreadId>, Throttle> throttled_;
  std::vector<Field> fields_;  // of the current marker
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_FIREFOX_FIREFOX_EMITTER_H_
