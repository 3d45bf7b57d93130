// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/jit/process_namespace.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <map>
#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace perf2x {
namespace {

// Limit on the root folders that are held open, one for each container.
constexpr size_t kMaxRoots = 256;

// Returns the process's pid in the innermost of its pid namespaces; 0 if it is
// in only one, or does not run. "NStgid:\t4711\t1", see proc(5).
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

// The inode of the process's pid namespace; 0: not known.
uint64_t PidNamespace(int proc, const char* process) {
  char link[64];
  const ssize_t n = readlinkat(proc, absl::StrCat(process, "/ns/pid").c_str(),
                               link, sizeof(link));
  absl::string_view text(link, n > 0 ? static_cast<size_t>(n) : 0);
  uint64_t inode = 0;
  return absl::ConsumePrefix(&text, "pid:[") &&
                 absl::ConsumeSuffix(&text, "]") &&
                 absl::SimpleAtoi(text, &inode)
             ? inode
             : 0;
}

// Recognizes the kernel's threads, which are in no container and of which a
// machine has hundreds, for less than it takes to read a namespace. They stay
// in the session that the kernel begins with, whose number is 0 in the first
// namespace. All others have left it there once the first process has.
class KernelThreads {
 public:
  explicit KernelThreads(uint64_t own_namespace)
      : are_known_(own_namespace == kFirstPidNamespace && getsid(1) > 0) {}
  bool Has(int32_t pid) const { return are_known_ && getsid(pid) == 0; }

 private:
  // PROC_PID_INIT_INO in the kernel's include/linux/proc_ns.h.
  static constexpr uint64_t kFirstPidNamespace = 0xeffffffc;

  const bool are_known_;
};

std::string PathOf(const FileDescriptor& folder) {
  return absl::StrCat("/proc/self/fd/", folder.get());
}

}  // namespace

void RecordedProcesses::OnFork(int32_t pid, int32_t tid, int32_t parent_pid) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (pid != parent_pid) parents_[pid] = parent_pid;
  // A recording without a NAMESPACES record so far has none at all.
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
    const int32_t own = it->second.last_pid + 1;
    const auto [known, is_new] = own_pids_.try_emplace(pid, own);
    if (!is_new) --own_pid_counts_[std::exchange(known->second, own)];
    ++own_pid_counts_[own];
  }
  // A thread also has a tid in every ancestor of its namespace.
  for (int depth = 0; it != namespaces_.end() && depth < 32; ++depth) {
    ++it->second.last_pid;
    it = namespaces_.find(it->second.parent);
  }
}

uint64_t RecordedProcesses::memory() const {
  constexpr uint64_t kOfPid = 32, kOfInode = 64, kOfNamespace = 96;
  std::lock_guard<std::mutex> lock(mutex_);
  return (parents_.size() + own_pids_.size() + begun_.size()) * kOfPid +
         inodes_.size() * kOfInode + namespaces_.size() * kOfNamespace;
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

bool RecordedProcesses::IsUniqueOwnPid(int32_t own_pid) const {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto it = own_pid_counts_.find(own_pid);
  return it == own_pid_counts_.end() || it->second <= 1;
}

std::optional<int32_t> RecordedProcesses::NearestAncestor(
    int32_t pid, absl::FunctionRef<bool(int32_t)> accepts) const {
  constexpr int kDeepest = 1000;  // reused pids make circles
  std::lock_guard<std::mutex> lock(mutex_);
  for (int depth = 0; depth < kDeepest; ++depth) {
    if (accepts(pid)) return pid;
    auto it = parents_.find(pid);
    if (it == parents_.end()) break;
    pid = it->second;
  }
  return std::nullopt;
}

ContainerProcesses::ContainerProcesses() {
  const std::unique_ptr<DIR, int (*)(DIR*)> proc(opendir("/proc"), closedir);
  const uint64_t own =
      proc == nullptr ? 0 : PidNamespace(dirfd(proc.get()), "self");
  if (own == 0) return;
  const KernelThreads kernel_threads(own);
  // Indices into roots_, by mount namespace, device and inode.
  std::map<std::array<uint64_t, 3>, size_t> known;
  while (const dirent* entry = readdir(proc.get())) {
    const char* name = entry->d_name;
    int32_t pid = 0;
    if (!absl::SimpleAtoi(name, &pid) || kernel_threads.Has(pid)) continue;
    const uint64_t inode = PidNamespace(dirfd(proc.get()), name);
    if (inode == 0 || inode == own) continue;
    const std::string path = absl::StrCat("/proc/", name);
    const int32_t own_pid = InnermostPid(path);
    FileDescriptor root(
        open((path + "/root").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    struct stat folder, mounts;
    if (own_pid == 0 || root.get() < 0 || fstat(root.get(), &folder) != 0 ||
        stat((path + "/ns/mnt").c_str(), &mounts) != 0) {
      continue;
    }
    const auto [it, is_new] = known.try_emplace(
        {mounts.st_ino, folder.st_dev, folder.st_ino}, roots_.size());
    if (is_new) {
      if (roots_.size() == kMaxRoots) break;
      roots_.push_back({std::move(root), pid});
    }
    processes_[pid] = {own_pid, inode, it->second};
  }
}

FilePlace ContainerProcesses::PerfMapOf(
    int32_t pid, std::optional<uint64_t> pid_namespace) const {
  const auto it = processes_.find(pid);
  if (it == processes_.end()) return {};
  return FileOf(pid, pid_namespace,
                absl::StrCat("/tmp/perf-", it->second.own_pid, ".map"));
}

FilePlace ContainerProcesses::FileOf(int32_t pid,
                                     std::optional<uint64_t> pid_namespace,
                                     absl::string_view name) const {
  const auto it = processes_.find(pid);
  if (it == processes_.end() ||
      pid_namespace.value_or(it->second.pid_namespace) !=
          it->second.pid_namespace) {
    return {};
  }
  // The root is the folder that the process sees as "/"; no link leads out of
  // it.
  return {PathOf(roots_[it->second.root].folder), name};
}

std::string ContainerProcesses::PublicPathOf(absl::string_view path) const {
  for (const Root& root : roots_) {
    absl::string_view rest = path;
    if (absl::ConsumePrefix(&rest, PathOf(root.folder)) &&
        absl::StartsWith(rest, "/")) {
      return absl::StrCat("/proc/", root.pid, "/root", rest);
    }
  }
  return std::string(path);
}

std::vector<std::string> ContainerProcesses::Roots() const {
  std::vector<std::string> paths;
  for (const Root& root : roots_) paths.push_back(PathOf(root.folder));
  return paths;
}

}  // namespace perf2x
