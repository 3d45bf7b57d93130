// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_PERFETTO_PERFETTO_THREADS_H_
#define PERF2X_EMIT_PERFETTO_PERFETTO_THREADS_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "converter/emit/perfetto/perfetto_packets.h"
#include "converter/emit/perfetto/perfetto_track_events.h"
#include "converter/emit/track_id.h"
#include "converter/model/trace_tables.h"

namespace perf2x {

// The trace shows this pid and tid for threads with a negative tid. The
// kernel's pids are at most 2^22.
inline constexpr int32_t kUnknownThread = 30'000'000;

// Maps threads to rows, and writes their names and processes. A row is a thread
// (pid and tid) under any of its names. Charges nothing to the budget. Not
// thread-safe.
class PerfettoThreads {
 public:
  struct Row {
    int32_t pid = 0, tid = 0;
    StringId name = 0;    // the last one
    StringId cgroup = 0;  // path; 0: not known
    uint64_t track = 0;   // uuid; 0: none yet
  };

  // All must outlive this.
  PerfettoThreads(const TraceTables& tables, PerfettoPackets& packets,
                  PerfettoTrackEvents& events)
      : tables_(tables), packets_(packets), events_(events) {}

  // Returns the row of a thread; makes it if there is none. The first call with
  // a ThreadId sets the names of the row and its process. If this changes the
  // row's name and `time` is present, writes an instant "rename" at `time`.
  TrackId TrackOf(ThreadId thread, std::optional<uint64_t> time = std::nullopt);
  // A new row invalidates the reference.
  const Row& row(TrackId track) const { return rows_[track]; }
  // Returns the row's last name.
  absl::string_view name(TrackId track) const {
    return tables_.strings[rows_[track].name];
  }
  // Returns the uuid of the track for a row's instants and slices. Writes the
  // track's descriptor on first use.
  uint64_t ThreadUuid(TrackId track);
  // Returns the uuid of the track of the row's process. Writes the track's
  // descriptor on first use.
  uint64_t ProcessUuid(TrackId track);
  // Makes the process of `parent` the parent of the process of `child`. Does
  // nothing if these are the same process.
  void SetParent(TrackId child, TrackId parent);
  // Sets a thread's cgroup. If the cgroup is new or changed, writes an instant
  // "cgroup" at `time`.
  void SetCgroup(TrackId track, StringId path, uint64_t time);
  // Writes the names and parents of new and changed rows. To be called before
  // an event of such a row is written. For a new process, SetParent must come
  // first: readers treat a process whose parent changes as another process.
  void WriteNames() {
    if (!new_names_.empty()) WriteProcessTree();
  }

 private:
  struct Process {
    int32_t pid = 0;
    int32_t parent = 0;  // pid; 0: not known
    StringId name = 0;
    uint64_t track = 0;  // uuid; 0: none yet
    bool is_new = true;  // name or parent is not written yet
  };
  Process& ProcessOf(int32_t pid);
  void WriteProcessTree();

  const TraceTables& tables_;
  PerfettoPackets& packets_;
  PerfettoTrackEvents& events_;
  std::vector<Row> rows_;
  std::vector<TrackId> row_of_;  // by ThreadId; kNoId: not seen yet
  absl::flat_hash_map<std::pair<int32_t, int32_t>, TrackId> ids_;
  std::vector<Process> processes_;
  absl::flat_hash_map<int32_t, size_t> process_of_;  // by pid
  // Rows whose name, or whose process, is not written yet.
  std::vector<TrackId> new_names_;
  std::optional<uint64_t> time_;  // of the first of them
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_PERFETTO_PERFETTO_THREADS_H_
