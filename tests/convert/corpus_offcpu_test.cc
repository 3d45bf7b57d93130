// SPDX-License-Identifier: Apache-2.0

// Sleeps of threads (perf record --off-cpu) in the corpus' recordings: summed
// up by perf at the end, or one sample each, whose callchain is raw data.

#include <gtest/gtest.h>

#include <cstdio>
#include <optional>
#include <vector>

#include "absl/strings/match.h"
#include "converter/convert/convert.h"
#include "tests/support/corpus.h"
#include "tests/support/read_recording.h"

namespace perf2x {
namespace {

struct Sleeps {
  uint64_t samples = 0, nanoseconds = 0;
  uint64_t without_stack = 0;           // where nothing is mapped
  std::optional<uint64_t> first, last;  // of the recording
};

TEST(CorpusOffCpuTest, SleepsHaveStacksAndTheRecordingItsRealDuration) {
  size_t recordings = 0;
  for (const CorpusEntry& entry : OwnRecordings()) {
    if (!absl::StrContains(entry.id, "offcpu") ||
        absl::StrContains(entry.id, "unsupported")) {
      continue;
    }
    Sleeps sleeps;
    std::vector<FrameId> frames;
    RecordingReader reader;
    reader.on_sample = [&](const Sample& sample, TraceTables& tables) {
      if (tables.events[sample.event].name != "offcpu-time") return;
      ++sleeps.samples;
      sleeps.nanoseconds += sample.period;
      tables.FramesOf(sample.stack, &frames);
      const Frame& leaf = tables.frames()[frames[0]];
      sleeps.without_stack += tables.dsos()[leaf.dso].kind == DsoKind::kUnknown;
    };
    reader.on_finish = [&](const TraceSummary& summary) {
      sleeps.first = summary.first_time;
      sleeps.last = summary.last_time;
    };
    ConvertOptions options;
    options.symbolize = false;
    const absl::Status status =
        ReadRecording(RecordingOf(entry), options, reader);
    ASSERT_TRUE(status.ok()) << status;
    std::printf("%s: %lu sleeps, %lu ns\n", entry.id.c_str(), sleeps.samples,
                sleeps.nanoseconds);
    EXPECT_GT(sleeps.samples, 0u) << entry.id;
    EXPECT_GT(sleeps.nanoseconds, sleeps.samples * 1000) << entry.id;
    // One began before the process replaced its program; perf has no more.
    EXPECT_LE(sleeps.without_stack, 1u) << entry.id;
    // Sums have times that are none.
    ASSERT_TRUE(sleeps.first.has_value() && sleeps.last.has_value());
    EXPECT_LT(*sleeps.last - *sleeps.first, 60'000'000'000u) << entry.id;
    ++recordings;
  }
  EXPECT_GE(recordings, 6u);
}

}  // namespace
}  // namespace perf2x
