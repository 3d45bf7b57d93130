// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_THREAD_TABLE_H_
#define PERF2X_SESSION_THREAD_TABLE_H_

#include <cstdint>
#include <deque>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "converter/model/trace_tables.h"
#include "converter/session/address_map.h"

namespace perf2x {

// The current state of a process; its threads share the memory map.
struct ProcessState {
  int32_t pid = -1;
  StringId name = 0;
  AddressMap map;
  // The map of the program before the last exec: samples during the exec still
  // have addresses in it. Empty once a sample was in the new program.
  AddressMap replaced_map;
  // The kernel's mappings in the virtual machine that the process runs, if the
  // recording has a map for that machine alone.
  AddressMap guest_map;
  // Number of the program that the process runs: each exec adds 1.
  uint32_t program = 0;
  // The first file that the program mapped: its executable. kNoId: none yet.
  DsoId executable = kNoId;
  uint64_t samples = 0;  // taken while it ran `executable`
  // The process's last address space, and the maps that it is made of. For
  // AddressSpaces only.
  AddressSpaceId address_space = kNoId;
  uint32_t space_kernel_version = 0;  // 0: not compared yet
  AddressMap space_map, space_replaced_map;
};

// The current state of a thread.
struct ThreadState {
  int32_t tid = -1;
  StringId name = 0;  // 0: no record names it
  ProcessState* process = nullptr;
  // The result of the last ThreadTable::IdOf; kNoId: none. Current only if
  // HasId.
  ThreadId id = kNoId;
  StringId id_process_name = 0;  // the process's name when `id` was set
};

// The threads and processes of a recording as they come and go. Follows
// machine__process_{comm,fork,exit}_event() in tools/perf/util/machine.c.
// References stay valid as long as the table. Not thread-safe.
class ThreadTable {
 public:
  // `tables` must outlive the table.
  explicit ThreadTable(TraceTables& tables);

  // Return the thread or process, which is created on first reference. If
  // another process had the tid, the thread moves to `pid` and loses its name.
  ThreadState& GetThread(int32_t pid, int32_t tid);
  ProcessState& GetProcess(int32_t pid);
  // Returns the thread with this tid, whatever its process. Null if GetThread,
  // Rename or Fork was never called for the tid. Thread 0 always exists.
  ThreadState* FindSeen(int32_t tid) {
    auto it = by_tid_.find(tid);
    return it == by_tid_.end() ? nullptr : it->second;
  }
  // Returns true unless FindSeen returns null.
  bool HasSeen(int32_t tid) { return FindSeen(tid) != nullptr; }

  // Renames a thread and, if it is the main thread, its process. If `exec` is
  // set, the process also starts a new program, with an empty map. The old map
  // becomes its replaced_map.
  void Rename(int32_t pid, int32_t tid, absl::string_view name, bool exec);
  // Starts a thread or, if `pid` is not `parent_pid`, a process. Both start
  // with their parent's name. If `copy_map` is set, a process starts with its
  // parent's map. Returns true if the map was copied: then the caller must call
  // AddressMap::Arena::Freeze.
  bool Fork(int32_t pid, int32_t tid, int32_t parent_pid, int32_t parent_tid,
            bool copy_map);

  // Returns the id of the thread under its current names. If it has none, adds
  // it to TraceTables::threads and sets `*is_new` to true; otherwise leaves
  // `*is_new` unchanged.
  ThreadId IdOf(ThreadState& thread, bool* is_new) {
    if (HasId(thread)) return thread.id;
    *is_new = true;
    return NewId(thread);
  }
  // Returns true if ThreadState::id is set and the names are still the same.
  static bool HasId(const ThreadState& thread) {
    return thread.id != kNoId && thread.id_process_name == thread.process->name;
  }

  // Returns the number of threads, those that have ended included.
  size_t size() const { return threads_.size(); }
  // Returns the approximate memory of all threads and processes, in bytes.
  uint64_t memory() const {
    return threads_.size() * (sizeof(ThreadState) + kOfMap) +
           processes_.size() * (sizeof(ProcessState) + kOfMap);
  }

  // Returns the program with most samples, summed over all processes that ran
  // it. Of several, returns the lowest id. Returns kNoId if no program has
  // samples. To be called once, last: clears the memory maps of all processes.
  DsoId TakeMainProgram();

 private:
  static constexpr uint64_t kOfMap = 32;  // bytes of a hash map entry

  ThreadId NewId(ThreadState& thread);
  void EndProgram(ProcessState& process);

  TraceTables& tables_;
  // Name of the idle task of every CPU, which is thread 0 of any process: no
  // record names it.
  const StringId idle_name_;
  std::vector<uint64_t> samples_by_program_;  // by DsoId, of ended programs
  std::deque<ThreadState> threads_;
  std::deque<ProcessState> processes_;
  // By tid. Those without one have negative keys.
  absl::flat_hash_map<int32_t, ThreadState*> by_tid_;
  absl::flat_hash_map<int32_t, ProcessState*> by_pid_;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_THREAD_TABLE_H_
