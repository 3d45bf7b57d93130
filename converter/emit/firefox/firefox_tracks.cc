// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/firefox/firefox_tracks.h"

#include "absl/strings/str_cat.h"

namespace perf2x {
namespace {

std::string Text(int32_t number, uint32_t life) {
  return life == 0 ? absl::StrCat(number) : absl::StrCat(number, ".", life);
}

}  // namespace

std::string FirefoxTrack::PidText() const { return Text(pid, pid_generation); }
std::string FirefoxTrack::TidText() const { return Text(tid, tid_generation); }

TrackId FirefoxTracks::Begin(const Thread& thread, uint32_t pid_generation,
                             uint32_t tid_generation,
                             std::optional<uint64_t> time) {
  const auto id = static_cast<TrackId>(tracks_.size());
  FirefoxTrack& track = tracks_.emplace_back();
  track.pid = thread.pid;
  track.tid = thread.tid;
  track.pid_generation = pid_generation;
  track.tid_generation = tid_generation;
  track.begin = time;
  current_[{thread.pid, thread.tid}] = id;
  return id;
}

TrackId FirefoxTracks::TrackOf(ThreadId thread, std::optional<uint64_t> time) {
  if (time.has_value()) times_.NoteTime(*time);
  if (thread < track_of_.size() && track_of_[thread] != kNoId &&
      tracks_[track_of_[thread]].current) {
    return track_of_[thread];
  }
  const Thread& known = tables_.threads[thread];
  const auto found = current_.find({known.pid, known.tid});
  TrackId id;
  if (found != current_.end()) {
    id = found->second;
  } else {
    const auto life = pid_lives_.find(known.pid);
    id = Begin(known, life == pid_lives_.end() ? 0 : life->second, 0, time);
  }
  if (thread >= track_of_.size()) track_of_.resize(thread + 1, kNoId);
  track_of_[thread] = id;
  FirefoxTrack& track = tracks_[id];
  if (known.process_name != 0) track.process_name = known.process_name;
  if (known.name != 0) track.name = known.name;
  return id;
}

TrackId FirefoxTracks::OnFork(const Fork& fork) {
  const Thread& child = tables_.threads[fork.child];
  const auto found = current_.find({child.pid, child.tid});
  if (found != current_.end() && tracks_[found->second].end.has_value()) {
    FirefoxTrack& before = tracks_[found->second];
    before.current = false;
    const bool main = before.is_main();
    uint32_t& lives = pid_lives_[child.pid];
    const uint32_t pid_generation = main ? ++lives : lives;
    Begin(child, pid_generation,
          main ? pid_generation : before.tid_generation + 1, fork.time);
  }
  const TrackId id = TrackOf(fork.child, fork.time);
  if (fork.time.has_value()) tracks_[id].begin = fork.time;
  return id;
}

TrackId FirefoxTracks::OnExit(const Exit& exit) {
  const TrackId id = TrackOf(exit.thread, exit.time);
  if (exit.time.has_value()) tracks_[id].end = exit.time;
  return id;
}

absl::string_view FirefoxTracks::ProcessName(TrackId id) const {
  const FirefoxTrack& track = tracks_[id];
  return tables_
      .strings[track.process_name != 0 ? track.process_name : track.name];
}

}  // namespace perf2x
