// SPDX-License-Identifier: Apache-2.0
// What a conversion skips once its budget is exhausted.

#include "converter/base/budget.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "converter/convert/convert.h"
#include "converter/emit/registry.h"
#include "converter/perf/records/kernel_records.h"
#include "converter/perf/records/sample.h"
#include "tests/support/hostile.h"
#include "tests/support/perf_data_builder.h"
#include "tests/support/text_output.h"

namespace perf2x {
namespace {

// Samples of ever new processes, in rounds, each of which takes memory.
Recording NewProcesses(uint32_t count) {
  Recording recording;
  recording
      .AddSoftwareEvent(kSampleIdentifier | kSampleIp | kSampleTid |
                        kSampleTime)
      .flags = kSampleIdAll;
  for (uint32_t i = 1; i <= count; ++i) {
    SampleRecord sample;
    sample.id = 1;
    sample.ip = 0x400000 + i;
    sample.pid = sample.tid = static_cast<int32_t>(i);
    sample.time = i;
    recording.Add(sample);
    if (i % 777 == 0)
      recording.records.push_back({kRecordFinishedRound, 0, {}, {}, 0});
  }
  return recording;
}

struct Result {
  std::string text;
  uint64_t samples = 0;
  std::string complaints;
};

Result ConvertWithLittle(const ByteVector& bytes, const std::string& format,
                         int threads, uint64_t memory) {
  Budget budget({{{memory, 0}, {1 << 30, 0}, {1 << 30, 0}}});
  ConvertOptions options = WithoutFiles();
  options.threads = threads;
  options.budget = &budget;
  TextOutput outputs;
  ConvertReport report;
  EXPECT_TRUE(Convert(MemoryInput(bytes), *FindEmitter(format), outputs,
                      options, &report)
                  .ok());
  Result result;
  result.text = outputs.text;
  for (const auto& event : report.events) result.samples += event.samples;
  for (const auto& [message, entry] : report.diagnostics.entries()) {
    result.complaints += message + " " + std::to_string(entry.count) + " at " +
                         std::to_string(entry.first_offset) + "\n";
  }
  return result;
}

TEST(BudgetTest, WhatIsSkippedDoesNotDependOnThreads) {
  constexpr uint32_t kSamples = 60'000;
  const Recording recording = NewProcesses(kSamples);
  for (const ByteVector& bytes : {AsFile(recording), AsPipe(recording)}) {
    for (const uint64_t memory : {4'000'000, 7'000'000}) {
      for (const EmitterInfo& info : Emitters()) {
        const std::string format = info.name;
        const Result one = ConvertWithLittle(bytes, format, 1, memory);
        EXPECT_GT(one.samples, 0u);
        EXPECT_LT(one.samples, kSamples);
        EXPECT_NE(one.complaints.find("the memory that an input of this size"),
                  std::string::npos)
            << one.complaints;
        for (const int threads : {2, 3, 4}) {
          const Result more = ConvertWithLittle(bytes, format, threads, memory);
          EXPECT_EQ(more.samples, one.samples) << format << threads;
          EXPECT_EQ(more.complaints, one.complaints);
          EXPECT_EQ(more.text == one.text, true) << format << threads;
        }
      }
    }
  }
}

}  // namespace
}  // namespace perf2x
