// SPDX-License-Identifier: Apache-2.0
#include "converter/base/file_mapping.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "converter/base/file_descriptor.h"
#include "gtest/gtest.h"
#include "tests/support/temp_folder.h"

namespace perf2x {
namespace {

class FileMappingTest : public testing::Test {
 protected:
  // A file of that many pages, each byte an 'x'.
  std::string File(const char* name, size_t pages) {
    const std::string path = folder_.File(name);
    std::ofstream(path) << std::string(pages * page_, 'x');
    return path;
  }
  std::unique_ptr<FileMapping> Map(const std::string& path, size_t pages) {
    const FileDescriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    return FileMapping::Map(fd.get(), 0, pages * page_);
  }
  static size_t Count(absl::Span<const uint8_t> bytes, uint8_t value) {
    return static_cast<size_t>(std::count(bytes.begin(), bytes.end(), value));
  }

  const size_t page_ = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const TempFolder folder_;
};

TEST_F(FileMappingTest, ReadsZerosAfterTheEndOfATruncatedFile) {
  const std::string path = File("a", 6);
  const auto mapping = Map(path, 6);
  ASSERT_NE(mapping, nullptr);
  EXPECT_EQ(Count(mapping->bytes(), 'x'), 6 * page_);
  EXPECT_FALSE(mapping->has_lost_bytes());
  ASSERT_EQ(truncate(path.c_str(), static_cast<off_t>(2 * page_)), 0);
  EXPECT_EQ(Count(mapping->bytes(), 'x'), 2 * page_);
  EXPECT_EQ(Count(mapping->bytes(), 0), 4 * page_);
  EXPECT_TRUE(mapping->has_lost_bytes());
}

// Returns the pages of the process that are in memory.
size_t ResidentPages() {
  size_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident;
}

TEST_F(FileMappingTest, ReadsReleasedPagesAgain) {
  constexpr size_t kPages = 4096;
  const std::string path = File("a", kPages);
  const auto mapping = Map(path, kPages);
  ASSERT_NE(mapping, nullptr);
  EXPECT_EQ(Count(mapping->bytes(), 'x'), kPages * page_);
  const size_t before = ResidentPages();
  mapping->ReleasePages();
  EXPECT_LT(ResidentPages(), before - kPages / 2);
  EXPECT_EQ(Count(mapping->bytes(), 'x'), kPages * page_);
  EXPECT_FALSE(mapping->has_lost_bytes());
}

TEST_F(FileMappingTest, OtherMappingsKeepTheirBytes) {
  const std::string cut = File("cut", 3), whole = File("whole", 3);
  std::vector<std::unique_ptr<FileMapping>> mappings;
  for (int i = 0; i < 600; ++i) {  // more than one chunk of the table
    mappings.push_back(Map(i == 300 ? cut : whole, 3));
    ASSERT_NE(mappings.back(), nullptr);
  }
  // Freed entries are used again.
  for (int i = 0; i < 600; i += 7) {
    if (i != 300) mappings[static_cast<size_t>(i)] = Map(whole, 3);
  }
  ASSERT_EQ(truncate(cut.c_str(), 0), 0);
  for (int i = 0; i < 600; ++i) {
    const FileMapping& mapping = *mappings[static_cast<size_t>(i)];
    EXPECT_EQ(Count(mapping.bytes(), 'x'), i == 300 ? 0 : 3 * page_) << i;
    EXPECT_EQ(mapping.has_lost_bytes(), i == 300) << i;
  }
}

TEST_F(FileMappingTest, ThreadsMayReadAtOnce) {
  const std::string path = File("a", 64);
  const auto mapping = Map(path, 64);
  ASSERT_NE(mapping, nullptr);
  ASSERT_EQ(truncate(path.c_str(), static_cast<off_t>(page_)), 0);
  std::vector<std::thread> threads;
  std::vector<size_t> left(4);
  for (size_t& count : left) {
    threads.emplace_back([&] { count = Count(mapping->bytes(), 'x'); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(left, std::vector<size_t>(4, page_));
}

char ReadByte(const void* at) { return *static_cast<const volatile char*>(at); }

using FileMappingDeathTest = FileMappingTest;

TEST_F(FileMappingDeathTest, LeavesOtherFaultsAlone) {
  const std::string path = File("a", 2);
  const auto ours = Map(path, 2);
  const FileDescriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  void* const other =
      mmap(nullptr, 2 * page_, PROT_READ, MAP_PRIVATE, fd.get(), 0);
  ASSERT_NE(other, MAP_FAILED);
  ASSERT_EQ(truncate(path.c_str(), 0), 0);
#ifdef PERF2X_SANITIZED
  EXPECT_DEATH(ReadByte(other), "BUS");
#else
  EXPECT_EXIT(ReadByte(other), testing::KilledBySignal(SIGBUS), "");
#endif
  munmap(other, 2 * page_);
}

}  // namespace
}  // namespace perf2x
