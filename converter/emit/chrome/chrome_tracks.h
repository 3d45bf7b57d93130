// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_CHROME_CHROME_TRACKS_H_
#define PERF2X_EMIT_CHROME_CHROME_TRACKS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "converter/emit/chrome/chrome_trace.h"
#include "converter/emit/track_id.h"
#include "converter/model/trace_tables.h"

namespace perf2x {

// Maps threads to rows and writes the rows' names. Rows are sorted by first
// appearance. Finish writes the last name of each process and thread, and no
// earlier one: viewers disagree on which of several names counts. A TrackId
// argument must be from TrackOf. Charges no budget. Not thread-safe.
class ChromeTracks {
 public:
  // References must outlive this.
  ChromeTracks(const TraceTables& tables, ChromeTrace& trace)
      : tables_(tables), trace_(trace) {}

  // Returns the row of a thread; makes it on first use. Threads with a negative
  // tid share one row. If the row had another name before and `time` is
  // present, writes an instant "rename" at `time`.
  TrackId TrackOf(ThreadId thread, std::optional<uint64_t> time = std::nullopt);
  // Returns the pid and tid of a row.
  ChromeTrack track(TrackId id) const { return rows_[id].track; }
  // Returns the thread's current name.
  absl::string_view name(TrackId id) const {
    return tables_.strings[rows_[id].name];
  }
  // Returns "name tid"; only the name if the tid is negative.
  std::string NameAndTid(TrackId id) const;
  // Sets a thread's cgroup, which is empty at first. Writes an instant "cgroup"
  // if it changes.
  void SetCgroup(TrackId id, StringId path, uint64_t time);
  // Returns the row for events of no thread and no CPU: the main row of the
  // process "CPUs". Writes the process's name on first use.
  ChromeTrack Cpus();
  // Returns a CPU's row in the process "CPUs". Writes its name on first use.
  // `cpu` must not be negative.
  ChromeTrack Cpu(int32_t cpu);
  // Returns the row for the calls of the thread, in its process. Writes the
  // row's name. To be called once for each thread.
  ChromeTrack Calls(TrackId id);
  // Returns the thread's row in the process of off-CPU sums. Writes the row's
  // name on first use.
  ChromeTrack OffCpuSums(TrackId id);
  // Writes the names of processes and threads. To be called once, last.
  void Finish();

 private:
  struct Row {
    ChromeTrack track;
    StringId name = 0;
    StringId cgroup = 0;
  };
  void NameProcess(int32_t pid, StringId name);
  void NameRow(Row& row, StringId name, std::optional<uint64_t> time);

  const TraceTables& tables_;
  ChromeTrace& trace_;
  std::vector<Row> rows_;
  std::vector<TrackId> row_of_;  // by ThreadId; kNoId: not seen yet
  absl::flat_hash_map<std::pair<int32_t, int32_t>, TrackId> ids_;
  struct Process {
    int32_t pid;
    StringId name = 0;
  };
  std::vector<Process> processes_;
  absl::flat_hash_map<int32_t, size_t> process_of_;  // by pid
  absl::flat_hash_set<int32_t> own_rows_;            // by tid
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_CHROME_CHROME_TRACKS_H_
