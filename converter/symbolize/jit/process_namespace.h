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

// What a recording tells of its processes that helps to find their files: who
// forked them, and their pid namespaces. Thread-safe.
class RecordedProcesses {
 public:
  // A thread, or with another pid than its parent's a process, began.
  void OnFork(int32_t pid, int32_t tid, int32_t parent_pid);
  // NAMESPACES: the pid namespace of a thread, by its inode. The kernel writes
  // one with every FORK.
  void OnNamespace(int32_t pid, int32_t tid, uint64_t inode);

  // The pid namespace of a process.
  std::optional<uint64_t> NamespaceOf(int32_t pid) const;
  // The pid that a process has in its own namespace: the recording must have
  // its first process's start, from which on numbers are counted as the kernel
  // gives them out.
  std::optional<int32_t> OwnPidOf(int32_t pid) const;
  // Whether in no other namespace a process is known to have that pid.
  bool IsOnlyOne(int32_t own_pid) const;
  // The process or the nearest one that it descends from of which `accepts` is
  // true; nullopt: none.
  std::optional<int32_t> NearestAncestor(
      int32_t pid, absl::FunctionRef<bool(int32_t)> accepts) const;

 private:
  struct Namespace {
    uint64_t parent = 0;  // 0: none
    int32_t last_pid = 0;
    bool whole = false;  // since its first process
  };

  mutable std::mutex mutex_;
  absl::flat_hash_map<int32_t, int32_t> parents_;
  absl::flat_hash_map<int32_t, uint64_t> inodes_;
  absl::flat_hash_map<int32_t, int32_t> own_pids_;
  absl::flat_hash_map<uint64_t, Namespace> namespaces_;
  // Threads, with their parents, that began and have no namespace yet.
  absl::flat_hash_map<int32_t, int32_t> begun_;
};

// The processes of this machine that run in another pid namespace than this
// one, as those of containers do, at the time this was constructed. Holds their
// root folders open, since a sandboxed process may not follow /proc/PID/root of
// others. Thread-safe.
class ContainerProcesses {
 public:
  // Looks through /proc: some microseconds for each process that runs.
  ContainerProcesses();

  // Where the perf map is that the process has written, /tmp/perf-PID.map by
  // its own pid, if it is in `pid_namespace` or that is not known. Empty when
  // there is no such process.
  FilePlace PerfMapOf(int32_t pid, std::optional<uint64_t> pid_namespace) const;
  // The same for the file that such a process calls `name`.
  FilePlace FileOf(int32_t pid, std::optional<uint64_t> pid_namespace,
                   absl::string_view name) const;
  // The path of a file that was opened there as other processes know it:
  // "/proc/4711/root/tmp/perf-1.map".
  std::string PublicPathOf(absl::string_view path) const;
  // Paths of the root folders, valid in this process only.
  std::vector<std::string> Roots() const;

 private:
  struct Root {
    FileDescriptor folder;
    int32_t pid;  // of one of the processes that have it
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
