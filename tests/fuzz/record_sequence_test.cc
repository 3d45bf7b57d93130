// SPDX-License-Identifier: Apache-2.0

// Recordings whose records are rearranged: a recording that is parsed and
// stored again has the same records, and no rearrangement breaks a promise.

#include "tests/fuzz/record_sequence.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "converter/perf/records/wire.h"
#include "tests/fuzz/read_back.h"
#include "tests/fuzz/record_trial.h"
#include "tests/fuzz/trial_loop.h"
#include "tests/support/hostile.h"
#include "tests/support/perf_data_builder.h"
#include "tests/support/perfetto_trace.h"

namespace perf2x {
namespace {

using Container = Storage::Container;

bool SameRecords(const RecordSequence& a, const RecordSequence& b) {
  if (a.order != b.order || a.records.size() != b.records.size()) return false;
  for (size_t i = 0; i < a.records.size(); ++i) {
    const auto &x = a.records[i], &y = b.records[i];
    if (x.type != y.type || x.misc != y.misc || x.body != y.body ||
        x.payload != y.payload) {
      return false;
    }
  }
  return true;
}

TEST(RecordSequenceTest, IsTheSameAfterEveryKindOfStorage) {
  const std::vector<RecordSequence> seeds = RecordingSeeds();
  ASSERT_GT(seeds.size(), 30u);
  size_t compressed = 0;
  for (const RecordSequence& seed : seeds) {
    Storage storage;
    EXPECT_TRUE(
        SameRecords(seed, ParseRecordSequence(Store(seed, storage)[0])));
    for (const uint32_t type : {kRecordCompressed, kRecordCompressed2}) {
      storage.compressed = type;
      storage.compress_from = seed.HeadSize();
      storage.chunk = 500;
      const ByteVector pipe = Store(seed, storage)[0];
      // Only a payload ends the compressed bytes before it.
      EXPECT_TRUE(SameRecords(seed, ParseRecordSequence(pipe)));
      compressed += ParseRecordSequence(pipe).records.size();
    }
  }
  EXPECT_GT(compressed, 1000u);
}

TEST(RecordSequenceTest, AFileHasTheSamples) {
  for (const RecordSequence& seed : RecordingSeeds()) {
    Storage storage;
    const ByteVector pipe = Store(seed, storage)[0];
    storage.container = Container::kFile;
    const ByteVector file = Store(seed, storage)[0];
    EXPECT_EQ(ConvertHostile(MemoryInput(pipe)).samples,
              ConvertHostile(MemoryInput(file)).samples);
  }
}

TEST(RecordSequenceTest, RepeatsUpToTheSizeThatIsAskedFor) {
  RecordSequence list;
  list.records.push_back({kRecordComm, 0, ByteVector(24), {}});
  list.repeat = {.first = 0, .count = 1, .bytes = 64'000'000};
  Storage storage;
  storage.compressed = kRecordCompressed;
  const ByteVector pipe = Store(list, storage)[0];
  EXPECT_LT(pipe.size(), 100'000u);
  const Outcome outcome = InspectHostile(MemoryInput(pipe), /*dump=*/false);
  EXPECT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_LT(Store(list, Storage())[0].size(), 1'000'100u);
}

// A payload is not compressed, however often its record is repeated.
TEST(RecordSequenceTest, RepeatsNoMorePayloadThanThereMayBePlainBytes) {
  RecordSequence list;
  list.records.resize(1);
  list.records[0].type = kRecordHeaderTracingData;
  list.records[0].body = ByteVector(4);
  list.records[0].payload = ByteVector(5000);
  list.repeat = {0, 1, 70'000'000};
  Storage storage;
  storage.compressed = kRecordCompressed;
  const size_t size = Store(list, storage)[0].size();
  EXPECT_GT(size, storage.max_plain);
  EXPECT_LT(size, storage.max_plain + 200'000);
}

TEST(RecordMutatorTest, MakesTheSameOfASeed) {
  const std::vector<RecordSequence> seeds = RecordingSeeds();
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const RecordTrial a = MakeTrial(seed, seeds), b = MakeTrial(seed, seeds);
    EXPECT_EQ(a.files, b.files);
    EXPECT_EQ(a.Description(), b.Description());
  }
}

// PERF2X_TRIALS=COUNT sets the number of trials, PERF2X_TRIALS=COUNT:SEED also
// the first seed.
TEST(RecordTrialsTest, BreakNoPromise) {
  TrialLoopOptions options;
  options.count = Sanitized() ? 120 : 600;
  options.print = false;
  if (const char* given = std::getenv("PERF2X_TRIALS")) {
    char* end = nullptr;
    options.count = std::strtoull(given, &end, 10);
    if (*end == ':') options.first_seed = std::strtoull(end + 1, nullptr, 10);
    options.print = true;
  }
  for (const TrialFinding& finding : RunTrialLoop(options)) {
    ADD_FAILURE() << finding.what << "\n  perf2x_record_fuzz --here --seed "
                  << finding.seed;
  }
}

TEST(ReadBackTest, SeesWhatIsWrong) {
  uint64_t n = 0;
  size_t events = 0;
  EXPECT_EQ(CheckCsv("a,b\r\n1,\"2\"\"\"\r\n", &n), "");
  EXPECT_EQ(n, 1u);
  EXPECT_NE(CheckCsv("a,b\r\n1\r\n", &n), "");
  EXPECT_NE(CheckCsv("a,b\r\n1,2", &n), "");
  EXPECT_NE(CheckCsv("a\r\nx\x01\r\n", &n), "");
  EXPECT_EQ(CheckFolded("a;b 1\na;c 2\n", &n), "");
  EXPECT_EQ(n, 3u);
  EXPECT_NE(CheckFolded("a;b 1\na;b 2\n", &n), "");
  EXPECT_NE(CheckFolded("a;b x\n", &n), "");
  EXPECT_EQ(CheckJson("{\"a\":[1,\"\\u202e\"]}"), "");
  EXPECT_NE(CheckJson("{\"a\":1}x"), "");
  EXPECT_NE(CheckJson("{\"a\":\"\xff\"}"), "");
  EXPECT_NE(CheckJson("{\"a\":nan}"), "");
  const std::string event =
      "{\"name\":\"f\",\"ph\":\"X\",\"cat\":\"c\",\"pid\":1,\"ts\":1";
  EXPECT_EQ(CheckChromeTrace("{\"traceEvents\":[" + event + ",\"dur\":1}]}"),
            "");
  EXPECT_NE(CheckChromeTrace("{\"traceEvents\":[" + event + "}]}"), "");
  EXPECT_NE(CheckChromeTrace("{\"events\":[]}"), "");
  // A sample and the clock snapshot that precedes it.
  const std::string clocks("\x0a\x06\x32\x00\x50\x01\x68\x01", 8);
  const std::string sample("\x0a\x09\x40\x05\x50\x02\x68\x01\x92\x04\x00", 11);
  EXPECT_EQ(CheckPerfettoTrace(clocks + sample, &n), "");
  EXPECT_EQ(n, 1u);
  EXPECT_NE(CheckPerfettoTrace(sample, &n), "");
  EXPECT_NE(CheckPerfettoTrace(clocks + sample.substr(0, 10), &n), "");
  EXPECT_NE(CheckPprof("", &n, &events), "");
  EXPECT_NE(CheckPprof("\x1f\x8b", &n, &events), "");
  EXPECT_NE(CheckPlainText("a\x1b[0m\n"), "");
}

}  // namespace
}  // namespace perf2x
