// SPDX-License-Identifier: Apache-2.0

// What `info` and `dump` show of records that recordings of new kernels and of
// new versions of perf have.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "converter/inspect/inspect.h"
#include "converter/inspect/recording_info.h"
#include "converter/perf/records/sample.h"
#include "converter/perf/records/wire.h"
#include "tests/support/hostile.h"
#include "tests/support/perf_data_builder.h"
#include "tests/support/span_of.h"

namespace perf2x {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

Recording TestRecording(const std::string& name) {
  return TakeApart(OpenTestdata(name));
}

struct Shown {
  uint64_t count = 0, bytes = 0;
};

// Returns the records of a type in `recording`, as they are stored.
Shown StoredIn(const Recording& recording, uint32_t type) {
  Shown stored;
  for (const Recording::Record& record : recording.records) {
    if (record.type != type) continue;
    ++stored.count;
    stored.bytes += 8 + record.body.size();
  }
  return stored;
}

std::string JsonOf(const ByteVector& bytes) {
  Diagnostics diagnostics;
  const auto info = ReadRecordingInfo(MemoryInput(bytes), &diagnostics);
  EXPECT_TRUE(info.ok()) << info.status();
  return info.ok() ? ToJson(Describe(*info)) : "";
}

std::string ShownAs(const char* name, uint32_t type, const Shown& shown) {
  return absl::StrCat("{\n   \"name\": \"", name, "\",\n   \"type\": ", type,
                      ",\n   \"count\": ", shown.count,
                      ",\n   \"bytes\": ", shown.bytes, "\n  }");
}

// One stream may hold records of both types.
TEST(ShownRecordsTest, BothTypesOfCompressedRecordsHaveTheirOwnBytes) {
  Recording both =
      Compressed(TestRecording("callgraph.data"), kRecordCompressed);
  size_t n = 0;
  for (Recording::Record& record : both.records) {
    if (record.type != kRecordCompressed || ++n % 3 != 0) continue;
    // `u64 data_size`, the same data, and bytes up to a multiple of 8.
    record.type = kRecordCompressed2;
    const uint64_t size = record.body.size();
    for (int i = 7; i >= 0; --i) {
      record.body.insert(
          record.body.begin(),
          static_cast<uint8_t>(
              size >> (8 * (both.order == ByteOrder::kLittle ? i : 7 - i))));
    }
    record.body.resize((record.body.size() + 7) / 8 * 8);
  }
  const Shown first = StoredIn(both, kRecordCompressed);
  const Shown second = StoredIn(both, kRecordCompressed2);
  ASSERT_GT(first.count, second.count);
  ASSERT_GT(second.count, 1u);
  const std::string json = JsonOf(AsPipe(both));
  EXPECT_THAT(json, HasSubstr(ShownAs("COMPRESSED", 81, first)));
  EXPECT_THAT(json, HasSubstr(ShownAs("COMPRESSED2", 83, second)));
}

// The part that is there belongs to its type, too.
TEST(ShownRecordsTest, ACutCompressedRecordCountsWithItsType) {
  const Recording packed =
      Compressed(TestRecording("callgraph.data"), kRecordCompressed2);
  ByteVector bytes = AsPipe(packed);
  Diagnostics diagnostics;
  const auto whole = ReadRecordingInfo(MemoryInput(bytes), &diagnostics);
  ASSERT_TRUE(whole.ok()) << whole.status();
  bytes.resize(bytes.size() - 16);
  const auto info = ReadRecordingInfo(MemoryInput(bytes), &diagnostics);
  ASSERT_TRUE(info.ok()) << info.status();
  EXPECT_GT(info->bytes.compressed2, 0u);
  EXPECT_EQ(info->bytes.compressed, info->bytes.compressed2);
  EXPECT_EQ(info->bytes.compressed_records, 0u);
  EXPECT_EQ(info->bytes.compressed2_records, whole->bytes.compressed2_records);
}

std::string DumpOf(const ByteVector& bytes, bool regs,
                   Diagnostics* diagnostics = nullptr) {
  std::string text;
  const auto output = MakeStringOutput(&text);
  Diagnostics unused;
  DumpOptions options;
  options.regs = regs;
  EXPECT_TRUE(WriteDump(MemoryInput(bytes), options, *output,
                        diagnostics == nullptr ? &unused : diagnostics)
                  .ok());
  return text;
}

// Returns the lines of a dump that are of header features.
std::vector<std::string> FeatureLines(const std::string& dump) {
  std::vector<std::string> lines;
  for (const absl::string_view line : absl::StrSplit(dump, '\n')) {
    if (absl::StrContains(line, "HEADER_FEATURE")) lines.emplace_back(line);
  }
  return lines;
}

// With place, name, size and value, in the order of the file.
TEST(ShownRecordsTest, FeaturesAreShownByNameWithTheirValues) {
  auto input = OpenInput("testdata/callgraph.data");
  ASSERT_TRUE(input.ok()) << input.status();
  std::string text;
  const auto output = MakeStringOutput(&text);
  Diagnostics diagnostics;
  ASSERT_TRUE(WriteDump(*std::move(input), {}, *output, &diagnostics).ok());
  const std::vector<std::string> lines = FeatureLines(text);
  ASSERT_EQ(lines.size(), 20u) << text;
  EXPECT_THAT(
      lines[0],
      StartsWith("0x1de0 - HEADER_FEATURE feature=2 feature_name=\"BUILD_ID\" "
                 "size=300 build_ids=[{build_id="
                 "\"a2b06448d5adc89875c35f0bdfd235c43a93beaf\" "
                 "mode=\"user\" pid=-1 file=\"/opt/demo/bin/spin\"} {"));
  EXPECT_EQ(lines[1],
            "0x1f0c - HEADER_FEATURE feature=3 feature_name=\"HOSTNAME\" "
            "size=68 name=\"testhost\"");
  EXPECT_EQ(lines[5],
            "0x201c - HEADER_FEATURE feature=7 feature_name=\"NRCPUS\" size=8 "
            "cpus_online=2 cpus_available=2");
  EXPECT_THAT(lines[9], HasSubstr("\"CMDLINE\" size=956 command_line=["
                                  "\"/usr/bin/perf\" \"record\" \"-q\""));
  EXPECT_THAT(lines[10], HasSubstr("\"EVENT_DESC\" size=224 events=["
                                   "{name=\"cpu-clock:u\" ids=2}]"));
  // That has a row for each CPU of NRCPUS.
  EXPECT_THAT(lines[11],
              HasSubstr("topology={sockets=[\"0-1\"] dies=[\"0-1\"] "
                        "cores=[\"0\" \"1\"] cpus=[{cpu=0 core=0 die=0 "
                        "socket=0} {cpu=1 core=1 die=0 socket=0}]}"));
  EXPECT_THAT(lines[14], HasSubstr("\"CACHE\" size=1548 caches=[{level=1 "));
  EXPECT_THAT(lines[14], HasSubstr(" …"));
  EXPECT_THAT(lines[15],
              HasSubstr("\"SAMPLE_TIME\" size=16 first_sample_ns=2817502931082 "
                        "last_sample_ns=2817589252206"));
  EXPECT_THAT(lines[17], EndsWith("\"BPF_PROG_INFO\" size=4"));
}

TEST(ShownRecordsTest, FeaturesThatAreNotDecodedHaveTheirSize) {
  Recording recording = TestRecording("callgraph.data");
  recording.features = {
      {3, {200, 0, 0, 0, 'p', 'e'}}, {60, {1, 2, 3, 4, 5}}, {130, {6}}};
  Diagnostics diagnostics;
  const std::vector<std::string> lines =
      FeatureLines(DumpOf(AsFile(recording), false, &diagnostics));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_THAT(lines[0], EndsWith(" feature=3 feature_name=\"HOSTNAME\" size=6 "
                                 "(cut short)"));
  EXPECT_THAT(lines[1], EndsWith(" feature=60 size=5"));
  EXPECT_THAT(lines[2],
              EndsWith(" feature_name=\"SIMPLEPERF_DEBUG_UNWIND\" size=1"));
  EXPECT_EQ(diagnostics.entries().count("header feature is cut short"), 1u);
}

TEST(ShownRecordsTest, FeaturesThatAreCutSaySo) {
  Recording recording = TestRecording("callgraph.data");
  ByteVector cmdline, event_desc;
  for (const auto& feature : recording.features) {
    if (feature.number == kFeatureCmdline) cmdline = feature.data;
    if (feature.number == kFeatureEventDesc) event_desc = feature.data;
  }
  cmdline.resize(cmdline.size() - 8);
  event_desc.resize(event_desc.size() - 8);
  recording.features = {{kFeatureCmdline, cmdline},
                        {kFeatureEventDesc, event_desc}};
  Diagnostics diagnostics;
  const std::vector<std::string> lines =
      FeatureLines(DumpOf(AsFile(recording), false, &diagnostics));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_THAT(lines[0], HasSubstr("=[\"/usr/bin/perf\" \"record\" \"-q\""));
  EXPECT_THAT(lines[0], EndsWith(" (cut short)"));
  EXPECT_THAT(lines[1], EndsWith(" (cut short)"));
  EXPECT_EQ(diagnostics.entries().count("EVENT_DESC feature is cut short"), 1u);
}

// perf_output_sample_simd_regs(): numbers of registers, then their words.
TEST(ShownRecordsTest, SimdRegistersAreShownWithTheOtherRegisters) {
  Recording recording = TestRecording("dwarf.data");
  const std::vector<uint64_t> words = {0x11, 0x12, 0x21, 0x22, 0x31};
  ChangeSamples(&recording, [&](SampleRecord* sample) {
    if (sample->user_abi == kAbiNone) return false;
    sample->user_abi |= kAbiSimd;
    sample->user_simd.vectors = sample->user_simd.vector_words = 2;
    sample->user_simd.predicates = sample->user_simd.predicate_words = 1;
    sample->user_simd.words = SpanOf(words);
    return true;
  });
  const ByteVector file = AsFile(recording);
  EXPECT_THAT(DumpOf(file, /*regs=*/true),
              HasSubstr("user_vectors=2 user_vector_words=2 user_predicates=1 "
                        "user_predicate_words=1 "
                        "user_simd=[0x11 0x12 0x21 0x22 0x31]"));
  const std::string without = DumpOf(file, /*regs=*/false);
  EXPECT_THAT(without, HasSubstr("user_vectors=2"));
  EXPECT_THAT(without, Not(HasSubstr("user_simd=")));
}

}  // namespace
}  // namespace perf2x
