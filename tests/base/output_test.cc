// SPDX-License-Identifier: Apache-2.0
#include "converter/base/output.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "converter/base/output_target.h"
#include "tests/support/temp_folder.h"

namespace perf2x {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string Content(const fs::path& path) {
  std::ostringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

class OutputTest : public ::testing::Test {
 protected:
  size_t Files() const {
    return std::distance(fs::directory_iterator(folder_), {});
  }
  TempFolder temp_;
  const fs::path folder_ = temp_.path();
};

TEST_F(OutputTest, NewFileAppearsOnClose) {
  const fs::path path = folder_ / "new";
  auto out = OpenOutput(path);
  ASSERT_TRUE(out.ok());
  ASSERT_TRUE((*out)->Write("he").ok());
  ASSERT_TRUE((*out)->Write("llo").ok());
  EXPECT_FALSE(fs::exists(path));
  ASSERT_TRUE((*out)->Close().ok());
  out->reset();
  EXPECT_EQ(Content(path), "hello");
  EXPECT_EQ(Files(), 1);
}

TEST_F(OutputTest, TheLongestName) {
  const fs::path path = folder_ / std::string(NAME_MAX, 'n');
  auto out = OpenOutput(path);
  ASSERT_TRUE(out.ok());
  ASSERT_TRUE((*out)->Write("hello").ok());
  ASSERT_TRUE((*out)->Close().ok());
  EXPECT_EQ(Content(path), "hello");
}

TEST_F(OutputTest, WithoutCloseNothingIsLeft) {
  const fs::path path = folder_ / "old";
  std::ofstream(path) << "before";
  auto out = OpenOutput(path);
  ASSERT_TRUE(out.ok());
  ASSERT_TRUE((*out)->Write(std::string(200'000, 'x')).ok());
  out->reset();
  EXPECT_EQ(Content(path), "before");
  EXPECT_EQ(Files(), 1);
}

TEST_F(OutputTest, AStagedFileAppearsOnPublish) {
  const fs::path path = folder_ / "old";
  std::ofstream(path) << "before";
  const auto target = OutputTarget::Resolve(path);
  ASSERT_TRUE(target.ok());
  for (const bool publishes : {false, true}) {
    auto out = OpenStagedOutput(*target);
    ASSERT_TRUE(out.ok());
    ASSERT_TRUE((*out)->Write("after").ok());
    ASSERT_TRUE((*out)->Close().ok());
    EXPECT_EQ(Content(path), "before");
    if (publishes) {
      ASSERT_TRUE((*out)->Prepare().ok());
      EXPECT_EQ(Content(path), "before");
      ASSERT_TRUE((*out)->Publish().ok());
    }
    out->reset();
    EXPECT_EQ(Content(path), publishes ? "after" : "before");
    EXPECT_EQ(Files(), 1);
  }
}

TEST_F(OutputTest, KeepsPermissions) {
  const fs::path path = folder_ / "old";
  std::ofstream(path) << "before";
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  auto out = OpenOutput(path);
  ASSERT_TRUE(out.ok());
  ASSERT_TRUE((*out)->Write("after").ok());
  ASSERT_TRUE((*out)->Close().ok());
  EXPECT_EQ(Content(path), "after");
  EXPECT_EQ(fs::status(path).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(OutputTest, FollowsALink) {
  std::ofstream(folder_ / "target") << "before";
  fs::create_symlink("target", folder_ / "link");
  auto out = OpenOutput(folder_ / "link");
  ASSERT_TRUE(out.ok());
  ASSERT_TRUE((*out)->Write("after").ok());
  ASSERT_TRUE((*out)->Close().ok());
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(Content(folder_ / "target"), "after");
}

absl::Status WriteTo(const fs::path& path) {
  auto out = OpenOutput(path);
  if (!out.ok()) return out.status();
  const absl::Status status = (*out)->Write("after");
  return status.ok() ? (*out)->Close() : status;
}

TEST_F(OutputTest, MakesWhatADanglingLinkLeadsTo) {
  fs::create_directory(folder_ / "sub");
  fs::create_symlink("sub/second", folder_ / "first");
  fs::create_symlink(folder_ / "made", folder_ / "sub" / "second");
  ASSERT_TRUE(WriteTo(folder_ / "first").ok());
  EXPECT_TRUE(fs::is_symlink(folder_ / "first"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "sub" / "second"));
  EXPECT_EQ(Content(folder_ / "made"), "after");
  EXPECT_EQ(Files(), 3);
}

// Folders on the way are no different from the file itself.
TEST_F(OutputTest, FollowsNoFolderLinkOfOthersInASharedFolder) {
  if (geteuid() != 0) GTEST_SKIP() << "needs files of another user";
  constexpr uid_t kOther = 65534;
  const fs::path shared = folder_ / "shared", link = shared / "link";
  fs::create_directories(folder_ / "private" / "sub");
  fs::create_directory(shared);
  ASSERT_EQ(chmod(shared.c_str(), 01777), 0);
  for (const fs::path& to : {fs::path("../private"), folder_ / "private"}) {
    fs::create_symlink(to, link);
    // One's own link that leads through it does not help.
    fs::create_symlink("shared/link/sub", folder_ / "own");
    for (const fs::path& path :
         {link / "out", link / "sub" / "out", folder_ / "own" / "out",
          link / "sub" / ".." / "out"}) {
      ASSERT_EQ(lchown(link.c_str(), kOther, kOther), 0);
      EXPECT_THAT(std::string(WriteTo(path).message()),
                  testing::HasSubstr("is another user's symbolic link"))
          << path;
      ASSERT_EQ(lchown(link.c_str(), 0, 0), 0);
      EXPECT_TRUE(WriteTo(path).ok()) << path;
      EXPECT_TRUE(fs::remove(path));
    }
    fs::remove(link);
    fs::remove(folder_ / "own");
  }
}

// Who owns a folder may put another one, or a link, in its place at any time.
TEST_F(OutputTest, StaysInTheFolderThatItWasDecidedFor) {
  const fs::path fold = folder_ / "fold", moved = folder_ / "moved",
                 victim = folder_ / "victim";
  for (const bool link : {false, true}) {
    for (const bool opened : {false, true}) {
      for (const fs::path& folder : {fold, moved, victim}) {
        fs::remove_all(folder);
      }
      fs::create_directory(fold);
      fs::create_directory(victim);
      std::ofstream(victim / "out") << "precious";
      const auto target = OutputTarget::Resolve(fold / "out");
      ASSERT_TRUE(target.ok());
      absl::StatusOr<std::unique_ptr<Output>> out = absl::CancelledError();
      if (opened) out = OpenOutput(*target);
      fs::rename(fold, moved);
      link ? fs::create_symlink("victim", fold) : fs::rename(victim, fold);
      if (!opened) out = OpenOutput(*target);
      EXPECT_EQ(out.ok(), opened);
      if (!opened) {
        EXPECT_THAT(std::string(out.status().message()),
                    HasSubstr("another folder has taken the place"));
      }
      if (out.ok()) {
        ASSERT_TRUE((*out)->Write("profile").ok());
        EXPECT_TRUE((*out)->Close().ok());
      }
      EXPECT_EQ(Content(fold / "out"), "precious");
      EXPECT_EQ(fs::exists(moved / "out"), opened);
    }
  }
}

// As with fs.protected_symlinks of Linux.
TEST_F(OutputTest, FollowsNoLinkOfOthersInASharedFolder) {
  if (geteuid() != 0) GTEST_SKIP() << "needs files of another user";
  constexpr uid_t kOther = 65534;
  const fs::path shared = folder_ / "shared", link = shared / "link";
  fs::create_directory(shared);
  ASSERT_EQ(chmod(shared.c_str(), 01777), 0);
  std::ofstream(folder_ / "target") << "before";
  for (const char* to : {"../target", "../not there yet"}) {
    fs::create_symlink(to, link);
    ASSERT_EQ(lchown(link.c_str(), kOther, kOther), 0);
    EXPECT_EQ(WriteTo(link).message(),
              "cannot write " + link.string() +
                  ": it is another user's symbolic link in a folder that "
                  "everyone may write to");
    EXPECT_TRUE(fs::is_symlink(link));
    EXPECT_EQ(Content(folder_ / "target"), "before");
    EXPECT_FALSE(fs::exists(folder_ / "not there yet"));
    fs::remove(link);
  }
  fs::create_symlink("../target", link);
  ASSERT_TRUE(WriteTo(link).ok());  // one's own
  EXPECT_EQ(Content(folder_ / "target"), "after");
  // Of whose folder it is; and where not everyone may make links.
  ASSERT_EQ(lchown(link.c_str(), kOther, kOther), 0);
  ASSERT_EQ(chown(shared.c_str(), kOther, kOther), 0);
  EXPECT_TRUE(WriteTo(link).ok());
  ASSERT_EQ(chown(shared.c_str(), 0, 0), 0);
  ASSERT_EQ(chmod(shared.c_str(), 0755), 0);
  EXPECT_TRUE(WriteTo(link).ok());
  EXPECT_TRUE(fs::is_symlink(link));
}

TEST_F(OutputTest, NamesThatOthersMadeAreNotInTheWay) {
  const fs::path path = folder_ / "out";
  constexpr int kMade = 50;
  for (int i = 0; i < kMade; ++i) {
    std::ofstream(path.string() + "." + std::to_string(getpid()) + "." +
                  std::to_string(i) + ".tmp");
  }
  EXPECT_TRUE(WriteTo(path).ok()) << WriteTo(path);
  EXPECT_EQ(Content(path), "after");
  EXPECT_EQ(Files(), kMade + 1);
}

// How an output is written is decided when it is looked at.
TEST_F(OutputTest, AFifoThatAppearsIsNotWaitedFor) {
  const std::string path = folder_ / "out";
  const auto target = OutputTarget::Resolve(path);
  ASSERT_TRUE(target.ok());
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  auto out = OpenOutput(*target);
  ASSERT_TRUE(out.ok());
  ASSERT_TRUE((*out)->Write("after").ok());
  ASSERT_TRUE((*out)->Close().ok());
  EXPECT_EQ(Content(path), "after");
}

TEST_F(OutputTest, WritesNothingElseInPlace) {
  const std::string path = folder_ / "out";
  std::ofstream(path) << "before";
  const auto target = OutputTarget::Resolve(path, /*in_place=*/true);
  ASSERT_TRUE(target.ok());
  std::ofstream(folder_ / "other") << "other";
  fs::rename(folder_ / "other", path);
  EXPECT_EQ(OpenOutput(*target).status().message(),
            "cannot write " + path + ": another file has taken its place");
  EXPECT_EQ(Content(path), "other");
}

TEST_F(OutputTest, TakesOverNoSetIdBits) {
  const fs::path path = folder_ / "out";
  std::ofstream(path) << "before";
  ASSERT_EQ(chmod(path.c_str(), 06750), 0);
  ASSERT_TRUE(WriteTo(path).ok());
  struct stat st;
  ASSERT_EQ(stat(path.c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 07777, 0750u);
}

TEST_F(OutputTest, InPlaceKeepsTheInode) {
  const fs::path path = folder_ / "open elsewhere";
  std::ofstream(path) << "a longer content";
  std::ifstream reader(path);
  auto out = OpenOutput(path, /*in_place=*/true);
  ASSERT_TRUE(out.ok());
  ASSERT_TRUE((*out)->Write("short").ok());
  ASSERT_TRUE((*out)->Close().ok());
  std::string read;
  reader >> read;
  EXPECT_EQ(read, "short");
}

TEST_F(OutputTest, InPlaceWithoutCloseIsEmpty) {
  const fs::path path = folder_ / "file";
  std::ofstream(path) << "before";
  auto out = OpenOutput(path, /*in_place=*/true);
  ASSERT_TRUE(out.ok());
  ASSERT_TRUE((*out)->Write(std::string(200'000, 'x')).ok());
  out->reset();
  EXPECT_EQ(Content(path), "");
}

TEST_F(OutputTest, Fifo) {
  const fs::path path = folder_ / "fifo";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::string read;
  std::thread reader([&] { read = Content(path); });
  auto out = OpenOutput(path);
  ASSERT_TRUE(out.ok());
  EXPECT_TRUE((*out)->Write("through").ok());
  EXPECT_TRUE((*out)->Close().ok());
  reader.join();
  EXPECT_EQ(read, "through");
  EXPECT_TRUE(fs::is_fifo(path));
}

// As whoever started the process may have set it.
TEST_F(OutputTest, WaitsForTheReaderOfAPipeInNonBlockingMode) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
  const int before = dup(STDOUT_FILENO);
  ASSERT_EQ(dup2(ends[1], STDOUT_FILENO), STDOUT_FILENO);
  close(ends[1]);
  auto out = OpenOutput("-");
  absl::Status status = out.status();
  std::string read;
  std::thread reader([&] {
    usleep(10'000);
    fcntl(ends[0], F_SETFL, 0);
    char bytes[1000];
    for (ssize_t n = 1; n > 0;) {
      n = ::read(ends[0], bytes, sizeof(bytes));
      if (n > 0) read.append(bytes, static_cast<size_t>(n));
    }
  });
  const std::string written(200'000, 'x');
  if (status.ok()) status = (*out)->Write(written);
  if (status.ok()) status = (*out)->Close();
  dup2(before, STDOUT_FILENO);
  close(before);
  reader.join();
  close(ends[0]);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(read, written);
}

TEST_F(OutputTest, ErrorsNameFileAndReason) {
  const std::string path = folder_ / "none" / "out";
  EXPECT_EQ(OpenOutput(path).status().message(),
            "cannot write " + path + ": No such file or directory");
  EXPECT_THAT(std::string(OpenOutput(folder_).status().message()),
              HasSubstr("Is a directory"));
}

TEST_F(OutputTest, AFullDeviceIsAnErrorThatSticks) {
  auto out = OpenOutput("/dev/full");
  ASSERT_TRUE(out.ok());
  absl::Status status = (*out)->Write(std::string(200'000, 'x'));
  EXPECT_EQ(status.message(),
            "cannot write /dev/full: No space left on device");
  EXPECT_EQ((*out)->Write("y"), status);
  EXPECT_EQ((*out)->Close(), status);
}

TEST_F(OutputTest, ABrokenPipeIsAnError) {
  signal(SIGPIPE, SIG_IGN);
  const fs::path path = folder_ / "fifo";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const int reader = open(path.c_str(), O_RDONLY | O_NONBLOCK);
  auto out = OpenOutput(path);
  ASSERT_TRUE(out.ok());
  close(reader);
  EXPECT_THAT(std::string((*out)->Write(std::string(200'000, 'x')).message()),
              HasSubstr("Broken pipe"));
}

}  // namespace
}  // namespace perf2x
