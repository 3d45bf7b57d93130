#include "converter/symbolize/process_namespace.h"

#include <unistd.h>

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
