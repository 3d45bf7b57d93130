// SPDX-License-Identifier: Apache-2.0

// Which files are opened, by whatever name: those that are storage.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "converter/symbolize/find/safe_file.h"
#include "converter/symbolize/jit/perf_map.h"
#include "tests/support/temp_folder.h"

namespace perf2x {
namespace {

namespace fs = std::filesystem;

class OpeningTest : public testing::Test {
 protected:
  std::string Write(const std::string& name, const std::string& text) {
    fs::create_directories(fs::path(dir_ + "/" + name).parent_path());
    std::ofstream(dir_ + "/" + name, std::ios::binary) << text;
    return dir_ + "/" + name;
  }
  std::string Link(const std::string& to, const std::string& name) {
    fs::create_symlink(to, dir_ + "/" + name);
    return dir_ + "/" + name;
  }
  static std::string Text(const FilePlace& place) {
    auto file = SafeFile::Open(place);
    return file.ok() ? std::string((*file)->text())
                     : std::string(file.status().message());
  }

  TempFolder folder_;
  const std::string dir_ = folder_.path();
};

TEST_F(OpeningTest, FilesThatTheKernelMakesUpAreRefusedByAnyName) {
  int links = 0;
  for (const std::string& file :
       {std::string("/proc/self/status"), std::string("/proc/kallsyms"),
        std::string("/sys/kernel/notes"),
        std::string("/sys/kernel/uevent_seqnum"),
        std::string("/sys/fs/cgroup/cgroup.procs"), std::string("/dev/zero")}) {
    if (!fs::exists(file)) continue;
    const std::string link = Link(file, absl::StrCat("link", links++));
    for (const std::string& name :
         {file, "/." + file, "/tmp/.." + file, "/" + file, link}) {
      auto opened = SafeFile::Open(name);
      EXPECT_EQ(opened.status().message(), name + ": not a regular file");
    }
    EXPECT_FALSE(SafeFile::Open({"/", file}).ok()) << file;
  }
  // A folder on the way is as good.
  Link("/proc", "folder");
  EXPECT_FALSE(SafeFile::Open(dir_ + "/folder/version").ok());
}

TEST_F(OpeningTest, NamesAreComparedWithoutDots) {
  for (const char* name :
       {"/./sys/kernel/notes", "/tmp/../sys/kernel/notes", "/./proc/kmsg",
        "/usr/./../proc/kmsg", "/../dev/mem", "/proc", "/sys/", "/dev/.",
        "//dev/mem", "relative", "/", "", "/.."}) {
    EXPECT_FALSE(MayOpenByName(name)) << name;
  }
  for (const char* name : {"/usr/bin/perf", "/process/x", "/a/proc/x",
                           "/sysroot/lib/x", "/proc/../usr/bin/perf"}) {
    EXPECT_TRUE(MayOpenByName(name)) << name;
  }
}

TEST_F(OpeningTest, AFifoIsNotWaitedFor) {
  const std::string fifo = dir_ + "/fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_FALSE(SafeFile::Open(fifo).ok());
  EXPECT_FALSE(SafeFile::Open({dir_, "fifo"}).ok());
  EXPECT_FALSE(SafeFile::Open(Link(fifo, "link")).ok());
}

TEST_F(OpeningTest, NothingOutsideOfARootIsFound) {
  Write("root/usr/lib/file", "inside");
  const std::string outside = Write("outside", "outside");
  Link("/usr/lib", "root/lib");
  Link("../../../outside", "root/usr/up");
  Link(outside, "root/usr/absolute");
  EXPECT_EQ(Text({dir_ + "/root", "/lib/file"}), "inside");
  EXPECT_EQ(Text({dir_ + "/root", "../../lib/./file"}), "inside");
  EXPECT_EQ((*SafeFile::Open({dir_ + "/root", "/lib/file"}))->path(),
            dir_ + "/root/usr/lib/file");
  for (const char* name :
       {"/usr/up", "/usr/absolute", "/../outside", "", "/"}) {
    EXPECT_TRUE(absl::EndsWith(Text({dir_ + "/root", name}), ": not there"))
        << name;
  }
}

// Root may search any folder, so the test is another user meanwhile.
TEST_F(OpeningTest, AFolderThatMayNotBeSearchedIsPermissionDenied) {
  Write("root/locked/file", "text");
  ASSERT_EQ(chmod(dir_.c_str(), 0755), 0);
  ASSERT_EQ(chmod((dir_ + "/root/locked").c_str(), 0), 0);
  const uid_t user = geteuid();
  constexpr uid_t kNobody = 65534;
  ASSERT_TRUE(user != 0 || seteuid(kNobody) == 0);
  const auto below = SafeFile::Open({dir_ + "/root", "/locked/file"});
  const auto whole = SafeFile::Open(dir_ + "/root/locked/file");
  ASSERT_TRUE(user != 0 || seteuid(user) == 0);
  ASSERT_EQ(chmod((dir_ + "/root/locked").c_str(), 0755), 0);
  EXPECT_TRUE(absl::IsPermissionDenied(below.status())) << below.status();
  EXPECT_TRUE(absl::IsPermissionDenied(whole.status())) << whole.status();
}

// Who may write to a root swaps a folder of it for a link out of it, over and
// over.
TEST_F(OpeningTest, AFolderThatBecomesALinkLeadsNowhere) {
  Write("root/a/file", "inside");
  Write("outside/file", "outside");
  Link("../outside", "root/link");
  const std::string a = dir_ + "/root/a", b = dir_ + "/root/b";
  std::atomic<bool> done = false;
  std::thread swap([&] {
    while (!done) {
      (void)rename(a.c_str(), b.c_str());
      (void)rename((dir_ + "/root/link").c_str(), a.c_str());
      (void)rename(a.c_str(), (dir_ + "/root/link").c_str());
      (void)rename(b.c_str(), a.c_str());
    }
  });
  for (int i = 0; i < 20'000; ++i) {
    auto file = SafeFile::Open({dir_ + "/root", "/a/file"});
    if (file.ok()) {
      ASSERT_EQ((*file)->text(), "inside");
    }
  }
  done = true;
  swap.join();
}

TEST_F(OpeningTest, APerfMapThatOthersMayHaveWrittenIsNotUsed) {
  const std::string map = Write("perf-1.map", "1000 10 function\n");
  EXPECT_TRUE(PerfMap::Open(map).ok());
  ASSERT_EQ(chmod(map.c_str(), 0666), 0);
  EXPECT_EQ(PerfMap::Open(map).status().message(),
            map + ": everyone may write to it");
  ASSERT_EQ(chmod(map.c_str(), 0644), 0);
  if (geteuid() == 0) {
    ASSERT_EQ(chown(map.c_str(), 65534, 65534), 0);
    EXPECT_EQ(PerfMap::Open(map).status().message(),
              map + ": belongs to another user");
  }
}

}  // namespace
}  // namespace perf2x
