// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_THREAD_TRACKER_H_
#define PERF2X_SESSION_THREAD_TRACKER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "converter/base/diagnostics.h"
#include "converter/base/prefetch.h"
#include "converter/model/trace_tables.h"
#include "converter/perf/records/kernel_records.h"
#include "converter/session/address_map.h"
#include "converter/session/host_environment.h"
#include "converter/session/record_context.h"
#include "converter/session/thread_table.h"
#include "converter/session/trace_sink.h"

namespace perf2x {

// Applies COMM, FORK, EXIT and NAMESPACES to the table of threads, and reports
// each thread once under each of its names. Errors are the emitter's. Not
// thread-safe.
class ThreadTracker {
 public:
  // All must outlive the tracker. `arena` holds the nodes of address maps.
  ThreadTracker(TraceTables& tables, TraceSink& sink, AddressMap::Arena& arena,
                HostEnvironment& environment, Diagnostics& diagnostics)
      : sink_(sink),
        arena_(arena),
        environment_(environment),
        diagnostics_(diagnostics),
        threads_(tables) {}

  // Renames the thread. If the record says that the thread replaced its
  // program, reports that to the emitter.
  absl::Status Apply(const CommRecord& comm, const RecordContext& context);
  // Adds the child, and reports the fork to the emitter.
  absl::Status Apply(const ForkRecord& fork, const RecordContext& context);
  // Reports the exit to the emitter. Keeps the thread: its last samples may
  // follow.
  absl::Status Apply(const ExitRecord& exit, const RecordContext& context);
  // Passes the inode of the thread's pid namespace to the environment.
  absl::Status Apply(const NamespacesRecord& namespaces,
                     const RecordContext& context);

  // Return the table of threads, which is valid as long as this.
  ThreadTable& table() { return threads_; }
  const ThreadTable& table() const { return threads_; }
  // As ThreadTable::GetThread, but fast for threads that were found recently.
  ThreadState& GetThread(int32_t pid, int32_t tid) {
    ThreadState* const recent = RecentSlot(tid);
    return recent != nullptr && recent->tid == tid &&
                   recent->process->pid == pid
               ? *recent
               : FindThread(pid, tid);
  }
  // Returns the thread's id under its current names. If the id is new, begins
  // the trace and reports the thread to the emitter.
  absl::StatusOr<ThreadId> Announce(ThreadState& thread,
                                    std::optional<uint64_t> time);
  // As Announce, for the thread with this tid. Returns kNoId if the tid was not
  // seen; see ThreadTable::FindSeen.
  absl::StatusOr<ThreadId> AnnounceIfSeen(int32_t tid,
                                          std::optional<uint64_t> time);

  // Returns the thread's id under its current names, as AnnounceIfSeen does, or
  // kNoId if that may have something to report, or would have to search.
  ThreadId KnownIdOf(int32_t tid) const {
    const ThreadState* const thread = tid < 0 ? nullptr : RecentSlot(tid);
    return thread != nullptr && thread->tid == tid &&
                   ThreadTable::HasId(*thread)
               ? thread->id
               : kNoId;
  }
  // Returns true if GetThread would only return the thread, and the thread has
  // an id under its current names.
  bool IsCurrent(int32_t pid, int32_t tid) const {
    return KnownIdOf(tid) != kNoId && RecentSlot(tid)->process->pid == pid;
  }

  // Prefetch the memory that GetThread reads for this thread. Each reads what
  // the one before it prefetches, so should follow it some time later. The last
  // two have no effect if the thread was not found recently.
  void PrefetchSlot(int32_t tid) const { Prefetch(&RecentSlot(tid)); }
  void PrefetchThread(int32_t tid) const {
    if (const ThreadState* thread = RecentSlot(tid)) Prefetch(thread);
  }
  void PrefetchProcess(int32_t tid) const {
    if (const ThreadState* thread = RecentSlot(tid)) {
      PrefetchAll(thread->process, sizeof(ProcessState));
    }
  }

  // Return when the first program that was started during the recording began
  // and ended; absent: not recorded.
  std::optional<uint64_t> exec_time() const { return exec_time_; }
  std::optional<uint64_t> exit_time() const { return exit_time_; }

 private:
  static constexpr size_t kFewRecent = 128, kMaxRecent = 8192;
  ThreadState*& RecentSlot(int32_t tid) {
    return recent_[static_cast<uint32_t>(tid) & (recent_.size() - 1)];
  }
  ThreadState* const& RecentSlot(int32_t tid) const {
    return recent_[static_cast<uint32_t>(tid) & (recent_.size() - 1)];
  }
  // As GetThread, for a thread that is not in its slot.
  ThreadState& FindThread(int32_t pid, int32_t tid);

  TraceSink& sink_;
  AddressMap::Arena& arena_;
  HostEnvironment& environment_;
  Diagnostics& diagnostics_;
  ThreadTable threads_;
  // By the low bits of the tid: the size is a power of two.
  std::vector<ThreadState*> recent_ = std::vector<ThreadState*>(kFewRecent);
  std::optional<uint64_t> exec_time_, exit_time_;
  int32_t started_pid_ = -1;  // the process whose exec is exec_time_
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_THREAD_TRACKER_H_
