// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/seccomp_filter.h"

#include <asm/ioctls.h>
#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <utility>
#include <vector>

#include "absl/types/span.h"

namespace perf2x {
namespace {

// The architecture, which determines the numbers of system calls; 0: not known.
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

// The newest call that was considered for the lists below:
// set_mempolicy_home_node of Linux 5.17. All architectures number calls alike
// from 424 on.
constexpr uint32_t kLastCall = 450;

sock_filter Load(size_t offset) {
  return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset));
}
sock_filter LoadArgument(int argument) {
  const size_t low_half =
      std::endian::native == std::endian::big ? sizeof(uint32_t) : 0;
  return Load(offsetof(seccomp_data, args) + 8 * static_cast<size_t>(argument) +
              low_half);
}
// A jump over `yes` instructions if `test` (BPF_JEQ etc.) holds, else over
// `no`.
sock_filter Jump(int test, uint32_t value, size_t yes, size_t no) {
  return BPF_JUMP(static_cast<uint16_t>(BPF_JMP | test | BPF_K), value,
                  static_cast<uint8_t>(yes), static_cast<uint8_t>(no));
}
sock_filter Return(uint32_t error) {
  return BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error);
}
constexpr sock_filter kAllow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);

// A seccomp filter: a program in classic BPF that the kernel runs for each
// system call (Documentation/userspace-api/seccomp_filter.rst). Written by
// hand: libseccomp takes longer to build it than perf2x takes to start. The
// program finds the rules of a call by binary search, because the kernel runs
// it for every call that there is when it is installed.
class SeccompFilter {
 public:
  void Refuse(uint32_t call, uint32_t error = EPERM) {
    rules_[call].push_back(Return(error));
  }
  // Refuses the call unless the low half of an argument, masked with `mask`, is
  // one of `values`.
  void RefuseUnless(uint32_t call, int argument,
                    std::initializer_list<uint32_t> values,
                    uint32_t mask = ~0u) {
    std::vector<sock_filter>& rule = rules_[call];
    rule.push_back(LoadArgument(argument));
    rule.push_back(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask));
    size_t left = values.size();
    for (const uint32_t value : values) {
      rule.push_back(Jump(BPF_JEQ, value, left--, 0));
    }
    rule.push_back(Return(EPERM));
  }
  // Refuses the call if the low half of an argument has one of `bits` set.
  void RefuseBits(uint32_t call, int argument, uint32_t bits) {
    const sock_filter rule[] = {LoadArgument(argument),
                                Jump(BPF_JSET, bits, 0, 1), Return(EPERM)};
    Append(rule, &rules_[call]);
  }
  // Refuses the call if it makes a file (its flags have one of `making` set)
  // whose mode has one of `bits` set. `mode` is the index of the argument with
  // the mode; the flags are the argument before it.
  void RefuseModes(uint32_t call, int mode, uint32_t making, uint32_t bits) {
    const sock_filter rule[] = {
        LoadArgument(mode - 1), Jump(BPF_JSET, making, 0, 3),
        LoadArgument(mode), Jump(BPF_JSET, bits, 0, 1), Return(EPERM)};
    Append(rule, &rules_[call]);
  }

  std::vector<sock_filter> Program() const {
    std::vector<sock_filter> out = {
        Load(offsetof(seccomp_data, arch)),
        Jump(BPF_JEQ, kArchitecture, 1, 0),
        // Calls of another architecture have other numbers.
        Return(EPERM),
        Load(offsetof(seccomp_data, nr)),
        // On x86-64 this includes the calls of x32, which are the same calls
        // under higher numbers.
        Jump(BPF_JGT, kLastCall, 0, 1),
        Return(ENOSYS),
    };
    const std::vector<Rule> rules(rules_.begin(), rules_.end());
    Append(Search(rules), &out);
    return out;
  }

 private:
  // A call, and instructions that refuse it or end behind their last one.
  using Rule = std::pair<uint32_t, std::vector<sock_filter>>;

  static void Append(absl::Span<const sock_filter> code,
                     std::vector<sock_filter>* to) {
    to->insert(to->end(), code.begin(), code.end());
  }
  // Returns code for the rules, which are in the order of their calls. It
  // allows all other calls.
  static std::vector<sock_filter> Search(absl::Span<const Rule> rules) {
    constexpr size_t kInSequence = 8;
    std::vector<sock_filter> out;
    if (rules.size() <= kInSequence) {
      for (const auto& [call, code] : rules) {
        const bool always = code.size() == 1;
        out.push_back(Jump(BPF_JEQ, call, 0, code.size() + (always ? 0 : 1)));
        Append(code, &out);
        if (!always) out.push_back(kAllow);
      }
      out.push_back(kAllow);
      return out;
    }
    const size_t middle = rules.size() / 2;
    const std::vector<sock_filter> lower = Search(rules.subspan(0, middle));
    out.push_back(Jump(BPF_JGE, rules[middle].first, 0, 1));
    out.push_back(
        BPF_STMT(BPF_JMP | BPF_JA, static_cast<uint32_t>(lower.size())));
    Append(lower, &out);
    Append(Search(rules.subspan(middle)), &out);
    return out;
  }

  std::map<uint32_t, std::vector<sock_filter>> rules_;
};

// System calls that reading and writing files never needs. The last ones are
// those that some architectures, or the kernel headers of some build machines,
// lack.
constexpr uint32_t kRefusedCalls[] = {
    // Programs and other processes.
    SYS_execve,
    SYS_execveat,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_process_madvise,
    SYS_pidfd_open,
    SYS_pidfd_getfd,
    SYS_pidfd_send_signal,
    SYS_kcmp,
    SYS_rt_sigqueueinfo,
    SYS_rt_tgsigqueueinfo,
    SYS_tkill,
    SYS_setpgid,
    SYS_setsid,
    SYS_migrate_pages,
    SYS_move_pages,
    SYS_get_robust_list,
    // The scheduling of processes.
    SYS_setpriority,
    SYS_ioprio_set,
    SYS_sched_setparam,
    SYS_sched_setscheduler,
    SYS_sched_setattr,
    SYS_sched_setaffinity,
    // Memory, semaphores and messages that processes share.
    SYS_shmget,
    SYS_shmat,
    SYS_shmctl,
    SYS_shmdt,
    SYS_semget,
    SYS_semctl,
    SYS_msgget,
    SYS_msgctl,
    SYS_msgsnd,
    SYS_msgrcv,
    SYS_mq_open,
    SYS_mq_unlink,
    SYS_mq_timedsend,
    SYS_mq_timedreceive,
    SYS_mq_notify,
    SYS_mq_getsetattr,
    // Other views of the file system, other users.
    SYS_mount,
    SYS_umount2,
    SYS_move_mount,
    SYS_open_tree,
    SYS_fsopen,
    SYS_fspick,
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
    SYS_name_to_handle_at,
    SYS_open_by_handle_at,
    SYS_lookup_dcookie,
    // Operations on files that Landlock does not cover.
    SYS_mknodat,
    SYS_symlinkat,
    SYS_truncate,
    SYS_fchmodat,
    SYS_fchownat,
    SYS_fchown,
    SYS_setxattr,
    SYS_lsetxattr,
    SYS_fsetxattr,
    SYS_removexattr,
    SYS_lremovexattr,
    SYS_fremovexattr,
    SYS_utimensat,
    SYS_sync,
    SYS_inotify_init1,
    SYS_inotify_add_watch,
    SYS_fanotify_init,
    SYS_fanotify_mark,
    // Facilities and administration of the kernel.
    SYS_bpf,
    SYS_perf_event_open,
    SYS_io_setup,
    SYS_io_submit,
    SYS_io_cancel,
    SYS_io_destroy,
    SYS_io_getevents,
    SYS_io_uring_setup,
    SYS_io_uring_enter,
    SYS_io_uring_register,
    SYS_memfd_create,
    SYS_remap_file_pages,
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
    SYS_nfsservctl,
    SYS_personality,
    SYS_vhangup,
#ifdef SYS_semop
    SYS_semop,
#endif
#ifdef SYS_semtimedop
    SYS_semtimedop,
#endif
#ifdef SYS_ipc
    SYS_ipc,
#endif
#ifdef SYS_quotactl_fd
    SYS_quotactl_fd,
#endif
#ifdef SYS_process_mrelease
    SYS_process_mrelease,
#endif
#ifdef SYS_memfd_secret
    SYS_memfd_secret,
#endif
#ifdef SYS_userfaultfd
    SYS_userfaultfd,
#endif
#ifdef SYS_kexec_file_load
    SYS_kexec_file_load,
#endif
#ifdef SYS_fork
    SYS_mknod,
    SYS_symlink,
    SYS_chmod,
    SYS_chown,
    SYS_lchown,
    SYS_utime,
    SYS_utimes,
    SYS_futimesat,
    SYS_inotify_init,
    SYS_uselib,
    SYS_ustat,
    SYS_sysfs,
#endif
#ifdef SYS_iopl
    SYS_iopl,
    SYS_ioperm,
    SYS_modify_ldt,
#endif
};

// The calls of servers. Even debuginfod's client does not need them.
constexpr uint32_t kServerCalls[] = {
    SYS_bind,
    SYS_listen,
    SYS_accept4,
#ifdef SYS_accept
    SYS_accept,
#endif
};
constexpr uint32_t kNetworkCalls[] = {
    SYS_socket,      SYS_socketpair,  SYS_connect,    SYS_sendto,
    SYS_sendmsg,     SYS_sendmmsg,    SYS_recvfrom,   SYS_recvmsg,
    SYS_recvmmsg,    SYS_shutdown,    SYS_setsockopt, SYS_getsockopt,
    SYS_getsockname, SYS_getpeername,
};

void RefuseNetwork(bool may_connect, SeccompFilter* filter) {
#ifdef SYS_socketcall
  filter->Refuse(SYS_socketcall);  // takes its arguments by a pointer
#endif
  for (const uint32_t call : kServerCalls) filter->Refuse(call);
  if (!may_connect) {
    for (const uint32_t call : kNetworkCalls) filter->Refuse(call);
    return;
  }
  constexpr uint32_t kType = 0xf;  // the other bits are flags
  for (const uint32_t call : {SYS_socket, SYS_socketpair}) {
    // Refuses AF_NETLINK, without which getaddrinfo asks for addresses of both
    // versions (IPv4 and IPv6).
    filter->RefuseUnless(call, 0, {AF_UNIX, AF_INET, AF_INET6});
    filter->RefuseUnless(call, 1, {SOCK_STREAM, SOCK_DGRAM}, kType);
  }
}

// Allows new threads, but no processes and no threads in other namespaces.
void RefuseForks(SeccompFilter* filter) {
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
  filter->RefuseUnless(SYS_clone, kFlags, {CLONE_THREAD}, CLONE_THREAD);
  filter->RefuseBits(SYS_clone, kFlags,
                     CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS |
                         CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |
                         CLONE_NEWNET);
}

// Refuses to make files with set-id or execute bits, and to set the set-id bits
// of a file later.
void RefuseModes(SeccompFilter* filter) {
  constexpr uint32_t kSetId = S_ISUID | S_ISGID;
  constexpr uint32_t kBits = kSetId | S_IXUSR | S_IXGRP | S_IXOTH;
  constexpr uint32_t kMaking = O_CREAT | (O_TMPFILE & ~O_DIRECTORY);
  filter->RefuseModes(SYS_openat, 3, kMaking, kBits);
#ifdef SYS_open
  filter->RefuseModes(SYS_open, 2, kMaking, kBits);
  filter->RefuseBits(SYS_creat, 1, kBits);
#endif
  filter->Refuse(SYS_openat2, ENOSYS);  // takes flags and mode by a pointer
  filter->RefuseBits(SYS_fchmod, 1, kSetId);
}

}  // namespace

std::vector<sock_filter> SeccompProgram(bool may_connect) {
  SeccompFilter filter;
  for (const uint32_t call : kRefusedCalls) filter.Refuse(call);
  RefuseNetwork(may_connect, &filter);
  RefuseForks(&filter);
  RefuseModes(&filter);
  // Allows signals to, and limits of, this process only.
  const auto self = static_cast<uint32_t>(getpid());
  filter.RefuseUnless(SYS_kill, 0, {self});
  filter.RefuseUnless(SYS_tgkill, 0, {self});
  filter.RefuseUnless(SYS_prlimit64, 0, {0});
  // Refuses F_SETOWN and F_SETSIG, which make the kernel send signals to
  // others. Inputs that are pipes are made larger (F_SETPIPE_SZ).
  filter.RefuseUnless(SYS_fcntl, 1,
                      {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL,
                       F_SETFL, F_GETLK, F_SETLK, F_SETLKW, F_SETPIPE_SZ});
  // Allows queries about terminals and files, and what sockets need. Refuses,
  // for example, typing into the terminal and freezing a file system.
  filter.RefuseUnless(SYS_ioctl, 1,
                      {TCGETS, TCGETS2, TIOCGWINSZ, TIOCGPGRP, FIONREAD,
                       FIONBIO, static_cast<uint32_t>(FS_IOC_GETVERSION)});
  return filter.Program();
}

bool InstallSeccompFilter(bool may_connect) {
  if (kArchitecture == 0) return false;
  std::vector<sock_filter> code = SeccompProgram(may_connect);
  const sock_fprog program = {static_cast<uint16_t>(code.size()), code.data()};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

}  // namespace perf2x
