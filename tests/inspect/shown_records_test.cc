// SPDX-License-Identifier: Apache-2.0

// What `info` and `dump` show of records that recordings of new kernels and of
// new versions of perf have.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "converter/inspect/inspect.h"
#include "converter/inspect/recording_info.h"
#include "converter/perf/records/sample.h"
#include "converter/perf/records/wire.h"
#include "tests/support/hostile.h"
#include "tests/support/perf_data_builder.h"
#include "tests/support/span_of.h"

namespace perf2x {
namespace {

using testing::HasSubstr;
using testing::Not;

Recording RecordingOf(const std::string& name) {
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
  Recording both = Compressed(RecordingOf("callgraph.data"), kRecordCompressed);
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
      Compressed(RecordingOf("callgraph.data"), kRecordCompressed2);
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

std::string DumpOf(const ByteVector& bytes, bool regs) {
  std::string text;
  const auto output = MakeStringOutput(&text);
  Diagnostics diagnostics;
  DumpOptions options;
  options.regs = regs;
  EXPECT_TRUE(
      WriteDump(MemoryInput(bytes), options, *output, &diagnostics).ok());
  return text;
}

// perf_output_sample_simd_regs(): numbers of registers, then their words.
TEST(ShownRecordsTest, SimdRegistersAreShownWithTheOtherRegisters) {
  Recording recording = RecordingOf("dwarf.data");
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
