// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/sandbox.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <netdb.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include "gtest/gtest.h"
#include "tests/support/temp_folder.h"

namespace perf2x {
namespace {

bool Reads(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  char byte;
  const bool read_one = read(fd, &byte, 1) >= 0;
  close(fd);
  return read_one;
}

bool Makes(const std::string& path) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (fd >= 0) close(fd);
  return fd >= 0;
}

// Each test enters the sandbox in a child and reports by its exit code.
class SandboxTest : public testing::Test {
 protected:
  void SetUp() override {
    const SandboxState available = AvailableSandbox();
    if (available.landlock_abi == 0 || !available.seccomp) {
      GTEST_SKIP() << "the kernel offers: " << Describe(available);
    }
    std::ofstream(in_.path() + "/file") << "bytes";
    std::ofstream(elsewhere_.path() + "/file") << "bytes";
  }

  // Whether `attempt` returns true inside of the sandbox.
  bool Inside(const SandboxPolicy& policy,
              const std::function<bool()>& attempt) {
    const pid_t child = fork();
    if (child == 0) {
      const SandboxState state = EnterSandbox(policy);
      if (state.landlock_abi == 0 || !state.seccomp) _exit(2);
      _exit(attempt() ? 0 : 1);
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
    EXPECT_NE(WEXITSTATUS(status), 2) << "not entered";
    return WEXITSTATUS(status) == 0;
  }
  SandboxPolicy Policy() const {
    SandboxPolicy policy;
    policy.readable = {in_.path(), "/does-not-exist"};
    policy.writable_folders = {out_.path()};
    policy.writable_files = {"/dev/null"};
    return policy;
  }

  TempFolder in_, out_, elsewhere_;
};

TEST_F(SandboxTest, ReadsWhatThePolicyLists) {
  EXPECT_TRUE(Inside(Policy(), [&] { return Reads(in_.path() + "/file"); }));
  EXPECT_FALSE(
      Inside(Policy(), [&] { return Reads(elsewhere_.path() + "/file"); }));
  EXPECT_FALSE(Inside(Policy(), [] { return Reads("/etc/passwd"); }));
  EXPECT_FALSE(Inside(Policy(), [] { return Reads("/proc/self/maps"); }));
}

TEST_F(SandboxTest, FollowsNoLinkOut) {
  ASSERT_EQ(symlink("/etc/passwd", (in_.path() + "/link").c_str()), 0);
  EXPECT_FALSE(Inside(Policy(), [&] { return Reads(in_.path() + "/link"); }));
  EXPECT_FALSE(Inside(Policy(),
                      [&] { return Reads(in_.path() + "/../../etc/passwd"); }));
}

TEST_F(SandboxTest, WritesWhatThePolicyLists) {
  EXPECT_TRUE(Inside(Policy(), [&] {
    return Makes(out_.path() + "/a") &&
           rename((out_.path() + "/a").c_str(), (out_.path() + "/b").c_str()) ==
               0 &&
           mkdir((out_.path() + "/c").c_str(), 0700) == 0 && Makes("/dev/null");
  }));
  EXPECT_FALSE(
      Inside(Policy(), [&] { return Makes(elsewhere_.path() + "/a"); }));
  EXPECT_FALSE(Inside(Policy(), [&] { return Makes(in_.path() + "/file"); }));
  EXPECT_FALSE(Inside(Policy(), [&] {
    return unlink((elsewhere_.path() + "/file").c_str()) == 0;
  }));
  EXPECT_FALSE(Inside(Policy(), [&] {
    return chmod((out_.path() + "/b").c_str(), 0777) == 0;
  }));
  EXPECT_FALSE(Inside(Policy(), [&] {
    return rename((out_.path() + "/b").c_str(),
                  (elsewhere_.path() + "/b").c_str()) == 0;
  }));
}

TEST_F(SandboxTest, NamesAnUnnamedFile) {
  EXPECT_TRUE(Inside(Policy(), [&] {
    const int fd = open(out_.path().c_str(), O_TMPFILE | O_WRONLY, 0600);
    const std::string link = "/proc/self/fd/" + std::to_string(fd);
    return linkat(AT_FDCWD, link.c_str(), AT_FDCWD,
                  (out_.path() + "/named").c_str(), AT_SYMLINK_FOLLOW) == 0;
  }));
}

TEST_F(SandboxTest, StartsThreadsButNoProcess) {
  EXPECT_TRUE(Inside(Policy(), [] {
    bool ran = false;
    std::thread([&] { ran = true; }).join();
    return ran;
  }));
  EXPECT_FALSE(Inside(Policy(), [] {
    const char* const arguments[] = {"true", nullptr};
    execv("/bin/true", const_cast<char* const*>(arguments));
    return errno != EPERM;
  }));
  EXPECT_FALSE(Inside(Policy(), [] {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    return child > 0;
  }));
  EXPECT_FALSE(Inside(Policy(), [] { return vfork() >= 0; }));
}

TEST_F(SandboxTest, ConnectsOnlyWhereItMay) {
  const auto opens_sockets = [] {
    return socket(AF_INET, SOCK_STREAM, 0) >= 0 ||
           socket(AF_UNIX, SOCK_STREAM, 0) >= 0 ||
           socket(AF_NETLINK, SOCK_RAW, 0) >= 0;
  };
  EXPECT_FALSE(Inside(Policy(), opens_sockets));
  SandboxPolicy connecting = Policy();
  connecting.may_connect = true;
  EXPECT_TRUE(Inside(connecting, opens_sockets));
}

TEST_F(SandboxTest, ConnectsAsAClientOnly) {
  SandboxPolicy connecting = Policy();
  connecting.may_connect = true;
  connecting.readable.push_back("/etc");
  constexpr int kVsock = 40;
  const int refused[][2] = {{AF_PACKET, SOCK_RAW},  {AF_PACKET, SOCK_DGRAM},
                            {AF_INET, SOCK_RAW},    {AF_INET6, SOCK_RAW},
                            {AF_NETLINK, SOCK_RAW}, {kVsock, SOCK_STREAM}};
  for (const auto& [domain, type] : refused) {
    EXPECT_TRUE(Inside(connecting, [domain = domain, type = type] {
      return socket(domain, type, 0) < 0 && errno == EPERM;
    })) << domain;
  }
  EXPECT_TRUE(Inside(connecting, [] {
    return socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0) >= 0 ||
           errno == EAFNOSUPPORT;
  }));
  EXPECT_TRUE(Inside(connecting, [] {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    return fd >= 0 &&
           bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) <
               0 &&
           errno == EPERM && listen(fd, 1) < 0 && errno == EPERM;
  }));
  // Names are found as they are outside: a bare system may have no /etc/hosts.
  const auto finds_localhost = [] {
    addrinfo* found = nullptr;
    return getaddrinfo("localhost", "80", nullptr, &found) == 0;
  };
  EXPECT_TRUE(Inside(connecting, finds_localhost) || !finds_localhost());
}

// Calls that came with Linux 6.6 to 6.17: fchmodat2, statmount, listmount,
// setxattrat, removexattrat, open_tree_attr, file_setattr, and what comes next.
TEST_F(SandboxTest, RefusesCallsThatAreNewer) {
  for (const int call : {452, 457, 458, 463, 466, 467, 469, 1000}) {
    EXPECT_TRUE(Inside(Policy(), [&] {
      return syscall(call, 0, 0, 0, 0, 0) < 0 && errno == ENOSYS;
    })) << call;
  }
  EXPECT_TRUE(Inside(Policy(), [&] {
    const std::string file = out_.path() + "/new";
    return Makes(file) && syscall(452, AT_FDCWD, file.c_str(), 0777, 0) < 0 &&
           errno == ENOSYS;
  }));
}

TEST_F(SandboxTest, SharesNothingWithOtherProcesses) {
  const auto is_refused = [&](const std::function<long()>& attempt) {
    return Inside(Policy(), [&] { return attempt() < 0 && errno == EPERM; });
  };
  EXPECT_TRUE(is_refused([] { return shmget(IPC_PRIVATE, 4096, 0600); }));
  EXPECT_TRUE(is_refused([] { return msgget(IPC_PRIVATE, 0600); }));
  EXPECT_TRUE(is_refused([] { return semget(IPC_PRIVATE, 1, 0600); }));
  EXPECT_TRUE(is_refused(
      [] { return syscall(SYS_mq_open, "q", O_CREAT | O_RDWR, 0600, 0); }));
  EXPECT_TRUE(is_refused([] { return syscall(SYS_pidfd_open, getppid(), 0); }));
  EXPECT_TRUE(is_refused([] { return syscall(SYS_memfd_create, "f", 0); }));
  EXPECT_TRUE(is_refused([] { return syscall(SYS_io_setup, 1, nullptr); }));
  EXPECT_TRUE(is_refused([] {
    cpu_set_t all;
    memset(&all, 0xff, sizeof(all));
    return sched_setaffinity(getppid(), sizeof(all), &all);
  }));
  EXPECT_TRUE(is_refused([] {
    const sched_param none = {};
    return sched_setscheduler(getppid(), SCHED_BATCH, &none);
  }));
  // The kernel itself says EINVAL: a thread has the users of its process.
  EXPECT_TRUE(is_refused([] {
    return syscall(SYS_clone,
                   CLONE_THREAD | CLONE_SIGHAND | CLONE_VM | CLONE_NEWUSER, 0,
                   0, 0, 0);
  }));
  EXPECT_TRUE(is_refused([&] {
    int flags = 0;
    return ioctl(open(out_.path().c_str(), O_RDONLY), FS_IOC_SETFLAGS, &flags);
  }));
}

TEST_F(SandboxTest, MakesNoPrograms) {
  const std::string made = out_.path() + "/made";
  const auto makes = [&](int flags, mode_t mode) {
    if (flags != 0) unlink(made.c_str());
    return Inside(Policy(), [&] {
      const std::string& path =
          (flags & O_TMPFILE) == O_TMPFILE ? out_.path() : made;
      return open(path.c_str(), O_WRONLY | flags, mode) >= 0;
    });
  };
  for (const int flags : {O_TMPFILE, O_CREAT | O_EXCL, O_CREAT}) {
    for (const mode_t mode : {04644, 02644, 0744, 0654, 0645}) {
      EXPECT_FALSE(makes(flags, mode)) << flags << " " << mode;
    }
    EXPECT_TRUE(makes(flags, 0666)) << flags;
  }
  // Without O_CREAT the mode is of no account.
  EXPECT_TRUE(makes(0, 04755));
  EXPECT_TRUE(Inside(Policy(), [&] {
    const int fd = open(made.c_str(), O_WRONLY);
    return fchmod(fd, 0750) == 0 && fchmod(fd, 04750) < 0;
  }));
}

// A process may enter Landlock sixteen times.
TEST_F(SandboxTest, IsOnlyWhatCanStillBeHad) {
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    for (int layer = 0; layer < 16; ++layer) {
      const uint64_t execute[] = {1};
      const auto ruleset = static_cast<int>(
          syscall(SYS_landlock_create_ruleset, execute, sizeof(execute), 0));
      syscall(SYS_landlock_restrict_self, ruleset, 0);
      close(ruleset);
    }
    const SandboxState state = AvailableSandbox();
    _exit(Describe(state) == "no Landlock, seccomp" && !IsFullyEnforced(state)
              ? 0
              : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(SandboxTest, LeavesOtherProcessesAlone) {
  EXPECT_FALSE(Inside(Policy(), [] { return kill(getppid(), 0) == 0; }));
  EXPECT_TRUE(Inside(Policy(), [] { return kill(getpid(), 0) == 0; }));
  // Signals that the kernel sends for whoever asked for them.
  for (const int command : {F_SETOWN, F_SETSIG, F_SETOWN_EX}) {
    EXPECT_FALSE(Inside(Policy(), [command] {
      f_owner_ex owner = {F_OWNER_PID, getppid()};
      if (command == F_SETSIG) {
        return fcntl(STDIN_FILENO, command, SIGUSR1) == 0;
      }
      return command == F_SETOWN_EX
                 ? fcntl(STDIN_FILENO, command, &owner) == 0
                 : fcntl(STDIN_FILENO, command, getppid()) == 0;
    })) << command;
  }
  EXPECT_TRUE(Inside(Policy(), [] {
    return fcntl(STDIN_FILENO, F_GETFL) >= 0 &&
           fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 10) >= 10;
  }));
  EXPECT_FALSE(Inside(Policy(), [] {
    return ptrace(PTRACE_ATTACH, getppid(), nullptr, nullptr) == 0;
  }));
}

TEST_F(SandboxTest, AllowsToEnlargePipes) {
  EXPECT_TRUE(Inside(Policy(), [] {
    int ends[2];
    return pipe(ends) == 0 && fcntl(ends[0], F_SETPIPE_SZ, 1 << 17) == 1 << 17;
  }));
}

TEST_F(SandboxTest, WritesNoCoreFile) {
  EXPECT_TRUE(Inside(Policy(), [] {
    rlimit limit;
    return getrlimit(RLIMIT_CORE, &limit) == 0 && limit.rlim_cur == 0 &&
           limit.rlim_max == 0;
  }));
}

}  // namespace
}  // namespace perf2x
