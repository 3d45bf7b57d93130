// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/find/held_folders.h"

#include <filesystem>
#include <string>

#include "gtest/gtest.h"

namespace perf2x {
namespace {

TEST(HeldFoldersTest, LeadToTheFolderAndAreShownAsGiven) {
  HeldFolders held;
  for (const std::string given : {"/proc/self/root/usr", "/proc/self/root/"}) {
    std::string path = given;
    held.Hold(&path);
    EXPECT_NE(path, given);
    EXPECT_TRUE(std::filesystem::equivalent(path, given));
    const std::string shown = given.back() == '/' ? given : given + "/";
    EXPECT_EQ(held.WithGivenPaths(path + "/lib/a (not there)"),
              shown + "lib/a (not there)");
  }
  EXPECT_EQ(held.WithGivenPaths("/proc/self/fd/1000000/a"),
            "/proc/self/fd/1000000/a");
}

TEST(HeldFoldersTest, OtherPathsStayAsTheyAre) {
  HeldFolders held;
  for (const std::string given :
       {"", "/usr", "sysroot", "/proc/0/root", "/proc/self/status"}) {
    std::string path = given;
    held.Hold(&path);
    EXPECT_EQ(path, given);
  }
}

}  // namespace
}  // namespace perf2x
