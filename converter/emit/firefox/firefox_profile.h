// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_FIREFOX_FIREFOX_PROFILE_H_
#define PERF2X_EMIT_FIREFOX_FIREFOX_PROFILE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "converter/base/output.h"
#include "converter/emit/event_names.h"
#include "converter/emit/firefox/firefox_code.h"
#include "converter/emit/firefox/firefox_counters.h"
#include "converter/emit/firefox/firefox_markers.h"
#include "converter/emit/firefox/firefox_samples.h"
#include "converter/emit/firefox/firefox_tracks.h"
#include "converter/emit/json_writer.h"
#include "converter/emit/used_strings.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Writes a complete trace as one JSON document, in the processed profile format
// of the Firefox Profiler. Charges nothing to the budget. Not thread-safe.
class FirefoxProfile {
 public:
  // The input of a profile. FirefoxEmitter owns the parts. All must be
  // complete, after FirefoxSamples::Finish, and outlive the FirefoxProfile.
  struct Parts {
    const TraceTables& tables;
    const TraceInfo& info;        // of Emitter::Begin
    const TraceSummary& summary;  // of Emitter::Finish
    const FirefoxTimes& times;    // first and last time of the trace
    const FirefoxTracks& tracks;  // the rows of threads
    const FirefoxMarkers& markers;
    const FirefoxSamples& samples;
    const FirefoxCounters& counters;
    EventNames& event_names;  // distinct names of the events
    FirefoxCode& code;        // stacks and functions, shared by all threads
    UsedStrings& strings;     // string table of the profile; Write adds to it
  };
  // Copies the references in `parts`.
  explicit FirefoxProfile(const Parts& parts);

  // Writes the document. To be called once. Returns the errors of `out`; does
  // not close it.
  absl::Status Write(Output& out);

 private:
  // An entry of the profile's list of threads: the samples of one event in a
  // track. The first entry of a track has its markers, too.
  struct Row {
    TrackId track = kNoId;  // kNoId: the row for CPUs
    EventId event = kNoId;  // kNoId: no samples
    bool is_first = true;
  };
  struct Process {
    int64_t row = 0;  // of its main thread or, without one, its first thread
    std::optional<uint64_t> begin, end;  // absent: not in the recording
    bool lasts = false;                  // the end of a thread is not known
  };
  using ProcessId = std::pair<int32_t, uint32_t>;  // pid and its life
  ProcessId ProcessOf(TrackId id) const {
    const FirefoxTrack& track = parts_.tracks[id];
    return {track.pid, track.pid_generation};
  }

  void ListRows();
  void WriteMeta(JsonWriter& json);
  void WriteExtra(JsonWriter& json) const;
  void WriteRow(const Row& row, JsonWriter& json);
  void WriteThreadFacts(const Row& row, JsonWriter& json);
  void WriteCpusFacts(JsonWriter& json);
  void WriteTime(absl::string_view key, std::optional<uint64_t> time,
                 JsonWriter& json) const;

  const Parts parts_;
  const EventId main_event_;
  std::vector<Row> rows_;
  std::map<ProcessId, Process> processes_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_FIREFOX_FIREFOX_PROFILE_H_
