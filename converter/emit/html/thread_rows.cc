// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/html/thread_rows.h"

namespace perf2x {

uint32_t ThreadRows::ProcessOf(ThreadId id) {
  if (id >= lives_.size()) lives_.resize(id + 1);
  uint32_t& process = lives_[id].process;
  if (process != kNoId) return process;
  const Thread& thread = tables_.threads[id];
  const auto [it, inserted] =
      rows_.try_emplace({thread.pid, thread.process_name},
                        static_cast<uint32_t>(processes_.size()));
  if (inserted) {
    const auto parent = parents_.find(thread.pid);
    processes_.push_back({thread.pid, thread.process_name,
                          parent == parents_.end() ? kNoId : parent->second});
  }
  return process = it->second;
}

void ThreadRows::OnThread(ThreadId id, std::optional<uint64_t> time) {
  ProcessOf(id);
  const int32_t tid = tables_.threads[id].tid;
  const auto [it, inserted] = by_tid_.try_emplace(tid, id);
  // Under its earlier name, a thread ends where that of the new name starts.
  if (!inserted && it->second != id) {
    Life& earlier = lives_[it->second];
    if (!earlier.end.has_value()) earlier.end = time;
    it->second = id;
    if (!lives_[id].start.has_value()) lives_[id].start = time;
  }
}

void ThreadRows::OnFork(const Fork& fork) {
  const uint32_t parent = ProcessOf(fork.parent);
  const uint32_t child = ProcessOf(fork.child);
  if (!lives_[fork.child].start.has_value()) {
    lives_[fork.child].start = fork.time;
  }
  if (parent == child) return;
  const int32_t pid = processes_[child].pid;
  if (pid == processes_[parent].pid) return;
  parents_[pid] = parent;
  processes_[child].parent = parent;
}

void ThreadRows::OnExit(const Exit& exit) {
  ProcessOf(exit.thread);
  lives_[exit.thread].end = exit.time;
  by_tid_.erase(tables_.threads[exit.thread].tid);
}

}  // namespace perf2x
