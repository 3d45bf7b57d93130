// SPDX-License-Identifier: Apache-2.0
#include "converter/session/thread_tracker.h"

#include "converter/base/status_macros.h"
#include "converter/base/truncate_name.h"
#include "converter/perf/records/wire.h"

namespace perf2x {

ThreadState& ThreadTracker::FindThread(int32_t pid, int32_t tid) {
  ThreadState& thread = threads_.GetThread(pid, tid);
  if (threads_.size() > recent_.size() / 2 && recent_.size() < kMaxRecent) {
    recent_.assign(recent_.size() * 8, nullptr);
  }
  RecentSlot(tid) = &thread;
  return thread;
}

absl::StatusOr<ThreadId> ThreadTracker::Announce(ThreadState& thread,
                                                 std::optional<uint64_t> time) {
  bool is_new = false;
  const ThreadId id = threads_.IdOf(thread, &is_new);
  if (is_new) {
    RETURN_IF_ERROR(sink_.EnsureBegun());
    RETURN_IF_ERROR(sink_.Report(&Emitter::OnThread, id, time));
  }
  return id;
}

absl::StatusOr<ThreadId> ThreadTracker::AnnounceIfSeen(
    int32_t tid, std::optional<uint64_t> time) {
  // A tid has one ThreadState, whatever its process, unless it is negative.
  ThreadState* thread = tid < 0 ? nullptr : RecentSlot(tid);
  if (thread == nullptr || thread->tid != tid) {
    thread = threads_.FindSeen(tid);
    if (thread == nullptr) return kNoId;
  }
  return Announce(*thread, time);
}

absl::Status ThreadTracker::Apply(const CommRecord& comm,
                                  const RecordContext& context) {
  const bool exec = (context.raw.misc & kMiscCommExec) != 0;
  const absl::string_view name = TruncateName(
      comm.comm, kMaxThreadNameSize, context.raw.offset, &diagnostics_);
  threads_.Rename(comm.pid, comm.tid, name, exec);
  ASSIGN_OR_RETURN(const ThreadId thread,
                   Announce(GetThread(comm.pid, comm.tid), context.time));
  if (exec && context.time && !exec_time_) {
    exec_time_ = context.time;
    started_pid_ = comm.pid;
  }
  return exec ? sink_.Report(&Emitter::OnExec, {context.time, thread})
              : absl::OkStatus();
}

absl::Status ThreadTracker::Apply(const ForkRecord& fork,
                                  const RecordContext& context) {
  // perf synthesizes FORK records for tasks that ran before the recording;
  // their MMAP records follow.
  const bool synthesized = (context.raw.misc & kMiscForkExec) != 0;
  if (threads_.Fork(fork.pid, fork.tid, fork.ppid, fork.ptid, !synthesized)) {
    arena_.Freeze();
  }
  environment_.OnFork(fork.pid, fork.tid, fork.ppid);
  Fork event;
  event.time = context.time;
  ASSIGN_OR_RETURN(event.parent,
                   Announce(GetThread(fork.ppid, fork.ptid), context.time));
  ASSIGN_OR_RETURN(event.child,
                   Announce(GetThread(fork.pid, fork.tid), context.time));
  return sink_.Report(&Emitter::OnFork, event);
}

absl::Status ThreadTracker::Apply(const ExitRecord& exit,
                                  const RecordContext& context) {
  // The thread is kept: its last samples come after its EXIT record.
  Exit event;
  event.time = context.time;
  if (exec_time_ && exit.tid == started_pid_) exit_time_ = context.time;
  ASSIGN_OR_RETURN(event.thread,
                   Announce(GetThread(exit.pid, exit.tid), context.time));
  return sink_.Report(&Emitter::OnExit, event);
}

absl::Status ThreadTracker::Apply(const NamespacesRecord& record,
                                  const RecordContext&) {
  // There are a device and an inode for each kind of namespace; the kind is
  // PID_NS_INDEX of linux/perf_event.h.
  constexpr size_t kPidInode = 3 * 2 + 1;
  if (record.namespaces.size() > kPidInode) {
    environment_.OnPidNamespace(record.pid, record.tid,
                                record.namespaces[kPidInode]);
  }
  return absl::OkStatus();
}

}  // namespace perf2x
