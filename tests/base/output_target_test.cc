// SPDX-License-Identifier: Apache-2.0
#include "converter/base/output_target.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/temp_folder.h"

namespace perf2x {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class MakeBelowTest : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directory(root_); }
  // Writes the file; returns the error.
  absl::Status Write(const std::string& name) const {
    const auto target = OutputTarget::MakeBelow(root_, name);
    if (!target.ok()) return target.status();
    auto output = OpenOutput(*target);
    if (!output.ok()) return output.status();
    EXPECT_TRUE((*output)->Write("after").ok());
    return (*output)->Close();
  }
  static std::string Content(const fs::path& path) {
    std::string text;
    std::getline(std::ifstream(path), text);
    return text;
  }

  const TempFolder temp_;
  const fs::path folder_ = temp_.path();
  const fs::path root_ = folder_ / "root";
};

TEST_F(MakeBelowTest, MakesFoldersAndReplacesFiles) {
  ASSERT_TRUE(Write("a/b/file").ok());
  EXPECT_EQ(Content(root_ / "a/b/file"), "after");
  std::ofstream(root_ / "a/b/file") << "before";
  fs::create_hard_link(root_ / "a/b/file", folder_ / "other");
  ASSERT_TRUE(Write("a/b/file").ok());
  EXPECT_EQ(Content(root_ / "a/b/file"), "after");
  EXPECT_EQ(Content(folder_ / "other"), "before");
}

TEST_F(MakeBelowTest, FollowsLinksToTheRootOnly) {
  fs::create_symlink(root_, folder_ / "link");
  ASSERT_TRUE(
      OutputTarget::MakeBelow((folder_ / "link").string(), "a/file").ok());
  EXPECT_TRUE(fs::is_directory(root_ / "a"));

  fs::create_directory(folder_ / "outside");
  std::ofstream(folder_ / "outside/file") << "before";
  fs::create_symlink(folder_ / "outside", root_ / "link");
  EXPECT_THAT(std::string(Write("link/file").message()),
              HasSubstr("symbolic link"));
  EXPECT_THAT(std::string(Write("link/new/file").message()),
              HasSubstr("symbolic link"));
  EXPECT_FALSE(fs::exists(folder_ / "outside/new"));
  for (const char* to : {"outside/file", "nowhere"}) {
    fs::remove(root_ / "a/file");
    fs::create_symlink(folder_ / to, root_ / "a/file");
    EXPECT_THAT(std::string(Write("a/file").message()),
                HasSubstr("symbolic link"));
  }
  EXPECT_EQ(Content(folder_ / "outside/file"), "before");
}

TEST_F(MakeBelowTest, ReplacesNothingButFiles) {
  ASSERT_EQ(mkfifo((root_ / "fifo").c_str(), 0600), 0);
  EXPECT_THAT(std::string(Write("fifo").message()),
              HasSubstr("no regular file"));
  fs::create_directories(root_ / "a/folder");
  EXPECT_THAT(std::string(Write("a/folder").message()),
              HasSubstr("no regular file"));
  std::ofstream(root_ / "b") << "before";
  EXPECT_THAT(std::string(Write("b/file").message()), HasSubstr("no folder"));
}

}  // namespace
}  // namespace perf2x
