#include "converter/cli/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bit>
#include <cstddef>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "converter/base/file_descriptor.h"

namespace perf2x {
namespace {

// What calls are numbered by; 0: not known.
#if defined(__x86_64__) && !defined(__ILP32__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#elif defined(__riscv) && __riscv_xlen == 64
constexpr uint32_t kArchitecture = AUDIT_ARCH_RISCV64;
#elif defined(__s390x__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_S390X;
#else
constexpr uint32_t kArchitecture = 0;
#endif
#ifdef PERF2X_SANITIZED
// The leak checker traces the process, and reports start a program for names.
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
constexpr bool kHasSeccomp = kArchitecture != 0 && !kSanitized;

// The kernel's include/uapi/linux/landlock.h, which is newer than the headers
// of some build machines.
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

// Allows `access` to `path` and what is below it, as far as that makes sense
// for what it is.
void Allow(int ruleset, const std::string& path, uint64_t access) {
  const FileDescriptor fd(open(path.c_str(), O_PATH | O_CLOEXEC));
  struct stat st;
  if (fd.get() < 0 || fstat(fd.get(), &st) != 0) return;
  if (!S_ISDIR(st.st_mode)) {
    access &= kWriteFile | kReadFile | kTruncate | kIoctlDevice;
  }
  const PathBeneathAttr rule = {access, fd.get()};
  syscall(SYS_landlock_add_rule, ruleset, kRulePathBeneath, &rule, 0);
}

bool Enter(const SandboxPolicy& policy, int abi) {
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
  if (ruleset.get() < 0) return false;
  const uint64_t read = kReadFile | kReadDir;
  const uint64_t write = (kWriteFile | kTruncate) & attr.handled_access_fs;
  const uint64_t manage =
      (kRemoveDir | kRemoveFile | kMakeDir | kMakeReg | kRefer | write) &
      attr.handled_access_fs;
  for (const std::string& path : policy.readable) {
    Allow(ruleset.get(), path, read);
  }
  if (kSanitized) Allow(ruleset.get(), "/proc", read);
  for (const std::string& path : policy.writable_folders) {
    Allow(ruleset.get(), path, kReadDir | manage);
  }
  for (const std::string& path : policy.writable_files) {
    Allow(ruleset.get(), path, write);
  }
  return syscall(SYS_landlock_restrict_self, ruleset.get(), 0) == 0;
}

}  // namespace landlock

// A program for the kernel's packet filter that looks at each system call once
// (Documentation/userspace-api/seccomp_filter.rst). Written by hand: libseccomp
// takes longer to build it than perf2x takes to start.
class CallFilter {
 public:
  CallFilter() {
    Load(offsetof(seccomp_data, arch));
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0));
    Return(EPERM);  // calls of another architecture have other numbers
    Load(offsetof(seccomp_data, nr));
#if defined(__x86_64__)
    // Calls of x32, the same ones under other numbers.
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1));
    Return(EPERM);
#endif
  }
  void Refuse(uint32_t call, uint32_t error = EPERM) {
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1));
    Return(error);
  }
  // Refuses the call unless the low half of an argument compares
  // (BPF_JEQ, BPF_JSET) with `value`; with `negate`, if it does.
  void RefuseUnless(uint32_t call, int argument, uint16_t compare,
                    uint32_t value, bool negate = false) {
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 4));
    Load(ArgumentOffset(argument));
    const uint8_t skip = negate ? 0 : 1;
    const uint16_t op = BPF_JMP | BPF_K | compare;
    code_.push_back({op, skip, static_cast<uint8_t>(1 - skip), value});
    Return(EPERM);
    Load(offsetof(seccomp_data, nr));
  }
  bool Enter() {
    code_.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    const sock_fprog program = {static_cast<uint16_t>(code_.size()),
                                code_.data()};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
  }

 private:
  void Load(size_t offset) {
    code_.push_back(
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset)));
  }
  void Return(uint32_t error) {
    code_.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error));
  }
  static size_t ArgumentOffset(int argument) {
    const size_t low_half =
        std::endian::native == std::endian::big ? sizeof(uint32_t) : 0;
    return offsetof(seccomp_data, args) + 8 * static_cast<size_t>(argument) +
           low_half;
  }

  std::vector<sock_filter> code_;
};

// System calls that reading and writing files never needs. Those that not every
// architecture has come last.
constexpr uint32_t kRefusedCalls[] = {
    // Programs and other processes.
    SYS_execve,
    SYS_execveat,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_process_madvise,
    SYS_pidfd_getfd,
    SYS_kcmp,
    SYS_pidfd_send_signal,
    SYS_rt_sigqueueinfo,
    SYS_rt_tgsigqueueinfo,
    SYS_tkill,
    SYS_setpriority,
    SYS_ioprio_set,
    // Other views of the file system, other users.
    SYS_mount,
    SYS_umount2,
    SYS_move_mount,
    SYS_open_tree,
    SYS_fsopen,
    SYS_fsmount,
    SYS_fsconfig,
    SYS_mount_setattr,
    SYS_pivot_root,
    SYS_chroot,
    SYS_unshare,
    SYS_setns,
    SYS_setuid,
    SYS_setgid,
    SYS_setreuid,
    SYS_setregid,
    SYS_setresuid,
    SYS_setresgid,
    SYS_setgroups,
    SYS_setfsuid,
    SYS_setfsgid,
    SYS_capset,
    SYS_open_by_handle_at,
    SYS_mknodat,
    // What Landlock does not cover of files.
    SYS_fchmodat,
    SYS_fchownat,
    SYS_setxattr,
    SYS_lsetxattr,
    SYS_removexattr,
    SYS_lremovexattr,
    SYS_utimensat,
    // The kernel's own.
    SYS_bpf,
    SYS_perf_event_open,
    SYS_io_uring_setup,
    SYS_io_uring_enter,
    SYS_io_uring_register,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_add_key,
    SYS_request_key,
    SYS_keyctl,
    SYS_reboot,
    SYS_swapon,
    SYS_swapoff,
    SYS_syslog,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_adjtimex,
    SYS_clock_adjtime,
    SYS_sethostname,
    SYS_setdomainname,
    SYS_quotactl,
    SYS_acct,
    SYS_fanotify_init,
    SYS_personality,
    SYS_vhangup,
#ifdef SYS_userfaultfd
    SYS_userfaultfd,
#endif
#ifdef SYS_kexec_file_load
    SYS_kexec_file_load,
#endif
#ifdef SYS_fork
    SYS_mknod,
    SYS_chmod,
    SYS_chown,
    SYS_lchown,
    SYS_utime,
    SYS_utimes,
    SYS_futimesat,
#endif
#ifdef SYS_iopl
    SYS_iopl,
    SYS_ioperm,
    SYS_modify_ldt,
#endif
};

constexpr uint32_t kNetworkCalls[] = {
    SYS_socket,     SYS_connect, SYS_bind,    SYS_listen,   SYS_accept,
    SYS_accept4,    SYS_sendto,  SYS_sendmsg, SYS_sendmmsg,
#ifdef SYS_socketcall
    SYS_socketcall,
#endif
};

// Threads may start, processes may not.
void RefuseForks(CallFilter* filter) {
#ifdef SYS_fork
  filter->Refuse(SYS_fork);
  filter->Refuse(SYS_vfork);
#endif
  // clone3 takes its flags by a pointer, which a filter cannot follow. The C
  // library falls back to clone.
  filter->Refuse(SYS_clone3, ENOSYS);
#if defined(__s390x__)
  constexpr int kFlags = 1;
#else
  constexpr int kFlags = 0;
#endif
  filter->RefuseUnless(SYS_clone, kFlags, BPF_JSET, CLONE_THREAD);
}

bool EnterSeccomp(bool may_connect) {
  if (!kHasSeccomp) return false;
  CallFilter filter;
  for (const uint32_t call : kRefusedCalls) filter.Refuse(call);
  if (!may_connect) {
    for (const uint32_t call : kNetworkCalls) filter.Refuse(call);
  }
  RefuseForks(&filter);
  // Signals and limits of its own only.
  const auto self = static_cast<uint32_t>(getpid());
  filter.RefuseUnless(SYS_kill, 0, BPF_JEQ, self);
  filter.RefuseUnless(SYS_tgkill, 0, BPF_JEQ, self);
  filter.RefuseUnless(SYS_prlimit64, 0, BPF_JEQ, 0);
  // Typing into the terminal.
  filter.RefuseUnless(SYS_ioctl, 1, BPF_JEQ, TIOCSTI, /*negate=*/true);
  filter.RefuseUnless(SYS_ioctl, 1, BPF_JEQ, TIOCLINUX, /*negate=*/true);
  return filter.Enter();
}

}  // namespace

SandboxState EnterSandbox(const SandboxPolicy& policy) {
  SandboxState state;
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return state;
  const int abi = landlock::Version();
  if (abi > 0 && landlock::Enter(policy, abi)) state.landlock_abi = abi;
  state.seccomp = EnterSeccomp(policy.may_connect);
  return state;
}

SandboxState AvailableSandbox() {
  return {landlock::Version(),
          kHasSeccomp && prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0};
}

bool IsWhole(const SandboxState& state) {
  return state.landlock_abi > 0 && (state.seccomp || kSanitized);
}

std::string Describe(const SandboxState& state) {
  if (state.landlock_abi == 0 && !state.seccomp) {
    return "none: there is neither Landlock nor seccomp";
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
