// SPDX-License-Identifier: Apache-2.0
#include "converter/base/stored_size.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "converter/base/file_descriptor.h"
#include "tests/support/temp_folder.h"

namespace perf2x {
namespace {

class StoredSizeTest : public testing::Test {
 protected:
  void Write(off_t at, const std::string& bytes) const {
    ASSERT_EQ(pwrite(fd_.get(), bytes.data(), bytes.size(), at),
              static_cast<ssize_t>(bytes.size()));
  }
  uint64_t Stored() const {
    struct stat st;
    EXPECT_EQ(fstat(fd_.get(), &st), 0);
    return StoredSize(fd_.get(), st);
  }

  const TempFolder folder_;
  const FileDescriptor fd_{
      open(folder_.File("file").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
};

TEST_F(StoredSizeTest, IsTheSizeOfAFileWithoutHoles) {
  EXPECT_EQ(Stored(), 0u);
  Write(0, std::string(12345, 'x'));
  EXPECT_EQ(Stored(), 12345u);
}

TEST_F(StoredSizeTest, LeavesHolesOut) {
  ASSERT_EQ(ftruncate(fd_.get(), 1 << 30), 0);
  EXPECT_EQ(Stored(), 0u);
  Write(1 << 20, "data");
  Write(1 << 29, "data");
  EXPECT_GE(Stored(), 8u);
  EXPECT_LE(Stored(), uint64_t{256} << 10);  // two blocks
}

// The file may grow after fstat(2).
TEST_F(StoredSizeTest, LeavesLaterDataOut) {
  ASSERT_EQ(ftruncate(fd_.get(), 5000), 0);
  struct stat before;
  ASSERT_EQ(fstat(fd_.get(), &before), 0);
  Write(1 << 20, "data");
  EXPECT_EQ(StoredSize(fd_.get(), before), 0u);
}

TEST_F(StoredSizeTest, KeepsTheOffset) {
  ASSERT_EQ(ftruncate(fd_.get(), 1 << 20), 0);
  ASSERT_EQ(lseek(fd_.get(), 17, SEEK_SET), 17);
  Stored();
  EXPECT_EQ(lseek(fd_.get(), 0, SEEK_CUR), 17);
}

}  // namespace
}  // namespace perf2x
