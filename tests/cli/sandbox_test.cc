#include "converter/cli/sandbox.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
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

TEST_F(SandboxTest, LeavesOtherProcessesAlone) {
  EXPECT_FALSE(Inside(Policy(), [] { return kill(getppid(), 0) == 0; }));
  EXPECT_TRUE(Inside(Policy(), [] { return kill(getpid(), 0) == 0; }));
  EXPECT_FALSE(Inside(Policy(), [] {
    return ptrace(PTRACE_ATTACH, getppid(), nullptr, nullptr) == 0;
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
