// Samples and periods per event of every recording of the corpus, against what
// perf itself counts.

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "converter/convert.h"
#include "tests/support/corpus.h"
#include "tests/support/counting_emitter.h"

namespace perf2x {
namespace {

using Counts = std::map<std::string, uint64_t>;

struct Result {
  absl::Status status;
  ConvertReport report;
  Counts samples, period;
};

Result Count(const CorpusEntry& entry) {
  Result result;
  auto input = OpenInput(RecordingOf(entry));
  if (!input.ok()) {
    result.status = input.status();
    return result;
  }
  NoOutputs outputs;
  ConvertOptions options;
  options.symbolize = false;
  result.status = Convert(*std::move(input), CountingEmitterInfo(), outputs,
                          options, &result.report);
  for (const auto& event : result.report.events) {
    if (event.samples == 0) continue;
    result.samples[event.name] += event.samples;
    result.period[event.name] += event.period;
  }
  return result;
}

TEST(CorpusCountsTest, SamplesAndPeriodsAreThoseOfPerf) {
  if (Corpus().empty()) GTEST_SKIP() << NoCorpusMessage();
  int compared = 0;
  for (const CorpusEntry& entry : Corpus()) {
    if (entry.samples.empty()) continue;
    SCOPED_TRACE(entry.id + " (" + entry.exercises + ")");
    const Result result = Count(entry);
    EXPECT_TRUE(result.status.ok()) << result.status;
    EXPECT_EQ(result.samples, entry.samples);
    EXPECT_EQ(result.period, entry.period);
    ++compared;
  }
  EXPECT_GT(compared, 200);
}

}  // namespace
}  // namespace perf2x
