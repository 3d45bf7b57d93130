#ifndef PERF2X_SYMBOLIZE_PROCESS_NAMESPACE_H_
#define PERF2X_SYMBOLIZE_PROCESS_NAMESPACE_H_

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

namespace perf2x {

// The pid namespaces that a recording tells of, by their inodes. Thread-safe.
class PidNamespaces {
 public:
  void Set(int32_t pid, uint64_t inode) {
    std::lock_guard<std::mutex> lock(mutex_);
    inodes_[pid] = inode;
  }
  std::optional<uint64_t> Of(int32_t pid) const {
    std::lock_guard<std::mutex> lock(mutex_);
    auto it = inodes_.find(pid);
    if (it == inodes_.end()) return std::nullopt;
    return it->second;
  }

 private:
  mutable std::mutex mutex_;
  absl::flat_hash_map<int32_t, uint64_t> inodes_;
};

// The path of the perf map that the process `pid` of this machine has written
// where it has a pid and a file system of its own, as in a container: its
// /tmp/perf-PID.map, by its own number. Seen through the process itself, so
// that it has to run still; and in `pid_namespace`, when that is known. Empty
// when there is none.
std::string PerfMapInNamespace(int32_t pid,
                               std::optional<uint64_t> pid_namespace);
// The same for the file that such a process calls `name`.
std::string FileInNamespace(int32_t pid, std::optional<uint64_t> pid_namespace,
                            absl::string_view name);

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_PROCESS_NAMESPACE_H_
