// SPDX-License-Identifier: Apache-2.0

// Runs every target on its corpus, which has the inputs that fuzzing once
// found. The targets that read recordings also get those in testdata/.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "converter/emit/registry.h"
#include "tests/fuzz/targets.h"
#include "tests/support/file_bytes.h"
#include "tests/support/hostile.h"

namespace perf2x {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> FilesIn(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void Replay(const FuzzTarget& target, const fs::path& folder) {
  ASSERT_TRUE(fs::is_directory(folder)) << folder;
  const auto files = FilesIn(folder);
  EXPECT_FALSE(files.empty());
  for (const fs::path& path : files) {
    const std::vector<uint8_t> bytes = FileBytes(path);
    target.run(bytes);
  }
}

class ReplayTest : public testing::TestWithParam<FuzzTarget> {};

TEST_P(ReplayTest, Corpus) {
  Replay(GetParam(), fs::path("tests/fuzz/corpus") / GetParam().name);
}

TEST(ReplayRecordingsTest, OfTheTests) {
  for (const char* target : {"file", "pipe", "convert"}) {
    ASSERT_NE(FindFuzzTarget(target), nullptr);
    Replay(*FindFuzzTarget(target), "testdata");
  }
}

// The target takes one of the formats, which depends on the input.
TEST(ReplayRecordingsTest, FindingsInAllFormats) {
  for (const fs::path& path : FilesIn("tests/fuzz/corpus/convert")) {
    const std::vector<uint8_t> bytes = FileBytes(path);
    for (const EmitterInfo& format : Emitters()) {
      EXPECT_TRUE(ConvertHostile(MemoryInput(bytes), format.name).BytesAddUp())
          << path << " to " << format.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, ReplayTest,
                         testing::ValuesIn(FuzzTargets().begin(),
                                           FuzzTargets().end()),
                         [](const auto& test) {
                           std::string name = test.param.name;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace perf2x
