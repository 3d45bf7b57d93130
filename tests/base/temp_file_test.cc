// SPDX-License-Identifier: Apache-2.0
#include "converter/base/temp_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "converter/base/file_descriptor.h"
#include "gtest/gtest.h"
#include "tests/support/temp_folder.h"

namespace perf2x {
namespace {

class TempFileTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const char* was = getenv("TMPDIR"); was != nullptr) was_ = was;
    setenv("TMPDIR", folder_.path().c_str(), /*overwrite=*/1);
  }
  void TearDown() override {
    if (was_.has_value()) {
      setenv("TMPDIR", was_->c_str(), /*overwrite=*/1);
    } else {
      unsetenv("TMPDIR");
    }
  }
  // Whether the folder's file system has files that never had a name.
  bool HasNamelessFiles() const {
    const FileDescriptor fd(
        open(folder_.path().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    return fd.get() >= 0;
  }

  const TempFolder folder_;

 private:
  std::optional<std::string> was_;
};

// A process can be killed between making a name and removing it. Both would
// change the folder's time.
TEST_F(TempFileTest, NeverHasAName) {
  if (!HasNamelessFiles()) GTEST_SKIP() << "the file system lacks O_TMPFILE";
  constexpr timespec kPast{1'000'000'000, 0};
  const timespec times[] = {kPast, kPast};
  const char* folder = folder_.path().c_str();
  ASSERT_EQ(utimensat(AT_FDCWD, folder, times, 0), 0);
  const absl::StatusOr<TempFile> file = TempFile::Make();
  ASSERT_TRUE(file.ok()) << file.status();
  struct stat after {};
  ASSERT_EQ(stat(folder, &after), 0);
  EXPECT_EQ(after.st_mtim.tv_sec, kPast.tv_sec);
  EXPECT_EQ(after.st_mtim.tv_nsec, kPast.tv_nsec);
}

TEST_F(TempFileTest, LeavesNoName) {
  const absl::StatusOr<TempFile> file = TempFile::Make();
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(TempFileTest, MapsWhatWasAppendedSinceAPage) {
  absl::StatusOr<TempFile> file = TempFile::Make();
  ASSERT_TRUE(file.ok()) << file.status();
  const std::vector<uint8_t> first(3, 'a'), second(5, 'b'), later(7, 'c');
  ASSERT_TRUE(file->Append(first).ok());
  file->AlignToPage();
  const uint64_t page = file->size();
  EXPECT_EQ(page, static_cast<uint64_t>(sysconf(_SC_PAGESIZE)));
  ASSERT_TRUE(file->Append(second).ok());
  const absl::StatusOr<BlockRef> block = file->Map(page, /*stable=*/false);
  ASSERT_TRUE(block.ok()) << block.status();
  ASSERT_TRUE(file->Append(later).ok());
  EXPECT_EQ((*block)->bytes(), absl::MakeConstSpan(second));
}

TEST_F(TempFileTest, WithoutAFolderSaysWhichFileCannotBeMade) {
  setenv("TMPDIR", folder_.File("absent").c_str(), /*overwrite=*/1);
  const absl::Status status = TempFile::Make().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_NE(status.message().find(folder_.File("absent/perf2x-")),
            std::string::npos)
      << status;
}

}  // namespace
}  // namespace perf2x
