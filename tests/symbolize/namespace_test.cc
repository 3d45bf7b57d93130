// The perf map of a process that has a pid and a root folder of its own.
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "converter/symbolize/process_namespace.h"
#include "converter/symbolize/symbolize.h"
#include "tests/support/temp_folder.h"

namespace perf2x {
namespace {

namespace fs = std::filesystem;

class NamespaceTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directory(dir_ + "/tmp");
    int ready[2];
    ASSERT_EQ(pipe(ready), 0);
    const int flags = CLONE_NEWPID | (geteuid() == 0 ? 0 : CLONE_NEWUSER);
    parent_ = fork();
    if (parent_ == 0) {
      // Who unshares stays where it is; its child is the first of the
      // namespace.
      if (unshare(flags) != 0) _exit(1);
      const pid_t child = fork();
      if (child == 0) {
        if (chroot(dir_.c_str()) != 0 || chdir("/") != 0) _exit(1);
        pause();
        _exit(0);
      }
      if (write(ready[1], &child, sizeof(child)) != sizeof(child)) _exit(1);
      waitpid(child, nullptr, 0);
      _exit(0);
    }
    close(ready[1]);
    if (read(ready[0], &child_, sizeof(child_)) != sizeof(child_)) child_ = 0;
    close(ready[0]);
    if (child_ <= 0) GTEST_SKIP() << "no pid namespaces to be had";
    // Until the child has changed its root.
    for (int i = 0; i < 1000; ++i) {
      std::error_code error;
      if (fs::read_symlink(absl::StrCat("/proc/", child_, "/root"), error) ==
          fs::canonical(dir_)) {
        break;
      }
      usleep(1000);
    }
  }
  void TearDown() override {
    if (child_ > 0) kill(child_, SIGKILL);
    if (parent_ > 0) waitpid(parent_, nullptr, 0);
  }

  // The name of code of the child.
  std::string Name(std::optional<uint64_t> inode, bool same_host = true) {
    auto namespaces = std::make_shared<PidNamespaces>();
    if (inode.has_value()) namespaces->Set(child_, *inode);
    SymbolizeOptions options;
    options.binaries.same_host = same_host;
    options.pid_namespaces = namespaces;
    CodeFile code;
    code.kind = CodeKind::kAnonymous;
    code.name = "[anon]";
    code.pid = child_;
    const uint64_t address = 0x7f0000001010;
    std::string name;
    MakeSymbolizer(options)->Resolve(
        code, {&address, 1}, [&](size_t, absl::Span<const Symbol> symbols) {
          name = std::string(symbols[0].name);
        });
    return name;
  }

  TempFolder folder_;
  const std::string dir_ = folder_.path();
  pid_t parent_ = 0, child_ = 0;
};

TEST_F(NamespaceTest, MapsAreFoundByTheProcesssOwnNumber) {
  std::ofstream(dir_ + "/tmp/perf-1.map") << "7f0000001000 100 jitted\n";
  EXPECT_EQ(Name(std::nullopt), "jitted");
  EXPECT_EQ(Name(std::nullopt, /*same_host=*/false), "");
  // Only in the namespace that the recording tells of.
  struct stat st;
  ASSERT_EQ(stat(absl::StrCat("/proc/", child_, "/ns/pid").c_str(), &st), 0);
  EXPECT_EQ(Name(st.st_ino), "jitted");
  EXPECT_EQ(Name(st.st_ino + 1), "");
}

TEST_F(NamespaceTest, OtherFilesAreFoundByTheProcesssOwnName) {
  std::ofstream(dir_ + "/tmp/jit-1.dump") << "JiTD";
  struct stat st;
  ASSERT_EQ(stat(absl::StrCat("/proc/", child_, "/ns/pid").c_str(), &st), 0);
  EXPECT_EQ(FileInNamespace(child_, st.st_ino, "/tmp/jit-1.dump"),
            absl::StrCat("/proc/", child_, "/root/tmp/jit-1.dump"));
  EXPECT_EQ(FileInNamespace(child_, st.st_ino + 1, "/tmp/jit-1.dump"), "");
  EXPECT_EQ(FileInNamespace(child_, st.st_ino, "/tmp/jit-2.dump"), "");
  // Not of processes that have no namespace of their own.
  EXPECT_EQ(FileInNamespace(getpid(), std::nullopt, "/etc/passwd"), "");
}

TEST_F(NamespaceTest, LinksDoNotLeadOut) {
  std::ofstream(dir_ + "/outside") << "7f0000001000 100 jitted\n";
  fs::create_symlink(dir_ + "/outside", dir_ + "/tmp/perf-1.map");
  EXPECT_EQ(Name(std::nullopt), "");
}

}  // namespace
}  // namespace perf2x
