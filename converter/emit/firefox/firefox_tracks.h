// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_FIREFOX_FIREFOX_TRACKS_H_
#define PERF2X_EMIT_FIREFOX_FIREFOX_TRACKS_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "converter/emit/track_id.h"
#include "converter/model/emitter.h"

namespace perf2x {

// The time from the first to the last event of a trace. All times of a profile
// are relative to its beginning. Not thread-safe.
class FirefoxTimes {
 public:
  void Note(uint64_t time) {
    begin_ = std::min(begin_.value_or(time), time);
    end_ = std::max(end_, time);
  }
  // The first time, 0 if there is none yet.
  uint64_t begin() const { return begin_.value_or(0); }
  uint64_t end() const { return end_; }
  // Returns ns since the first time.
  uint64_t Elapsed(uint64_t time) const {
    return time - std::min(time, begin());
  }

 private:
  std::optional<uint64_t> begin_;
  uint64_t end_ = 0;
};

// One thread. The kernel gives the pids and tids of exited processes and
// threads to new ones, which are tracks of their own: `pid_life` and `tid_life`
// count the earlier owners of the number.
struct FirefoxTrack {
  int32_t pid = 0, tid = 0;
  uint32_t pid_life = 0, tid_life = 0;
  StringId process_name = 0, name = 0;  // the last ones
  std::optional<uint64_t> begin, end;   // absent: not in the recording
  bool current = true;                  // no later track has its numbers

  bool is_main() const { return pid == tid; }
  // "4711"; "4711.1" for the second process with this pid.
  std::string PidText() const;
  // As PidText, for the tid.
  std::string TidText() const;
};

// Maps threads to tracks. Not thread-safe.
class FirefoxTracks {
 public:
  FirefoxTracks(const TraceTables& tables, FirefoxTimes& times)
      : tables_(tables), times_(times) {}

  // Returns the track of a thread under any of its names. A new track begins
  // at `time`.
  TrackId TrackOf(ThreadId thread, std::optional<uint64_t> time);
  // Begins a new track if the child's numbers are those of an exited thread.
  TrackId OnFork(const Fork& fork);
  TrackId OnExit(const Exit& exit);

  size_t size() const { return tracks_.size(); }
  const FirefoxTrack& operator[](TrackId id) const { return tracks_[id]; }
  // Returns the process name or, without one, the name of a thread.
  absl::string_view ProcessName(TrackId id) const;
  // Returns the approximate memory in bytes.
  uint64_t memory() const {
    constexpr uint64_t kOfTrack = 2 * sizeof(FirefoxTrack) + 64;
    return tracks_.size() * kOfTrack + track_of_.size() * sizeof(TrackId);
  }

 private:
  using Numbers = std::pair<int32_t, int32_t>;  // pid, tid
  TrackId Begin(const Thread& thread, uint32_t pid_life, uint32_t tid_life,
                std::optional<uint64_t> time);

  const TraceTables& tables_;
  FirefoxTimes& times_;
  std::vector<FirefoxTrack> tracks_;
  std::vector<TrackId> track_of_;  // by ThreadId; kNoId: not seen yet
  absl::flat_hash_map<Numbers, TrackId> current_;
  absl::flat_hash_map<int32_t, uint32_t> pid_lives_;  // of pids used again
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_FIREFOX_FIREFOX_TRACKS_H_
