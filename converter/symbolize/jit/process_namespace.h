// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_JIT_PROCESS_NAMESPACE_H_
#define PERF2X_SYMBOLIZE_JIT_PROCESS_NAMESPACE_H_

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "converter/base/file_descriptor.h"
#include "converter/symbolize/find/safe_file.h"

namespace perf2x {

// The parents and pid namespaces of the processes in a recording; they locate
// the files of processes in containers. Records must be added in time order.
// `pid` is a pid as recorded. An own pid is a process's pid in its own pid
// namespace. Thread-safe.
class RecordedProcesses {
 public:
  // Adds a FORK record: thread `tid` of process `pid` starts. If `pid` is not
  // `parent_pid`, the thread is the first of a new process.
  void OnFork(int32_t pid, int32_t tid, int32_t parent_pid);
  // Adds a NAMESPACES record: the inode of a thread's pid namespace. With `perf
  // record --namespaces`, the kernel writes one after every FORK.
  void OnNamespace(int32_t pid, int32_t tid, uint64_t inode);

  // Returns the approximate memory of this object, in bytes.
  uint64_t memory() const;
  // Returns the inode of a process's pid namespace; nullopt if it is not known.
  std::optional<uint64_t> NamespaceOf(int32_t pid) const;
  // Returns the own pid of a process. The kernel assigns pids in ascending
  // order, so the own pid follows from the number of threads that started in
  // the namespace before. Returns nullopt if the recording lacks the
  // namespace's first process or the start of `pid`.
  std::optional<int32_t> OwnPidOf(int32_t pid) const;
  // Returns false if OwnPidOf returns `own_pid` for two or more processes.
  bool IsUniqueOwnPid(int32_t own_pid) const;
  // Returns the process itself or its nearest ancestor for which `accepts` is
  // true; nullopt if there is none. `accepts` must not call this object.
  std::optional<int32_t> NearestAncestor(
      int32_t pid, absl::FunctionRef<bool(int32_t)> accepts) const;

 private:
  struct Namespace {
    uint64_t parent = 0;  // 0: none
    int32_t last_pid = 0;
    bool whole = false;  // the recording has its first process
  };

  mutable std::mutex mutex_;
  absl::flat_hash_map<int32_t, int32_t> parents_;
  absl::flat_hash_map<int32_t, uint64_t> inodes_;
  absl::flat_hash_map<int32_t, int32_t> own_pids_;
  // By own pid: the processes that have it in own_pids_.
  absl::flat_hash_map<int32_t, uint32_t> own_pid_counts_;
  absl::flat_hash_map<uint64_t, Namespace> namespaces_;
  // By tid: parent pids of threads between their FORK and NAMESPACES records.
  absl::flat_hash_map<int32_t, int32_t> begun_;
};

// A snapshot of the processes of this machine that run in another pid namespace
// than the caller, as in containers. Keeps up to 256 of their root folders
// open: once sandboxed, the caller may not follow /proc/PID/root of other
// processes. Ignores processes found after that limit. PerfMapOf, FileOf and
// Roots return paths below /proc/self/fd. Such a path is valid in this process
// only and as long as this object. Thread-safe.
class ContainerProcesses {
 public:
  // Scans /proc: some microseconds for each running process.
  ContainerProcesses();

  // Returns the place of a process's perf map: /tmp/perf-PID.map below its root
  // folder, where PID is its own pid. `pid` is its pid in the caller's
  // namespace. Empty if the snapshot has no such process. Also empty if
  // `pid_namespace`, if given, is not the inode of its namespace. The file need
  // not exist.
  FilePlace PerfMapOf(int32_t pid, std::optional<uint64_t> pid_namespace) const;
  // Like PerfMapOf, but for the file that the process sees at path `name`.
  FilePlace FileOf(int32_t pid, std::optional<uint64_t> pid_namespace,
                   absl::string_view name) const;
  // Translates a path below one of Roots() to one that is valid in every
  // process: "/proc/4711/root/tmp/perf-1.map". Returns other paths unchanged.
  std::string PublicPathOf(absl::string_view path) const;
  // Returns the paths of the root folders.
  std::vector<std::string> Roots() const;

 private:
  struct Root {
    FileDescriptor folder;
    int32_t pid;  // one of the processes with this root folder
  };
  struct Process {
    int32_t own_pid;
    uint64_t pid_namespace;
    size_t root;  // index into roots_
  };
  absl::flat_hash_map<int32_t, Process> processes_;
  std::vector<Root> roots_;
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_JIT_PROCESS_NAMESPACE_H_
