// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "converter/base/file_descriptor.h"
#include "converter/cli/seccomp_filter.h"

namespace perf2x {
namespace {

#ifdef PERF2X_SANITIZED
// The leak checker traces the process, and sanitizers start a program that
// symbolizes their reports.
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

// Returns true if `error` says that no descriptors or no memory was left.
bool IsShortage(int error) {
  return error == EMFILE || error == ENFILE || error == ENOMEM;
}

// From the kernel's include/uapi/linux/landlock.h, which is newer than the
// headers of some build machines.
namespace landlock {

struct RulesetAttr {
  uint64_t handled_access_fs, handled_access_net, scoped;
};
struct __attribute__((packed)) PathBeneathAttr {
  uint64_t allowed_access;
  int32_t parent_fd;
};

enum Access : uint64_t {
  kExecute = 1 << 0,
  kWriteFile = 1 << 1,
  kReadFile = 1 << 2,
  kReadDir = 1 << 3,
  kRemoveDir = 1 << 4,
  kRemoveFile = 1 << 5,
  kMakeDir = 1 << 7,
  kMakeReg = 1 << 8,
  kRefer = 1 << 13,        // since ABI 2
  kTruncate = 1 << 14,     // since ABI 3
  kIoctlDevice = 1 << 15,  // since ABI 5
};
constexpr uint64_t kAllOfAbi1 = (1 << 13) - 1;
constexpr uint64_t kBindAndConnectTcp = 3;       // since ABI 4
constexpr uint64_t kScopeSocketsAndSignals = 3;  // since ABI 6
constexpr uint32_t kCreateRulesetVersion = 1 << 0;
constexpr int kRulePathBeneath = 1;

int Version() {
  const long version =
      syscall(SYS_landlock_create_ruleset, nullptr, 0, kCreateRulesetVersion);
  return version > 0 ? static_cast<int>(version) : 0;
}

uint64_t HandledAccess(int abi) {
  uint64_t access = kAllOfAbi1;
  if (abi >= 2) access |= kRefer;
  if (abi >= 3) access |= kTruncate;
  if (abi >= 5) access |= kIoctlDevice;
  if (kSanitized) access &= ~kExecute;
  return access;
}

// Allows `access` to `path` and what is below it; if `path` is no folder, only
// those rights that apply to files. With `known`, only if `path` leads to that
// file. Returns false if no descriptor or no memory was left; errno says which.
bool Allow(int ruleset, const std::string& path, uint64_t access,
           const SandboxPolicy::KnownFile* known = nullptr) {
  const FileDescriptor fd(open(path.c_str(), O_PATH | O_CLOEXEC));
  if (fd.get() < 0) {
    return !IsShortage(errno);
  }
  struct stat st;
  if (fstat(fd.get(), &st) != 0) return true;
  if (known != nullptr &&
      (st.st_dev != known->device || st.st_ino != known->inode)) {
    return true;
  }
  if (!S_ISDIR(st.st_mode)) {
    access &= kWriteFile | kReadFile | kTruncate | kIoctlDevice;
  }
  const PathBeneathAttr rule = {access, fd.get()};
  return syscall(SYS_landlock_add_rule, ruleset, kRulePathBeneath, &rule, 0) ==
             0 ||
         errno != ENOMEM;
}

// Returns 0 or an errno.
int Enter(const SandboxPolicy& policy, int abi) {
  RulesetAttr attr = {HandledAccess(abi), 0, 0};
  size_t size = offsetof(RulesetAttr, handled_access_net);
  if (abi >= 4) {
    size = offsetof(RulesetAttr, scoped);
    if (!policy.may_connect) attr.handled_access_net = kBindAndConnectTcp;
  }
  if (abi >= 6) {
    size = sizeof(attr);
    attr.scoped = kScopeSocketsAndSignals;
  }
  const FileDescriptor ruleset(
      static_cast<int>(syscall(SYS_landlock_create_ruleset, &attr, size, 0)));
  if (ruleset.get() < 0) return errno;
  const uint64_t read = kReadFile | kReadDir;
  const uint64_t write = (kWriteFile | kTruncate) & attr.handled_access_fs;
  const uint64_t manage =
      (kRemoveDir | kRemoveFile | kMakeDir | kMakeReg | kRefer | write) &
      attr.handled_access_fs;
  for (const SandboxPolicy::KnownFile& file : policy.known_files) {
    if (!Allow(ruleset.get(), file.path, read, &file)) return errno;
  }
  const auto allow_all = [&](const std::vector<std::string>& paths,
                             uint64_t access) {
    return std::all_of(paths.begin(), paths.end(),
                       [&](const std::string& path) {
                         return Allow(ruleset.get(), path, access);
                       });
  };
  if (!allow_all(policy.readable, read) ||
      !allow_all(policy.writable_folders, kReadDir | manage) ||
      !allow_all(policy.writable_files, write)) {
    return errno;
  }
  if (kSanitized) Allow(ruleset.get(), "/proc", read);
  return syscall(SYS_landlock_restrict_self, ruleset.get(), 0) == 0 ? 0 : errno;
}

}  // namespace landlock

}  // namespace

SandboxState EnterSandbox(const SandboxPolicy& policy) {
  SandboxState state;
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return state;
  const int abi = landlock::Version();
  if (abi > 0) {
    const int error = landlock::Enter(policy, abi);
    if (error == 0) state.landlock_abi = abi;
    if (IsShortage(error)) state.error = error;
  }
  if (kSanitized) return state;
  errno = 0;
  state.seccomp = InstallSeccompFilter(policy.may_connect);
  if (!state.seccomp && IsShortage(errno)) state.error = errno;
  return state;
}

SandboxState AvailableSandbox() {
  SandboxState state;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return state;
  const FileDescriptor from(ends[0]);
  FileDescriptor to(ends[1]);
  const pid_t child = fork();
  if (child == 0) {
    const SandboxState entered = EnterSandbox({});
    _exit(write(to.get(), &entered, sizeof(entered)) == sizeof(entered) ? 0
                                                                        : 1);
  }
  to = FileDescriptor(-1);
  if (child < 0) return state;
  SandboxState entered;
  if (read(from.get(), &entered, sizeof(entered)) == sizeof(entered)) {
    state = entered;
  }
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return state;
}

bool IsFullyEnforced(const SandboxState& state) {
  return state.landlock_abi > 0 && (state.seccomp || kSanitized);
}

std::string Describe(const SandboxState& state) {
  if (state.landlock_abi == 0 && !state.seccomp) {
    return "none: neither Landlock nor seccomp can be had";
  }
  const std::string landlock =
      state.landlock_abi == 0
          ? "no Landlock"
          : absl::StrCat("Landlock ABI ", state.landlock_abi);
  return absl::StrCat(landlock, state.seccomp ? ", seccomp"
                                : kSanitized  ? ", no seccomp with sanitizers"
                                              : ", no seccomp");
}

}  // namespace perf2x
