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
#include "converter/model/trace_tables.h"

namespace perf2x {

// Dense numbers of the threads' rows, for per-thread state.
using TrackId = uint32_t;

// Finds the row of each thread and keeps the names of rows up to date. Rows are
// sorted as they first came. A process is named once, at the end, by its last
// name: which of several counts, viewers do not agree on.
class ChromeTracks {
 public:
  ChromeTracks(const TraceTables& tables, ChromeTrace& trace)
      : tables_(tables), trace_(trace) {}

  // The row of a thread. New rows and names are announced; a new name of a row
  // that had one is shown at `time` too.
  TrackId Of(ThreadId thread, std::optional<uint64_t> time = std::nullopt);
  ChromeTrack track(TrackId id) const { return rows_[id].track; }
  // The thread's current name.
  absl::string_view name(TrackId id) const {
    return tables_.strings[rows_[id].name];
  }
  // The name and the number.
  std::string NameAndTid(TrackId id) const;
  // The cgroup that a thread is in from `time` on, which is shown when it is
  // another one than before.
  void SetCgroup(TrackId id, StringId path, uint64_t time);
  // The process "CPUs" and the row of a CPU in it, announced on first use.
  ChromeTrack Cpus();
  ChromeTrack Cpu(int32_t cpu);  // not below 0
  // The row for `id` in the process of off-CPU sums, announced on first use.
  ChromeTrack OffCpuSums(TrackId id);
  // Names the processes.
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
