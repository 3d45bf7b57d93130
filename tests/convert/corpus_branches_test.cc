// SPDX-License-Identifier: Apache-2.0

// Branches of real recordings, against what `perf script -F brstack` lists.

#include <gtest/gtest.h>

#include <cstdint>

#include "tests/convert/unwound_stacks.h"

namespace perf2x {
namespace {

struct Sums {
  uint64_t branches = 0, mispredicted = 0, cycles = 0;
  friend bool operator==(const Sums&, const Sums&) = default;
};

void PrintTo(const Sums& s, std::ostream* out) {
  *out << s.branches << " branches, " << s.mispredicted << " mispredicted, "
       << s.cycles << " cycles";
}

TEST(CorpusBranchesTest, AreThoseThatPerfLists) {
  if (FullCorpus().empty()) GTEST_SKIP() << NoCorpusMessage();
  const std::pair<const char*, Sums> kRecordings[] = {
      {"autofdo-test.lbr", {147712, 9319, 0}},
      {"quipper_hist-perf.data.branch", {14704, 899, 0}},
      {"quipper-perf.data.branch-4.14", {387, 21, 50938}},
  };
  for (const auto& [id, expected] : kRecordings) {
    const CorpusEntry* entry = FindRecording(FullCorpus(), id);
    ASSERT_NE(entry, nullptr) << id;
    Sums sums;
    std::vector<FrameId> frames;
    RecordingReader reader;
    reader.needs.branches = reader.needs.branch_stacks = true;
    reader.on_sample = [&](const Sample& sample, TraceTables& tables) {
      for (const Branch& branch : sample.branches) {
        ++sums.branches;
        sums.mispredicted += branch.mispredicted;
        sums.cycles += branch.cycles;
        tables.FramesOf(branch.stack, &frames);
        EXPECT_EQ(frames.size(), 2);
      }
    };
    ConvertOptions options;
    options.symbolize = false;
    const absl::Status status =
        ReadRecording(RecordingOf(*entry), options, reader);
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_EQ(sums, expected) << id;
  }
}

}  // namespace
}  // namespace perf2x
