// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_FIREFOX_FIREFOX_SAMPLES_H_
#define PERF2X_EMIT_FIREFOX_FIREFOX_SAMPLES_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "converter/emit/firefox/firefox_code.h"
#include "converter/emit/firefox/firefox_tracks.h"
#include "converter/emit/json_writer.h"
#include "converter/emit/number_log.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Keeps samples, some ten bytes each, by track and event, and writes them as
// the table "samples" of a thread. Does not check the budget: the caller does,
// and charges memory(). Not thread-safe.
class FirefoxSamples {
 public:
  // If `periods` is set, a sample's weight is its period; else each sample
  // counts as one. Off-CPU samples always have their period as weight. `tables`
  // and `times` must outlive this.
  FirefoxSamples(const TraceTables& tables, FirefoxTimes& times, bool periods)
      : tables_(tables), times_(times), periods_(periods) {}

  // Appends a sample. `run_time` is FirefoxSched::RunTime at the sample's time.
  // A sample without a time gets the time one interval after the previous
  // sample of its track and event. A time before the previous sample's counts
  // as that time. A track has at most 2^32 - 1 samples of an event; further
  // samples are dropped.
  void Add(TrackId track, const Sample& sample,
           std::optional<uint64_t> run_time);

  // Marks the stacks of all samples as used in `stacks`. To be called once,
  // after the last Add and before EventsOf.
  void Finish(UsedStacks& stacks);
  // Returns the event whose samples the profile shows on the rows of threads.
  // All other events of a thread have separate rows. Prefers events that sample
  // code, then the order of the user's list (--event), then the lowest id.
  // Returns kNoId if there are no samples.
  EventId MainEvent() const;
  // Returns the events of which a track has samples, ascending by id.
  std::vector<EventId> EventsOf(TrackId track) const;
  // Returns the unit of `threadCPUDelta`: microseconds if nothing is lost by
  // that, which halves the column.
  absl::string_view cpu_unit() const { return cpu_in_us_ ? "µs" : "ns"; }
  // Writes the table as an object, without a key. Writes an empty table if the
  // track has no samples of `event`, or if `event` is kNoId.
  void Write(TrackId track, EventId event, const FirefoxCode& code,
             JsonWriter& json) const;

  // Returns the approximate memory in bytes.
  uint64_t memory() const {
    constexpr uint64_t kOfSeries = 3 * sizeof(Series);
    return log_memory_ + series_.size() * kOfSeries;
  }

 private:
  // The samples of one event in one thread.
  struct Series {
    TrackId track;
    EventId event;
    NumberLog log;
    uint32_t count = 0;
    bool has_cpu = false;    // the CPU time of at least one is known
    uint64_t last_time = 0;  // of the last sample
    std::optional<uint64_t> last_run_time = std::nullopt;
  };
  // A sample as the log has it.
  struct Entry {
    uint64_t time = 0;
    StackId stack = 0;
    std::optional<uint64_t> cpu;  // ns on a CPU since the sample before
    uint64_t period = 0;          // only if HasWeights
  };
  class Entries;

  Series& SeriesOf(TrackId track, EventId event);
  uint64_t TimeOf(const Sample& sample, const Series& series);
  std::optional<uint64_t> CpuTime(const Sample& sample, uint64_t time,
                                  std::optional<uint64_t> run_time,
                                  Series& series) const;
  bool HasWeights(EventId event) const {
    return periods_ || tables_.events[event].kind == EventKind::kOffCpu;
  }

  const TraceTables& tables_;
  FirefoxTimes& times_;
  const bool periods_;
  uint64_t log_memory_ = 0;
  bool cpu_in_us_ = true;  // all CPU times are whole microseconds
  std::vector<Series> series_;
  absl::flat_hash_map<std::pair<TrackId, EventId>, uint32_t> ids_;
  std::pair<TrackId, EventId> last_key_{kNoId, kNoId};
  uint32_t last_ = 0;               // the index of last_key_
  std::vector<bool> has_samples_;   // by event
  std::vector<uint32_t> by_track_;  // indexes of series_, by track and event
};

// The interval between samples without times if SamplingInterval is 0, in ns.
inline constexpr uint64_t kDefaultInterval = 1'000'000;

// Returns the time between two samples of an event, in ns: the period of a
// clock, or 1/frequency. Returns 0 if the event has neither.
uint64_t SamplingInterval(const Event& event);

}  // namespace perf2x

#endif  // PERF2X_EMIT_FIREFOX_FIREFOX_SAMPLES_H_
