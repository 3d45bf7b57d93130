// SPDX-License-Identifier: Apache-2.0
#include "converter/convert/named_outputs.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "converter/emit/registry.h"
#include "tests/support/temp_folder.h"

namespace perf2x {
namespace {

namespace fs = std::filesystem;

class NamedOutputsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directory(folder_);
    std::ofstream(folder_ / "old") << "before";
  }
  // Writes a complete file.
  static void Write(NamedOutputs& outputs, const char* name) {
    auto output = outputs.Open(name);
    ASSERT_TRUE(output.ok());
    ASSERT_TRUE((*output)->Write("after").ok());
    ASSERT_TRUE((*output)->Close().ok());
  }
  std::map<std::string, std::string> Files() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      std::string& text = files[entry.path().filename().string()];
      std::getline(std::ifstream(entry.path()), text);
    }
    return files;
  }

  const TempFolder temp_;
  const fs::path folder_ = fs::path(temp_.path()) / "out";
  const EmitterInfo& format_ = *FindEmitter("csv");
  const OutputTargets targets_ = {};
};

using Texts = std::map<std::string, std::string>;

TEST_F(NamedOutputsTest, AFailureLeavesTheFolderAsItWas) {
  {
    NamedOutputs outputs(folder_, format_, targets_);
    Write(outputs, "old");
    Write(outputs, "new");
    EXPECT_EQ(Files(), (Texts{{"old", "before"}}));
  }
  EXPECT_EQ(Files(), (Texts{{"old", "before"}}));
}

// Nobody reads a FIFO that lies in the folder: to open it would take for ever.
TEST_F(NamedOutputsTest, AFifoInTheFolderIsRefused) {
  ASSERT_EQ(mkfifo((folder_ / "fifo").c_str(), 0600), 0);
  fs::create_symlink("/dev/null", folder_ / "device");
  NamedOutputs outputs(folder_, format_, targets_);
  for (const char* name : {"fifo", "device"}) {
    EXPECT_EQ(outputs.Open(name).status().message(),
              "cannot write " + (folder_ / name).string() +
                  ": it is no regular file, as files of a folder must be; "
                  "remove it");
  }
}

TEST_F(NamedOutputsTest, CompleteFilesAreNamedTogether) {
  {
    NamedOutputs outputs(folder_, format_, targets_);
    Write(outputs, "old");
    Write(outputs, "new");
    ASSERT_TRUE(outputs.Publish().ok());
  }
  EXPECT_EQ(Files(), (Texts{{"new", "after"}, {"old", "after"}}));
}

// What takes the place of a file while files are written leaves all as it was.
TEST_F(NamedOutputsTest, AnObstacleLeavesTheFolderAsItWas) {
  const fs::path taken = folder_ / "taken";
  const std::vector<std::function<void()>> obstacles = {
      [&] { fs::create_directory(taken); },
      [&] { fs::create_symlink("old", taken); },
      [&] { ASSERT_EQ(mkfifo(taken.c_str(), 0600), 0); },
  };
  for (const auto& put : obstacles) {
    {
      NamedOutputs outputs(folder_, format_, targets_);
      Write(outputs, "old");
      Write(outputs, "new");
      Write(outputs, "taken");
      put();
      const absl::Status status = outputs.Publish();
      EXPECT_TRUE(absl::StrContains(status.message(), taken.string()))
          << status;
    }
    EXPECT_FALSE(fs::is_regular_file(fs::symlink_status(taken)));
    fs::remove(taken);
    EXPECT_EQ(Files(), (Texts{{"old", "before"}}));
  }
}

// The files would not be where they were wanted.
TEST_F(NamedOutputsTest, AFolderThatIsReplacedIsAnError) {
  const fs::path table = folder_ / "table", moved = folder_ / "moved";
  fs::create_directory(moved);
  fs::rename(folder_ / "old", moved / "old");
  for (const bool link : {false, true}) {
    fs::rename(moved, table);
    {
      NamedOutputs outputs(folder_, format_, targets_);
      Write(outputs, "new/file");
      Write(outputs, "table/old");
      fs::rename(table, moved);
      link ? fs::create_symlink("moved", table)
           : void(fs::create_directory(table));
      const absl::Status status = outputs.Publish();
      EXPECT_TRUE(absl::StrContains(status.message(), table.string()))
          << status;
    }
    fs::remove(table);
    EXPECT_TRUE(fs::is_empty(folder_ / "new"));
    std::string text;
    std::getline(std::ifstream(moved / "old"), text);
    EXPECT_EQ(text, "before");
  }
}

TEST_F(NamedOutputsTest, AnUnfinishedFileIsNotNamed) {
  {
    NamedOutputs outputs(folder_, format_, targets_);
    ASSERT_TRUE(outputs.Open("half").ok());
    ASSERT_TRUE(outputs.Publish().ok());
  }
  EXPECT_EQ(Files(), (Texts{{"old", "before"}}));
}

}  // namespace
}  // namespace perf2x
