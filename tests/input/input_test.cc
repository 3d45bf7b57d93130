// SPDX-License-Identifier: Apache-2.0
#include "converter/input/input.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <string>
#include <thread>

#include "absl/strings/match.h"
#include "converter/base/file_descriptor.h"
#include "tests/support/temp_folder.h"

namespace perf2x {
namespace {

// A folder as `perf record --threads` writes it, as far as OpenInput looks.
class FolderInputTest : public testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(folder_.File("data")) << "main";
    std::ofstream(folder_.File("data.0")) << "first";
  }
  void Replace(const char* name, const char* link_to) {
    ASSERT_EQ(unlink(folder_.File(name).c_str()), 0);
    ASSERT_EQ(symlink(link_to, folder_.File(name).c_str()), 0);
  }
  const TempFolder folder_;
};

TEST_F(FolderInputTest, OpensItsFiles) {
  const auto input = OpenInput(folder_.path());
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_EQ(input->mapped->bytes().size(), 4u);
  ASSERT_EQ(input->data_files.size(), 1u);
  EXPECT_EQ(input->data_files[0].mapped->bytes().size(), 5u);
}

TEST_F(FolderInputTest, DoesNotWaitForTheWriterOfAFifo) {
  for (const char* name : {"data.0", "data"}) {
    ASSERT_EQ(unlink(folder_.File(name).c_str()), 0);
    ASSERT_EQ(mkfifo(folder_.File(name).c_str(), 0600), 0);
    const auto input = OpenInput(folder_.path());
    EXPECT_EQ(input.status().message(),
              "cannot read " + folder_.File(name) + ": not a regular file");
  }
}

TEST_F(FolderInputTest, FollowsNoLink) {
  for (const char* name : {"data.0", "data"}) {
    Replace(name, "/etc/passwd");
    const auto input = OpenInput(folder_.path());
    EXPECT_EQ(input.status().message(),
              "cannot read " + folder_.File(name) +
                  ": a symbolic link in a folder recording is not followed");
  }
}

TEST_F(FolderInputTest, NamesWhatIsMissing) {
  ASSERT_EQ(unlink(folder_.File("data").c_str()), 0);
  EXPECT_EQ(OpenInput(folder_.path()).status().message(),
            "cannot read " + folder_.path() +
                ": a folder without a file \"data\" is no recording");
}

TEST_F(FolderInputTest, KnowsWhetherOthersMayHaveWrittenIt) {
  EXPECT_FALSE(OpenInput(folder_.path())->may_be_from_others);
  for (const char* name : {"data.0", "data"}) {
    const std::string member = folder_.File(name);
    ASSERT_EQ(chmod(member.c_str(), 0666), 0);
    EXPECT_TRUE(OpenInput(folder_.path())->may_be_from_others) << name;
    EXPECT_TRUE(OpenInput(member)->may_be_from_others) << name;
    ASSERT_EQ(chmod(member.c_str(), 0664), 0);
    EXPECT_FALSE(OpenInput(member)->may_be_from_others) << name;
    if (geteuid() != 0) continue;
    ASSERT_EQ(chown(member.c_str(), 65534, 65534), 0);
    EXPECT_TRUE(OpenInput(folder_.path())->may_be_from_others) << name;
    EXPECT_TRUE(OpenInput(member)->may_be_from_others) << name;
    ASSERT_EQ(chown(member.c_str(), 0, 0), 0);
  }
}

// What is opened is what was looked at.
class FoundInputTest : public testing::Test {
 protected:
  FoundInputTest() {
    std::ofstream(file_) << "looked at";
    std::ofstream(folder_.File("other")) << "another one";
  }
  void ExpectGone(const InputIdentity& found) {
    EXPECT_EQ(OpenInput(found).status().message(),
              "cannot read " + file_ + ": another file has taken its place");
  }
  const TempFolder folder_;
  const std::string file_ = folder_.File("recording");
};

TEST_F(FoundInputTest, IsAnotherFileOrNone) {
  for (const bool follow_link : {true, false}) {
    const InputIdentity found = InputIdentity::FromPath(file_, follow_link);
    EXPECT_TRUE(OpenInput(found).ok());
    ASSERT_EQ(rename(folder_.File("other").c_str(), file_.c_str()), 0);
    ExpectGone(found);
    ASSERT_EQ(unlink(file_.c_str()), 0);
    EXPECT_EQ(OpenInput(found).status().message(),
              "cannot read " + file_ + ": No such file or directory");
    std::ofstream(file_) << "looked at";
    std::ofstream(folder_.File("other")) << "another one";
  }
}

TEST_F(FoundInputTest, IsALinkOrAFifoNow) {
  const std::string moved = folder_.File("moved");
  for (const bool follow_link : {true, false}) {
    const InputIdentity found = InputIdentity::FromPath(file_, follow_link);
    ASSERT_EQ(rename(file_.c_str(), moved.c_str()), 0);
    ASSERT_EQ(symlink("other", file_.c_str()), 0);
    ExpectGone(found);
    ASSERT_EQ(unlink(file_.c_str()), 0);
    // Even to the very file, where links are not followed.
    ASSERT_EQ(symlink("moved", file_.c_str()), 0);
    EXPECT_EQ(OpenInput(found).ok(), follow_link);
    ASSERT_EQ(unlink(file_.c_str()), 0);
    ASSERT_EQ(mkfifo(file_.c_str(), 0600), 0);
    ExpectGone(found);
    ASSERT_EQ(rename(moved.c_str(), file_.c_str()), 0);
  }
}

TEST_F(FoundInputTest, AFifoIsReadOnceItHasAWriter) {
  const std::string fifo = folder_.File("fifo");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(fifo) << "0123456789abcdef"; });
  const auto input = OpenInput(fifo);
  writer.join();
  ASSERT_TRUE(input.ok()) << input.status();
  std::array<uint8_t, 100> bytes;
  EXPECT_EQ(ReadFully(*input->stream, absl::MakeSpan(bytes)).value_or(0), 16u);
}

TEST(ReadStopTest, EndsAReadThatWaits) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const FileDescriptor reading(ends[0]), writing(ends[1]);
  ASSERT_EQ(write(writing.get(), "0123456789abcdefxyz", 19), 19);
  auto input = OpenInput("/proc/self/fd/" + std::to_string(reading.get()));
  ASSERT_TRUE(input.ok()) << input.status();
  ASSERT_NE(input->stop, nullptr);
  std::array<uint8_t, 100> bytes;
  size_t read = 0;
  while (read < 19) {
    const auto n = input->stream->Read(absl::MakeSpan(bytes));
    ASSERT_TRUE(n.ok()) << n.status();
    read += *n;
  }
  // The writer stays, and writes nothing more.
  std::thread waiting([&] {
    const auto n = input->stream->Read(absl::MakeSpan(bytes));
    EXPECT_TRUE(n.ok()) << n.status();
    EXPECT_EQ(n.value_or(1), 0u);
  });
  input->stop->Request();
  waiting.join();
  // And stays stopped.
  EXPECT_EQ(input->stream->Read(absl::MakeSpan(bytes)).value_or(1), 0u);
}

// Holes cost nothing on disk, so that they raise no limits, and a few bytes
// must not stand for terabytes.
TEST(HolesTest, CountAsCompressedData) {
  const TempFolder folder;
  const std::string path = folder.File("data");
  std::ofstream(path) << "some bytes";
  ASSERT_EQ(truncate(path.c_str(), 60 << 20), 0);
  auto input = OpenInput(path);
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_EQ(input->mapped->bytes().size(), size_t{60} << 20);
  EXPECT_LE(*input->size, uint64_t{64} << 10);
  EXPECT_EQ(input->stored, uint64_t{*input->size});
  ASSERT_EQ(truncate(path.c_str(), off_t{1} << 40), 0);
  for (const std::string& name : {path, folder.path()}) {
    input = OpenInput(name);
    EXPECT_TRUE(absl::StartsWith(
        input.status().message(),
        "cannot read " + name + ": its 1099511627776 bytes are holes but for "))
        << input.status();
  }
}

TEST_F(FolderInputTest, HolesInADataFileCountAsCompressedData) {
  ASSERT_EQ(truncate(folder_.File("data.0").c_str(), 60 << 20), 0);
  auto input = OpenInput(folder_.path());
  ASSERT_TRUE(input.ok()) << input.status();
  ASSERT_EQ(input->data_files.size(), 1u);
  EXPECT_LE(input->data_files[0].size(), uint64_t{64} << 10);
  ASSERT_EQ(truncate(folder_.File("data.0").c_str(), off_t{1} << 40), 0);
  EXPECT_FALSE(OpenInput(folder_.path()).ok());
}

// A socket reports its peer's reset once; reads after that find its end.
TEST(SocketInputTest, AnErrorIsReportedByAllLaterReads) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  ASSERT_EQ(write(ends[0], "0123456789abcdef", 16), 16);
  ASSERT_EQ(write(ends[1], "unread", 6), 6);
  close(ends[0]);  // resets the connection, because of the unread bytes
  const int standard_input = dup(STDIN_FILENO);
  dup2(ends[1], STDIN_FILENO);
  close(ends[1]);
  const auto input = OpenInput("-");
  dup2(standard_input, STDIN_FILENO);
  close(standard_input);
  ASSERT_TRUE(input.ok()) << input.status();
  std::array<uint8_t, 100> bytes;
  size_t read = 0;
  absl::StatusOr<size_t> n;
  while ((n = input->stream->Read(absl::MakeSpan(bytes))).ok() && *n > 0) {
    read += *n;
  }
  EXPECT_EQ(read, 16u);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(input->stream->Read(absl::MakeSpan(bytes)).status().message(),
              "cannot read -: Connection reset by peer");
  }
}

}  // namespace
}  // namespace perf2x
