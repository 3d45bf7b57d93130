// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_THREAD_TABLE_H_
#define PERF2X_SESSION_THREAD_TABLE_H_

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "converter/model/trace_tables.h"
#include "converter/session/address_map.h"

namespace perf2x {

// A process as it is now: its threads share the memory map.
struct ProcessState {
  int32_t pid = -1;
  StringId name = 0;
  AddressMap map;
  // The map of the program before the last exec, until the new one has run:
  // while the kernel replaces it, samples still name the old one's code.
  AddressMap replaced_map;
  // The kernel of the virtual machine that it runs, where the recording has
  // told of that one by itself.
  AddressMap guest_map;
  // Counts the programs it ran: memory without a name is another one's after an
  // exec.
  uint32_t program = 0;
  // The program itself, the first file that was mapped; kNoId: none yet.
  DsoId executable = kNoId;
  uint64_t samples = 0;  // taken while it ran `executable`
  // The address space made of `map`, and the maps it was made of.
  AddressSpaceId address_space = kNoId;
  AddressMap space_map, space_replaced_map, space_kernel_map, space_guest_map;
};

struct ThreadState {
  int32_t tid = -1;
  StringId name = 0;  // 0: no record names it
  ProcessState* process = nullptr;
  // The id under its present names; kNoId: not asked for yet.
  ThreadId id = kNoId;
  StringId id_process_name = 0;
};

// The threads and processes of a recording as they come and go. Follows
// machine__process_{comm,fork,exit}_event() in tools/perf/util/machine.c.
// References stay valid until the end.
class ThreadTable {
 public:
  explicit ThreadTable(TraceTables& tables);

  // The thread or process. Created on first reference.
  ThreadState& Find(int32_t pid, int32_t tid);
  ProcessState& Process(int32_t pid);
  // The thread with this number, whichever process it is of; null if no record
  // named it.
  ThreadState* FindSeen(int32_t tid) {
    auto it = by_tid_.find(tid);
    return it == by_tid_.end() ? nullptr : it->second;
  }
  bool HasSeen(int32_t tid) { return FindSeen(tid) != nullptr; }

  // The thread (of a process: its first) takes a name; `exec`: a new program.
  void Rename(int32_t pid, int32_t tid, absl::string_view name, bool exec);
  // A thread or, with another pid than its parent's, a process begins. With
  // `copy_map`, the process starts with its parent's memory. Gives whether it
  // does: from then on two maps share their nodes, see AddressMap::Arena.
  bool Fork(int32_t pid, int32_t tid, int32_t parent_pid, int32_t parent_tid,
            bool copy_map);

  // The thread under the names it has now. `*is_new` is set when it is given
  // for the first time.
  ThreadId IdOf(ThreadState& thread, bool* is_new) {
    if (HasId(thread)) return thread.id;
    *is_new = true;
    return NewId(thread);
  }
  static bool HasId(const ThreadState& thread) {
    return thread.id != kNoId && thread.id_process_name == thread.process->name;
  }

  // About how many bytes of memory all of them take.
  uint64_t memory() const {
    return threads_.size() * (sizeof(ThreadState) + kOfMap) +
           processes_.size() * (sizeof(ProcessState) + kOfMap);
  }

  // The program with most samples in all processes that ran it; kNoId: none.
  DsoId MainProgram();

 private:
  static constexpr uint64_t kOfMap = 32;  // bytes an entry takes

  ThreadId NewId(ThreadState& thread);
  void EndProgram(ProcessState& process);

  TraceTables& tables_;
  // Of the idle task of every CPU, thread 0 of whatever process: no record
  // names it.
  const StringId idle_name_;
  std::vector<uint64_t> samples_by_program_;  // by DsoId; those that ended
  std::deque<ThreadState> threads_;
  std::deque<ProcessState> processes_;
  absl::flat_hash_map<int32_t, ThreadState*> by_tid_;
  absl::flat_hash_map<int32_t, ProcessState*> by_pid_;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_THREAD_TABLE_H_
