// SPDX-License-Identifier: Apache-2.0

// Large traces of Arm SPE: the same output with any number of threads, and the
// same counts in formats that need samples' keys alone and in others.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "converter/convert/convert.h"
#include "converter/emit/registry.h"
#include "converter/perf/records/aux_records.h"
#include "converter/perf/records/kernel_records.h"
#include "tests/support/hardware_trace.h"
#include "tests/support/mmap_record.h"
#include "tests/support/text_output.h"

namespace perf2x {
namespace {

constexpr uint32_t kThreads = 40;

// Appends an operation. Some have no address, some are followed by padding or
// by a byte that is no packet.
void AppendOperation(std::mt19937& random, uint64_t time, ByteVector* trace) {
  const uint32_t number = static_cast<uint32_t>(random());
  if (number % 19 != 0) {
    trace->push_back(0xb0);
    Append((0x400000 + number / 64 % 4096) | uint64_t{1} << 63, 8, trace);
  }
  trace->push_back(0x64);
  Append(1000 + number / 7 % kThreads, 4, trace);
  trace->insert(trace->end(), {0x49, static_cast<uint8_t>(number & 1), 0x52});
  Append(number >> 8 & 0x3ff, 2, trace);
  trace->push_back(0xb2);
  Append(0x7000 + number % 512, 8, trace);
  trace->push_back(0x71);
  Append(time, 8, trace);
  if (number % 23 == 0) trace->push_back(0xff);
  if (number % 3 == 0) trace->insert(trace->end(), number % 64, 0);
}

// Three CPUs with several buffers each; records go on across some of them.
Recording LargeRecording() {
  Recording recording = HardwareTraceRecording("arm_spe_0//");
  AddTraceInfo(kAuxtraceArmSpe, {8, 1}, &recording);
  AddTimeConversion(0, 1, 0, &recording);
  for (uint32_t i = 0; i < kThreads; ++i) {
    CommRecord comm;
    comm.pid = static_cast<int32_t>(1000 + i / 4 * 4);
    comm.tid = static_cast<int32_t>(1000 + i);
    const std::string name = absl::StrCat("thread ", i);
    comm.comm = name;
    recording.Add(comm);
  }
  recording.Add(MmapOf(1000, "/bin/a", 0x400000), SampleId(), kMiscUser);
  std::mt19937 random(26);
  for (int32_t cpu = 0; cpu < 3; ++cpu) {
    ByteVector trace;
    for (uint64_t i = 0; i < 2000; ++i) {
      AppendOperation(random, i * 100 + random() % 100, &trace);
    }
    size_t begin = 0;
    for (const size_t end : {size_t{10'000}, size_t{50'000}, trace.size()}) {
      AddTrace(
          {.bytes = PartOf(trace, begin, end), .offset = begin, .cpu = cpu},
          &recording);
      begin = end;
    }
  }
  SampleId late;
  late.time = 300'000;
  late.id = 5;
  recording.Add(MmapOf(1004, "/bin/b", 0x400000), late, kMiscUser);
  return recording;
}

struct Result {
  std::string text;
  std::string counts;  // of samples by event, and of what was not read
};

Result Converted(const ByteVector& bytes, const char* format, int threads) {
  ConvertOptions options;
  options.symbolize = false;
  options.threads = threads;
  TextOutput outputs;
  ConvertReport report;
  const absl::Status status = Convert(MemoryInput(bytes), *FindEmitter(format),
                                      outputs, options, &report);
  EXPECT_TRUE(status.ok()) << status;
  Result result = {outputs.text, ""};
  for (const ConvertReport::EventCount& event : report.events) {
    absl::StrAppend(&result.counts, event.name, " ", event.samples, " ",
                    event.period, "\n");
  }
  for (const auto& [message, entry] : report.diagnostics.entries()) {
    if (entry.severity != Diagnostics::Severity::kDamage) continue;
    absl::StrAppend(&result.counts, message, " ", entry.count, " ",
                    entry.first_offset, "\n");
  }
  return result;
}

TEST(SpeThreadsTest, SameOutputWithAnyNumberOfThreads) {
  const ByteVector bytes = AsFile(LargeRecording());
  ASSERT_GT(bytes.size(), size_t{200'000});
  std::string counts;
  // Of these, folded stacks need no more than keys.
  for (const char* format : {"folded", "csv", "chrome"}) {
    const Result one = Converted(bytes, format, 1);
    EXPECT_GT(one.text.size(), 500u);
    EXPECT_THAT(one.counts, testing::HasSubstr("instructions 5"));
    EXPECT_THAT(one.counts, testing::HasSubstr("without an address"));
    if (counts.empty()) counts = one.counts;
    EXPECT_EQ(one.counts, counts) << format;
    for (const int threads : {2, 3}) {
      const Result more = Converted(bytes, format, threads);
      EXPECT_TRUE(more.text == one.text) << format << threads;
      EXPECT_EQ(more.counts, one.counts) << format << threads;
    }
  }
}

}  // namespace
}  // namespace perf2x
