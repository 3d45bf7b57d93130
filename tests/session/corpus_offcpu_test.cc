// Sleeps of threads (perf record --off-cpu) in the corpus' recordings: summed
// up by perf at the end, or one sample each, whose callchain is raw data.

#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "converter/convert.h"
#include "tests/support/corpus.h"
#include "tests/support/counting_emitter.h"

namespace perf2x {
namespace {

struct Sleeps {
  uint64_t samples = 0, nanoseconds = 0;
  uint64_t without_stack = 0;           // where nothing is mapped
  std::optional<uint64_t> first, last;  // of the recording
};
Sleeps* collected = nullptr;  // an emitter is made without arguments of its own

class SleepCollector final : public Emitter {
 public:
  explicit SleepCollector(ProfileTables& tables) : tables_(tables) {}
  absl::Status Begin(const ProfileInfo&) override { return absl::OkStatus(); }
  absl::Status OnSample(const Sample& sample) override {
    if (tables_.events[sample.event].name != "offcpu-time") {
      return absl::OkStatus();
    }
    ++collected->samples;
    collected->nanoseconds += sample.period;
    std::vector<FrameId> frames;
    tables_.FramesOf(sample.stack, &frames);
    const Frame& leaf = tables_.frames()[frames[0]];
    collected->without_stack +=
        tables_.files()[leaf.file].kind == CodeKind::kUnknown;
    return absl::OkStatus();
  }
  absl::Status Finish(const ProfileSummary& summary) override {
    collected->first = summary.first_time;
    collected->last = summary.last_time;
    return absl::OkStatus();
  }

 private:
  ProfileTables& tables_;
};

TEST(CorpusOffCpuTest, SleepsHaveStacksAndTheRecordingItsRealDuration) {
  if (CorpusRoot().empty()) GTEST_SKIP() << NoCorpusMessage();
  size_t recordings = 0;
  for (const CorpusEntry& entry : Corpus()) {
    if (!absl::StrContains(entry.id, "offcpu") ||
        absl::StrContains(entry.id, "unsupported") ||
        absl::StartsWith(entry.id, "simpleperf")) {
      continue;
    }
    Sleeps sleeps;
    collected = &sleeps;
    EmitterInfo info = CountingEmitterInfo();
    info.make = [](const EmitterContext& context)
        -> absl::StatusOr<std::unique_ptr<Emitter>> {
      return std::make_unique<SleepCollector>(context.tables);
    };
    auto input = OpenInput(RecordingOf(entry));
    ASSERT_TRUE(input.ok()) << entry.id;
    NoOutputs outputs;
    ConvertOptions options;
    options.symbolize = false;
    ConvertReport report;
    ASSERT_TRUE(
        Convert(*std::move(input), info, outputs, options, &report).ok());
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
