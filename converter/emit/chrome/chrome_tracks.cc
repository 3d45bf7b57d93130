// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/chrome/chrome_tracks.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace perf2x {

TrackId ChromeTracks::TrackOf(ThreadId thread, std::optional<uint64_t> time) {
  if (thread < row_of_.size() && row_of_[thread] != kNoId) {
    return row_of_[thread];
  }
  const Thread& t = tables_.threads[thread];
  // Viewers take a pid or tid of -1, which the kernel records for exited
  // threads, as 0.
  const ChromeTrack track = t.tid < 0 ? ChromeTrack{kNoThread, kNoThread}
                                      : ChromeTrack{std::max(t.pid, 0), t.tid};
  auto [it, inserted] =
      ids_.try_emplace({track.pid, track.tid}, TrackId(rows_.size()));
  if (inserted) rows_.push_back({track});
  if (thread >= row_of_.size()) row_of_.resize(thread + 1, kNoId);
  row_of_[thread] = it->second;

  NameProcess(track.pid, t.process_name);
  Row& row = rows_[it->second];
  if (inserted || row.name != t.name) {
    NameRow(row, t.name, inserted ? std::nullopt : time);
    if (inserted) trace_.SortIndex("thread_sort_index", track, it->second);
  }
  return it->second;
}

void ChromeTracks::NameProcess(int32_t pid, StringId name) {
  auto [it, inserted] = process_of_.try_emplace(pid, processes_.size());
  if (inserted) {
    processes_.push_back({pid});
    trace_.SortIndex("process_sort_index", {pid, pid},
                     static_cast<int64_t>(processes_.size()));
  }
  processes_[it->second].name = name;
}

void ChromeTracks::Finish() {
  for (const auto& [pid, name] : processes_) {
    trace_.Metadata("process_name", {pid, pid}, tables_.strings[name]);
  }
  for (const Row& row : rows_) {
    trace_.Metadata("thread_name", row.track, tables_.strings[row.name]);
  }
}

void ChromeTracks::NameRow(Row& row, StringId name,
                           std::optional<uint64_t> time) {
  const StringId before = std::exchange(row.name, name);
  if (!time.has_value()) return;
  trace_.Instant("rename", "task", row.track, *time, [&](JsonWriter& json) {
    json.Key("from");
    json.String(tables_.strings[before]);
    json.Key("to");
    json.String(tables_.strings[name]);
  });
}

std::string ChromeTracks::NameAndTid(TrackId id) const {
  const int32_t tid = rows_[id].track.tid;
  return tid == kNoThread ? std::string(name(id))
                          : absl::StrCat(name(id), " ", tid);
}

void ChromeTracks::SetCgroup(TrackId id, StringId path, uint64_t time) {
  Row& row = rows_[id];
  if (row.cgroup == path) return;
  row.cgroup = path;
  trace_.Instant("cgroup", "task", row.track, time, [&](JsonWriter& json) {
    json.Key("path");
    json.String(tables_.strings[path]);
  });
}

ChromeTrack ChromeTracks::Cpus() {
  const ChromeTrack track{kCpusPid, kCpusPid};
  if (own_rows_.insert(-track.pid).second) {
    trace_.Metadata("process_name", track, "CPUs");
    trace_.SortIndex("process_sort_index", track, -1);
  }
  return track;
}

ChromeTrack ChromeTracks::Cpu(int32_t cpu) {
  const ChromeTrack track = CpuTrack(cpu);
  if (own_rows_.insert(track.tid).second) {
    Cpus();
    trace_.Metadata("thread_name", track,
                    cpu < kSharedCpu
                        ? absl::StrCat("CPU ", cpu)
                        : absl::StrCat("CPUs from ", kSharedCpu, " on"));
    trace_.SortIndex("thread_sort_index", track, cpu);
  }
  return track;
}

ChromeTrack ChromeTracks::Calls(TrackId id) {
  const ChromeTrack track = CallsTrack(rows_[id].track);
  trace_.Metadata("thread_name", track, absl::StrCat(NameAndTid(id), " calls"));
  trace_.SortIndex("thread_sort_index", track, id);
  return track;
}

ChromeTrack ChromeTracks::OffCpuSums(TrackId id) {
  const ChromeTrack track = OffCpuTrack(rows_[id].track.tid);
  if (own_rows_.insert(track.tid).second) {
    if (own_rows_.insert(-track.pid).second) {
      trace_.Metadata("process_name", {track.pid, track.pid},
                      "off-CPU sums (not a timeline)");
      trace_.SortIndex("process_sort_index", {track.pid, track.pid},
                       kOffCpuPid);
    }
    trace_.Metadata("thread_name", track, NameAndTid(id));
    trace_.SortIndex("thread_sort_index", track, id);
  }
  return track;
}

}  // namespace perf2x
