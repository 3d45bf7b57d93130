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

// The first and the last time of a trace, in ns on the recording's clock. A
// profile writes times as differences from the first time. Not thread-safe.
class FirefoxTimes {
 public:
  // Extends the range to include `time`.
  void NoteTime(uint64_t time) {
    begin_ = std::min(begin_.value_or(time), time);
    end_ = std::max(end_, time);
  }
  // Return the first and the last time; 0 if there is none yet.
  uint64_t begin() const { return begin_.value_or(0); }
  uint64_t end() const { return end_; }
  // Returns ns from the first time to `time`; 0 for earlier times.
  uint64_t Elapsed(uint64_t time) const {
    return time - std::min(time, begin());
  }

 private:
  std::optional<uint64_t> begin_;
  uint64_t end_ = 0;
};

// One thread, under any of its names. The kernel reuses pids and tids: a new
// thread with the pid and tid of an exited one has a track of its own.
struct FirefoxTrack {
  int32_t pid = 0, tid = 0;
  uint32_t pid_generation = 0;  // number of earlier processes with this pid
  // Number of earlier threads with this pid and tid; equals `pid_generation`
  // for a main thread.
  uint32_t tid_generation = 0;
  StringId process_name = 0, name = 0;  // the last ones; 0: not known
  // Time of the fork. If no fork is recorded, time of the thread's first event.
  // Absent: not known.
  std::optional<uint64_t> begin;
  std::optional<uint64_t> end;  // time of the exit; absent: not recorded
  bool current = true;          // no later track has its pid and tid

  // Returns true for the main thread of its process.
  bool is_main() const { return pid == tid; }
  // "4711"; "4711.1" for the second process with this pid.
  std::string PidText() const;
  // As PidText, for `tid` and `tid_generation`.
  std::string TidText() const;
};

// Maps threads to tracks. Passes all times to FirefoxTimes. To be called in
// order of time. Does not check the budget; the caller charges memory(). Not
// thread-safe.
class FirefoxTracks {
 public:
  // Both must outlive this.
  FirefoxTracks(const TraceTables& tables, FirefoxTimes& times)
      : tables_(tables), times_(times) {}

  // Returns the current track of the thread's pid and tid. If there is none,
  // makes one that begins at `time`. Sets the track's names to the thread's
  // names.
  TrackId TrackOf(ThreadId thread, std::optional<uint64_t> time);
  // Returns the child's track, and sets its begin. Makes a new track if an
  // exited thread had the child's pid and tid.
  TrackId OnFork(const Fork& fork);
  // Returns the thread's track, and sets its end.
  TrackId OnExit(const Exit& exit);

  size_t size() const { return tracks_.size(); }
  // `id` must be less than size(). A new track invalidates the reference.
  const FirefoxTrack& operator[](TrackId id) const { return tracks_[id]; }
  // Returns the name of a track's process or, if it is not known, the name of
  // its thread.
  absl::string_view ProcessName(TrackId id) const;
  // Returns the approximate memory in bytes.
  uint64_t memory() const {
    constexpr uint64_t kOfTrack = 2 * sizeof(FirefoxTrack) + 64;
    return tracks_.size() * kOfTrack + track_of_.size() * sizeof(TrackId);
  }

 private:
  using Numbers = std::pair<int32_t, int32_t>;  // pid, tid
  TrackId Begin(const Thread& thread, uint32_t pid_generation,
                uint32_t tid_generation, std::optional<uint64_t> time);

  const TraceTables& tables_;
  FirefoxTimes& times_;
  std::vector<FirefoxTrack> tracks_;
  std::vector<TrackId> track_of_;  // by ThreadId; kNoId: not seen yet
  absl::flat_hash_map<Numbers, TrackId> current_;
  absl::flat_hash_map<int32_t, uint32_t> pid_lives_;  // of pids used again
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_FIREFOX_FIREFOX_TRACKS_H_
