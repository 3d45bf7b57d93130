// SPDX-License-Identifier: Apache-2.0

// The perf map of a process that has a pid and a root folder of its own.
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "converter/symbolize/jit/process_namespace.h"
#include "converter/symbolize/symbolize.h"
#include "tests/support/temp_folder.h"

namespace perf2x {
namespace {

namespace fs = std::filesystem;

// The name of generated code of a process.
std::string NameOfCode(int32_t pid, const SymbolizeOptions& options) {
  Dso code;
  code.kind = DsoKind::kAnonymous;
  code.name = "[anon]";
  code.pid = pid;
  const uint64_t address = 0x7f0000001010;
  std::string name;
  MakeSymbolizer(options)->Resolve(
      code, {&address, 1}, [&](size_t, absl::Span<const Symbol> symbols) {
        name = std::string(symbols[0].name);
      });
  return name;
}

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
    auto namespaces = std::make_shared<RecordedProcesses>();
    if (inode.has_value()) namespaces->OnNamespace(child_, child_, *inode);
    SymbolizeOptions options;
    options.binaries.same_host = same_host;
    options.processes = namespaces;
    options.containers = std::make_shared<ContainerProcesses>();
    return NameOfCode(child_, options);
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
  const ContainerProcesses containers;
  const auto file = [&](int32_t pid, std::optional<uint64_t> inode,
                        const char* name) {
    auto opened = SafeFile::Open(containers.FileOf(pid, inode, name));
    return opened.ok() ? containers.PublicPathOf((*opened)->path()) : "";
  };
  EXPECT_EQ(file(child_, st.st_ino, "/tmp/jit-1.dump"),
            absl::StrCat("/proc/", child_, "/root/tmp/jit-1.dump"));
  EXPECT_EQ(file(child_, st.st_ino + 1, "/tmp/jit-1.dump"), "");
  EXPECT_EQ(file(child_, st.st_ino, "/tmp/jit-2.dump"), "");
  // Not of processes that have no namespace of their own.
  EXPECT_EQ(file(getpid(), std::nullopt, "/etc/passwd"), "");
}

TEST_F(NamespaceTest, LinksDoNotLeadOut) {
  std::ofstream(dir_ + "/outside") << "7f0000001000 100 jitted\n";
  fs::create_symlink(dir_ + "/outside", dir_ + "/tmp/perf-1.map");
  EXPECT_EQ(Name(std::nullopt), "");
}

// A recording of a container whose processes are gone: 100 is the shell outside
// of it, 101 the container's first process.
class EndedContainer : public testing::Test {
 protected:
  EndedContainer() {
    processes_->OnNamespace(100, 100, kOutside);
    Begin(101, 101, 100, kInside);
    Begin(102, 102, 101, kInside);
    Begin(102, 103, 102, kInside);  // a thread
    Begin(104, 104, 102, kInside);
  }
  void Begin(int32_t pid, int32_t tid, int32_t parent, uint64_t inode) {
    processes_->OnFork(pid, tid, parent);
    processes_->OnNamespace(pid, tid, inode);
  }
  // The name of code of a process.
  std::string Name(int32_t pid) {
    SymbolizeOptions options;
    options.perf_map_dirs = {folder_.path()};
    options.processes = processes_;
    options.binaries.symfs_of = symfs_of_;
    return NameOfCode(pid, options);
  }
  void WriteMap(const std::string& name, const std::string& function) {
    const std::string path = folder_.path() + "/" + name;
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path) << "7f0000001000 100 " << function << "\n";
  }

  static constexpr uint64_t kOutside = 4026531836, kInside = 4026532001;
  const std::shared_ptr<RecordedProcesses> processes_ =
      std::make_shared<RecordedProcesses>();
  std::map<int32_t, std::string> symfs_of_;
  TempFolder folder_;
};

TEST_F(EndedContainer, ProcessesAreNumberedAsTheKernelDoes) {
  EXPECT_EQ(processes_->OwnPidOf(100), std::nullopt);
  EXPECT_EQ(processes_->OwnPidOf(101), 1);
  EXPECT_EQ(processes_->OwnPidOf(102), 2);
  EXPECT_EQ(processes_->OwnPidOf(104), 4);
  // A container in the container counts there and in the outer one.
  Begin(105, 105, 104, kInside + 1);
  Begin(106, 106, 104, kInside);
  EXPECT_EQ(processes_->OwnPidOf(105), 1);
  EXPECT_EQ(processes_->OwnPidOf(106), 6);
  // exec has another record of the same namespace.
  processes_->OnNamespace(106, 106, kInside);
  EXPECT_EQ(processes_->OwnPidOf(106), 6);
  // Who has not seen the first process start does not know the numbers.
  processes_->OnNamespace(200, 200, kInside + 2);
  Begin(201, 201, 200, kInside + 2);
  EXPECT_EQ(processes_->OwnPidOf(201), std::nullopt);
}

TEST_F(EndedContainer, ProcessesTakeMemory) {
  uint64_t before = processes_->memory();
  for (int32_t pid = 1000; pid < 2000; ++pid) {
    processes_->OnNamespace(pid, pid, kInside + pid);
  }
  EXPECT_GE(processes_->memory(), before + 1000 * (8 + 16 + 24));
  before = processes_->memory();
  for (int32_t pid = 2000; pid < 3000; ++pid) {
    processes_->OnFork(pid, pid, 100);
  }
  EXPECT_GE(processes_->memory(), before + 1000 * 2 * 8);
}

TEST_F(EndedContainer, APidThatIsUsedAgainHasOneOwnNumber) {
  Begin(105, 105, 100, kInside + 1);
  EXPECT_FALSE(processes_->IsUniqueOwnPid(1));
  Begin(106, 106, 105, kInside + 1);
  EXPECT_FALSE(processes_->IsUniqueOwnPid(2));
  Begin(106, 106, 105, kInside + 1);  // now 3
  EXPECT_TRUE(processes_->IsUniqueOwnPid(2));
  EXPECT_TRUE(processes_->IsUniqueOwnPid(3));
  EXPECT_TRUE(processes_->IsUniqueOwnPid(77));
}

TEST_F(EndedContainer, MapsAreFoundByTheProcesssOwnNumber) {
  WriteMap("perf-2.map", "second");
  WriteMap("tmp/perf-4.map", "fourth");
  EXPECT_EQ(Name(102), "second");
  EXPECT_EQ(Name(104), "fourth");
  EXPECT_EQ(Name(101), "");
  EXPECT_EQ(Name(100), "");
  // By the number outside, if there is one.
  WriteMap("perf-102.map", "outside");
  EXPECT_EQ(Name(102), "outside");
}

TEST_F(EndedContainer, TwoContainersNeedARootEach) {
  Begin(301, 301, 100, kInside + 7);
  Begin(302, 302, 301, kInside + 7);
  WriteMap("perf-2.map", "ambiguous");
  EXPECT_EQ(Name(102), "");
  EXPECT_EQ(Name(302), "");
  WriteMap("one/tmp/perf-2.map", "one");
  WriteMap("two/tmp/perf-2.map", "two");
  symfs_of_ = {{101, folder_.path() + "/one"}, {301, folder_.path() + "/two"}};
  EXPECT_EQ(Name(102), "one");
  EXPECT_EQ(Name(302), "two");
}

}  // namespace
}  // namespace perf2x
