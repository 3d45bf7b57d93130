// SPDX-License-Identifier: Apache-2.0
#include "converter/convert/named_outputs.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

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
    NamedOutputs outputs(folder_, format_, targets_, 0);
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
  NamedOutputs outputs(folder_, format_, targets_, 0);
  for (const char* name : {"fifo", "device"}) {
    EXPECT_EQ(outputs.Open(name).status().message(),
              "cannot write " + (folder_ / name).string() +
                  ": it is no regular file, as files of a folder must be; "
                  "remove it");
  }
}

TEST_F(NamedOutputsTest, CompleteFilesAreNamedTogether) {
  {
    NamedOutputs outputs(folder_, format_, targets_, 0);
    Write(outputs, "old");
    Write(outputs, "new");
    ASSERT_TRUE(outputs.Publish().ok());
  }
  EXPECT_EQ(Files(), (Texts{{"new", "after"}, {"old", "after"}}));
}

TEST_F(NamedOutputsTest, WhatCannotBeNamedTakesNewFilesAlong) {
  {
    NamedOutputs outputs(folder_, format_, targets_, 0);
    Write(outputs, "old");
    Write(outputs, "new");
    Write(outputs, "taken");
    fs::create_directory(folder_ / "taken");
    ASSERT_FALSE(outputs.Publish().ok());
  }
  EXPECT_EQ(Files(), (Texts{{"old", "after"}, {"taken", ""}}));
}

TEST_F(NamedOutputsTest, AnUnfinishedFileIsNotNamed) {
  {
    NamedOutputs outputs(folder_, format_, targets_, 0);
    ASSERT_TRUE(outputs.Open("half").ok());
    ASSERT_TRUE(outputs.Publish().ok());
  }
  EXPECT_EQ(Files(), (Texts{{"old", "before"}}));
}

}  // namespace
}  // namespace perf2x
