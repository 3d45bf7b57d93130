// SPDX-License-Identifier: Apache-2.0
#include "converter/session/thread_table.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"

namespace perf2x {
namespace {

// The kernel writes the tid -1 for every thread that has exited:
// perf_event_pid_type() in kernel/events/core.c. Those of a process are one
// thread, whose key is negative.
int32_t ThreadKey(int32_t pid, int32_t tid) {
  constexpr int32_t kWithoutTid = std::numeric_limits<int32_t>::min();
  return tid < 0 ? pid | kWithoutTid : tid;
}

}  // namespace

ThreadTable::ThreadTable(TraceTables& tables)
    : tables_(tables), idle_name_(tables.strings.Intern("swapper")) {
  GetProcess(0).name = GetThread(0, 0).name;
}

ProcessState& ThreadTable::GetProcess(int32_t pid) {
  ProcessState*& process = by_pid_[pid];
  if (process == nullptr) {
    process = &processes_.emplace_back();
    process->pid = pid;
  }
  return *process;
}

ThreadState& ThreadTable::GetThread(int32_t pid, int32_t tid) {
  ThreadState*& thread = by_tid_[ThreadKey(pid, tid)];
  if (thread == nullptr) {
    thread = &threads_.emplace_back();
    thread->tid = tid;
  }
  if (thread->process == nullptr || thread->process->pid != pid) {
    // Another process used this tid before, and the recording lacks its exit.
    if (thread->process != nullptr) thread->name = 0;
    if (tid == 0) thread->name = idle_name_;
    thread->process = &GetProcess(pid);
    thread->id = kNoId;
  }
  return *thread;
}

void ThreadTable::Rename(int32_t pid, int32_t tid, absl::string_view name,
                         bool exec) {
  ThreadState& thread = GetThread(pid, tid);
  const StringId id = tables_.strings.Intern(name);
  if (thread.name != id) {
    thread.name = id;
    thread.id = kNoId;
  }
  ProcessState& process = *thread.process;
  if (pid == tid) process.name = id;
  if (exec) {
    const AddressMap map = process.map;
    EndProgram(process);
    process.replaced_map = map;
  }
}

bool ThreadTable::Fork(int32_t pid, int32_t tid, int32_t parent_pid,
                       int32_t parent_tid, bool copy_map) {
  const ThreadState& parent = GetThread(parent_pid, parent_tid);
  const StringId name = parent.name;
  ThreadState& thread = GetThread(pid, tid);
  thread.name = name;
  thread.id = kNoId;
  if (pid == parent_pid) return false;
  const ProcessState& parent_process = *parent.process;
  ProcessState& process = *thread.process;
  process.name = name;
  EndProgram(process);
  if (!copy_map) return false;
  process.map = parent_process.map;
  process.executable = parent_process.executable;
  process.address_space = parent_process.address_space;
  process.space_kernel_version = 0;
  return true;
}

void ThreadTable::EndProgram(ProcessState& process) {
  if (process.executable != kNoId) {
    if (process.executable >= samples_by_program_.size()) {
      samples_by_program_.resize(process.executable + 1);
    }
    samples_by_program_[process.executable] += process.samples;
  }
  process.samples = 0;
  process.executable = kNoId;
  process.map = process.replaced_map = AddressMap();
  ++process.program;
}

DsoId ThreadTable::TakeMainProgram() {
  for (ProcessState& process : processes_) EndProgram(process);
  const auto most =
      std::max_element(samples_by_program_.begin(), samples_by_program_.end());
  if (most == samples_by_program_.end() || *most == 0) return kNoId;
  return static_cast<DsoId>(most - samples_by_program_.begin());
}

ThreadId ThreadTable::NewId(ThreadState& thread) {
  const ProcessState& process = *thread.process;
  auto unnamed = [&](int32_t number) {
    return tables_.strings.Intern(number < 0 ? std::string("[unknown]")
                                             : absl::StrCat(":", number));
  };
  Thread entry;
  entry.pid = process.pid;
  entry.tid = thread.tid;
  entry.name = thread.name;
  entry.process_name = process.name;
  // A process has its main thread's name or, until that has one, any thread's.
  if (entry.process_name == 0) entry.process_name = entry.name;
  if (entry.name == 0) entry.name = unnamed(thread.tid);
  if (entry.process_name == 0) entry.process_name = unnamed(process.pid);
  tables_.threads.push_back(entry);
  thread.id = static_cast<ThreadId>(tables_.threads.size() - 1);
  thread.id_process_name = process.name;
  return thread.id;
}

}  // namespace perf2x
