#include "converter/symbolize/process_namespace.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "converter/symbolize/safe_file.h"

namespace perf2x {
namespace {

// The process's number in the innermost of its pid namespaces; 0 when it has
// but one, or does not run. "NStgid:\t4711\t1", see proc(5).
int32_t InnermostPid(const std::string& proc) {
  std::ifstream status(proc + "/status");
  for (std::string line; std::getline(status, line);) {
    if (!absl::StartsWith(line, "NStgid:")) continue;
    const std::vector<std::string> numbers =
        absl::StrSplit(line.substr(7), '\t', absl::SkipEmpty());
    int32_t pid = 0;
    return numbers.size() > 1 && absl::SimpleAtoi(numbers.back(), &pid) ? pid
                                                                        : 0;
  }
  return 0;
}

// Whether the process is in that namespace, where it is known.
bool IsIn(const std::string& proc, std::optional<uint64_t> pid_namespace) {
  if (!pid_namespace.has_value()) return true;
  char link[64];
  const ssize_t n = readlink((proc + "/ns/pid").c_str(), link, sizeof(link));
  return n > 0 && absl::string_view(link, static_cast<size_t>(n)) ==
                      absl::StrCat("pid:[", *pid_namespace, "]");
}

}  // namespace

void RecordedProcesses::OnFork(int32_t pid, int32_t tid, int32_t parent_pid) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (pid != parent_pid) parents_[pid] = parent_pid;
  // Without records of namespaces so far, none will come.
  if (!inodes_.empty()) begun_[tid] = parent_pid;
}

void RecordedProcesses::OnNamespace(int32_t pid, int32_t tid, uint64_t inode) {
  std::lock_guard<std::mutex> lock(mutex_);
  inodes_[pid] = inode;
  const auto begun = begun_.find(tid);
  const bool begins = begun != begun_.end();
  auto [it, inserted] = namespaces_.try_emplace(inode);
  if (inserted && begins) {
    const auto parent = inodes_.find(begun->second);
    if (parent != inodes_.end() && parent->second != inode) {
      it->second.parent = parent->second;
      it->second.whole = true;
    }
  }
  if (!begins) return;
  begun_.erase(begun);
  if (it->second.whole && pid == tid) {
    own_pids_[pid] = it->second.last_pid + 1;
  }
  // A thread has a number in every namespace around its own as well.
  for (int depth = 0; it != namespaces_.end() && depth < 32; ++depth) {
    ++it->second.last_pid;
    it = namespaces_.find(it->second.parent);
  }
}

std::optional<uint64_t> RecordedProcesses::NamespaceOf(int32_t pid) const {
  std::lock_guard<std::mutex> lock(mutex_);
  auto it = inodes_.find(pid);
  if (it == inodes_.end()) return std::nullopt;
  return it->second;
}

std::optional<int32_t> RecordedProcesses::OwnPidOf(int32_t pid) const {
  std::lock_guard<std::mutex> lock(mutex_);
  auto it = own_pids_.find(pid);
  if (it == own_pids_.end()) return std::nullopt;
  return it->second;
}

bool RecordedProcesses::IsOnlyOne(int32_t own_pid) const {
  std::lock_guard<std::mutex> lock(mutex_);
  return std::count_if(own_pids_.begin(), own_pids_.end(),
                       [&](const auto& p) { return p.second == own_pid; }) <= 1;
}

std::optional<int32_t> RecordedProcesses::NearestAncestor(
    int32_t pid, absl::FunctionRef<bool(int32_t)> accepts) const {
  constexpr int kDeepest = 1000;  // numbers that are used again make circles
  std::lock_guard<std::mutex> lock(mutex_);
  for (int depth = 0; depth < kDeepest; ++depth) {
    if (accepts(pid)) return pid;
    auto it = parents_.find(pid);
    if (it == parents_.end()) break;
    pid = it->second;
  }
  return std::nullopt;
}

std::string PerfMapInNamespace(int32_t pid,
                               std::optional<uint64_t> pid_namespace) {
  const int32_t inner = pid > 0 ? InnermostPid(absl::StrCat("/proc/", pid)) : 0;
  return FileInNamespace(pid, pid_namespace,
                         absl::StrCat("/tmp/perf-", inner, ".map"));
}

std::string FileInNamespace(int32_t pid, std::optional<uint64_t> pid_namespace,
                            absl::string_view name) {
  const std::string proc = absl::StrCat("/proc/", pid);
  if (pid <= 0 || InnermostPid(proc) == 0 || !IsIn(proc, pid_namespace)) {
    return "";
  }
  // What the process calls "/": no link leads out of it.
  return ResolveInRoot(proc + "/root", name);
}

}  // namespace perf2x
