// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_HTML_THREAD_ROWS_H_
#define PERF2X_EMIT_HTML_THREAD_ROWS_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "converter/model/emitter.h"
#include "converter/model/trace_tables.h"

namespace perf2x {

// Collects when threads started and ended, and the parents of processes. A
// process with a new name after exec counts as another process. To be called in
// order of time. Charges no budget. Not thread-safe.
class ThreadRows {
 public:
  struct Process {
    int32_t pid = 0;
    StringId name = 0;        // in the recording's strings
    uint32_t parent = kNoId;  // index in processes(); kNoId: not known
  };
  // The life of a thread under one name. A rename ends it and starts the next.
  struct Life {
    uint32_t process = kNoId;            // index in processes()
    std::optional<uint64_t> start, end;  // absent: not known
  };

  // `tables` must outlive this object.
  explicit ThreadRows(const TraceTables& tables) : tables_(tables) {}

  // Records the thread's name. If the thread had another name, its life under
  // that name ends at `time`, and a new life starts.
  void OnThread(ThreadId thread, std::optional<uint64_t> time);
  // Records the start of the child and, if the child is a process, its parent.
  void OnFork(const Fork& fork);
  // Records the end of the thread's life.
  void OnExit(const Exit& exit);

  // Returns the life of a thread of the tables. Adds the thread's process to
  // processes() if it is new. The next call with another thread invalidates the
  // reference.
  const Life& life(ThreadId thread) {
    ProcessOf(thread);
    return lives_[thread];
  }
  // The processes of the threads passed to life() or seen in events. In a
  // damaged recording, parents may form a circle.
  const std::vector<Process>& processes() const { return processes_; }

 private:
  uint32_t ProcessOf(ThreadId thread);

  const TraceTables& tables_;
  std::vector<Life> lives_;  // by thread; `process` is set when it is needed
  std::vector<Process> processes_;
  absl::flat_hash_map<std::pair<int32_t, StringId>, uint32_t> rows_;
  absl::flat_hash_map<int32_t, uint32_t> parents_;  // row, by pid
  absl::flat_hash_map<int32_t, ThreadId> by_tid_;   // the latest thread
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_HTML_THREAD_ROWS_H_
