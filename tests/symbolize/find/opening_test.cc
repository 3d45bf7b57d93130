// SPDX-License-Identifier: Apache-2.0

// Which files are opened, by whatever name: those that are storage.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "converter/symbolize/find/safe_file.h"
#include "converter/symbolize/find/unpack.h"
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

TEST_F(OpeningTest, HolesRaiseNoLimits) {
  const std::string path = Write("file", "some bytes");
  ASSERT_EQ(truncate(path.c_str(), 1 << 20), 0);
  auto file = SafeFile::Open(path);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ((*file)->bytes().size(), size_t{1} << 20);
  EXPECT_LE((*file)->size_on_disk(), uint64_t{64} << 10);
  // Nor may a few bytes stand for gigabytes to look through.
  ASSERT_EQ(truncate(path.c_str(), off_t{1} << 40), 0);
  for (const FilePlace& place : {FilePlace(path), FilePlace(dir_, "file")}) {
    EXPECT_TRUE(absl::StrContains(Text(place), "bytes are holes but for "))
        << Text(place);
    EXPECT_TRUE(absl::IsResourceExhausted(SafeFile::Open(place).status()));
  }
  EXPECT_FALSE(PerfMap::Open(path).ok());
}

// Members of a packed archive share its budget: thousands of them that are
// alike take no room in it.
TEST_F(OpeningTest, PartsOfAPackedFileShareItsBudget) {
  constexpr size_t kSize = 4 << 20, kPart = 4 << 10;
  for (const size_t packed : {size_t{400}, size_t{1} << 20, kSize}) {
    const auto whole =
        SafeFile::FromMemory("tar", std::string(kSize, '\0'), packed);
    uint64_t memory = 0, work = 0, size = 0;
    for (size_t at = 0; at < kSize; at += kPart) {
      const auto part = SafeFile::PartOf(whole, "part", at, kPart);
      memory += part->budget().Limit(Budget::kMemory);
      work += part->budget().Limit(Budget::kWork);
      size += part->size_on_disk();
    }
    if (packed < kSize) {
      EXPECT_LE(memory, whole->budget().Limit(Budget::kMemory));
      EXPECT_LE(work, whole->budget().Limit(Budget::kWork));
      EXPECT_GT(work, whole->budget().Limit(Budget::kWork) / 2);
    } else {  // each part has the bytes on disk that a file of its own had
      EXPECT_EQ(memory, kSize * Budget::kSymbolFileRules[0].per_byte);
    }
    EXPECT_LE(size, packed);
  }
}

// A member that is packed itself has no new budget.
TEST_F(OpeningTest, PartsThatAreUnpackedKeepTheirShare) {
  const auto whole =
      SafeFile::FromMemory("tar", std::string(1 << 20, '\0'), 400);
  const auto part = SafeFile::PartOf(whole, "part", 0, 4096);
  part->budget().Spend(Budget::kWork, 100);
  const auto unpacked =
      SafeFile::Unpacked(*part, "part", std::string(1 << 20, '\0'), 4096);
  for (const auto resource : {Budget::kMemory, Budget::kWork}) {
    EXPECT_EQ(unpacked->budget().Limit(resource),
              part->budget().left(resource));
  }
  EXPECT_LT(unpacked->budget().Limit(Budget::kWork), 2000u);
  // Other packed files have a budget for their size.
  EXPECT_GE(
      SafeFile::Unpacked(*whole, "tar", "", 400)->budget().Limit(Budget::kWork),
      uint64_t{1} << 18);
}

// A hole behind packed bytes does not pay for what they unpack to.
TEST_F(OpeningTest, HolesOfPackedFilesDoNotCount) {
  const std::string zeros(80'000'000, '\0');
  std::string packed(ZSTD_compressBound(zeros.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), zeros.data(),
                              zeros.size(), 1));
  const std::string path = Write("file", packed);
  ASSERT_EQ(truncate(path.c_str(), 4 << 20), 0);
  auto file = SafeFile::Open(path);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_TRUE(absl::IsDataLoss(UnpackIfPacked(*std::move(file)).status()));
}

// A file that cannot be opened now may be there.
TEST_F(OpeningTest, OnlyMissingFilesAreNotFound) {
  const std::string path = Write("file", "some bytes");
  struct rlimit before, none;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  none = before;
  none.rlim_cur = 0;
  for (const FilePlace& place : {FilePlace(path), FilePlace(dir_, "file")}) {
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
    const absl::Status status = SafeFile::Open(place).status();
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
    EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  }
  for (const char* name : {"missing", "file/below"}) {
    EXPECT_TRUE(absl::IsNotFound(SafeFile::Open({dir_, name}).status()));
    EXPECT_TRUE(absl::IsNotFound(
        SafeFile::Open(absl::StrCat(dir_, "/", name)).status()));
  }
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
