// SPDX-License-Identifier: Apache-2.0

// Recordings as kernels and perfs write them that are newer than those which
// made testdata/: such recordings rewritten, which must say the same.

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/support/perf_data_builder.h"
#include "tests/support/read_recording.h"
#include "tests/support/span_of.h"

namespace perf2x {
namespace {

using testing::HasSubstr;
using testing::Not;

Recording TestRecording(const char* name) {
  return TakeApart(OpenTestdata(name));
}

// One a sample: its thread, time, period and frames.
std::vector<std::string> RowsOf(const Recording& recording) {
  std::vector<std::string> rows;
  std::vector<FrameId> frames;
  RecordingReader reader;
  reader.on_sample = [&](const Sample& sample, TraceTables& tables) {
    tables.FramesOf(sample.stack, &frames);
    std::string& row = rows.emplace_back(
        absl::StrCat(tables.threads[sample.thread].tid, " ",
                     sample.time.value_or(0), " ", sample.period));
    for (const FrameId id : frames) {
      const Frame& frame = tables.frames()[id];
      absl::StrAppend(&row, " ", tables.dsos()[frame.dso].name, "+",
                      absl::Hex(frame.address));
    }
  };
  ConvertOptions options;
  options.symbolize = false;
  options.symbols.binaries.symfs = "testdata/symfs";
  options.symbols.binaries.debug_dirs.clear();
  options.symbols.binaries.buildid_dir = "/nonexistent";
  const ByteVector bytes = AsFile(recording);
  const absl::Status status =
      ReadRecording(MemoryInput(bytes), options, reader);
  EXPECT_TRUE(status.ok()) << status;
  return rows;
}

// Replaces a feature's bytes, or adds it.
void SetFeature(uint32_t number, ByteVector data, Recording* recording) {
  for (Recording::Feature& feature : recording->features) {
    if (feature.number == number) {
      feature.data = std::move(data);
      return;
    }
  }
  recording->features.push_back({number, std::move(data)});
}

// A kernel that samples SIMD registers puts them between the registers and the
// stack: perf_output_sample_simd_regs().
TEST(NewerRecordingsTest, SimdRegistersLeaveStacksAsTheyAre) {
  Recording recording = TestRecording("dwarf.data");
  const std::vector<std::string> rows = RowsOf(recording);
  const std::vector<uint64_t> words(2 * 4 + 1, 0x5a5a5a5a5a5a5a5a);
  const int changed = ChangeSamples(&recording, [&](SampleRecord* sample) {
    if (sample->user_abi == kAbiNone) return false;
    sample->user_abi |= kAbiSimd;
    sample->user_simd.vectors = 2;
    sample->user_simd.vector_words = 4;
    sample->user_simd.predicates = 1;
    sample->user_simd.predicate_words = 1;
    sample->user_simd.words = SpanOf(words);
    return true;
  });
  ASSERT_GT(changed, 10);
  EXPECT_EQ(RowsOf(recording), rows);
}

// perf 7 may spell the machine as perf_env__arch() does.
TEST(NewerRecordingsTest, PerfsSpellingOfTheMachineUnwindsAsWell) {
  Recording recording = TestRecording("dwarf.data");
  const std::vector<std::string> rows = RowsOf(recording);
  SetFeature(kFeatureArch, {4, 0, 0, 0, 'x', '8', '6', 0}, &recording);
  EXPECT_EQ(RowsOf(recording), rows);
  // Of the first thread of a 64-bit machine, which may be a 32-bit one.
  SetFeature(kFeatureEMachine, {EM_386, 0, 0, 0, 0, 0, 0, 0}, &recording);
  EXPECT_EQ(RowsOf(recording), rows);
  // Of ELF files alone.
  SetFeature(kFeatureArch, {1, 0, 0, 0, 0}, &recording);
  SetFeature(kFeatureEMachine, {EM_X86_64, 0, 0, 0, 0, 0, 0, 0}, &recording);
  EXPECT_EQ(RowsOf(recording), rows);
}

// perf inject --aslr writes 0 for addresses that it knows no mapping of, in the
// kernel's part of a stack as well.
TEST(NewerRecordingsTest, MaskedKernelAddressesAreUnknown) {
  Recording recording = TestRecording("kernel.data");
  std::vector<uint64_t> chain;
  const int masked = ChangeSamples(&recording, [&](SampleRecord* sample) {
    chain.clear();
    for (size_t i = 0; i < sample->ips.size(); ++i) {
      chain.push_back(sample->ips[i]);
    }
    if (chain.size() < 3 || chain[0] != kContextKernel ||
        chain[2] >= kContextMax) {
      return false;
    }
    chain[2] = 0;
    sample->ips = SpanOf(chain);
    return true;
  });
  ASSERT_GT(masked, 0);
  int unknown = 0;
  for (const std::string& row : RowsOf(recording)) {
    EXPECT_THAT(row, Not(HasSubstr("[kernel.kallsyms]+0 ")));
    if (row.find(" [unknown]+0") != row.npos) ++unknown;
  }
  EXPECT_GE(unknown, masked);  // one was so before
}

}  // namespace
}  // namespace perf2x
