// SPDX-License-Identifier: Apache-2.0

// Address spaces of parents and children, followed through whole recordings.

#include <gtest/gtest.h>

#include <string>

#include "converter/convert/convert.h"
#include "converter/perf/records/kernel_records.h"
#include "tests/support/hostile.h"
#include "tests/support/mmap_record.h"
#include "tests/support/perf_data_builder.h"
#include "tests/support/read_recording.h"

namespace perf2x {
namespace {

SampleRecord SampleIn(int32_t pid, uint64_t ip) {
  SampleRecord sample;
  sample.pid = sample.tid = pid;
  sample.ip = ip;
  return sample;
}

// What a child maps after its fork is not in its parent, also when no sample
// was taken in between.
TEST(ForkMapsTest, AChildsMapsAreItsOwn) {
  Recording recording;
  Recording::Event event;
  event.attr.type = kTypeSoftware;
  event.attr.size = kAttrSizeVer0;
  event.attr.sample_type = kSampleIp | kSampleTid;
  event.attr.flags = uint64_t{1} << 18;  // sample_id_all
  recording.events.push_back(event);
  SampleId id;
  id.pid = id.tid = 1;
  for (uint64_t i = 1; i <= 20; ++i) {
    recording.Add(MmapOf(1, "/parent", i * 0x10000), id);
  }
  ForkRecord fork;
  fork.pid = fork.tid = 2;
  fork.ppid = fork.ptid = 1;
  recording.Add(fork, id);
  for (uint64_t i = 1; i <= 20; ++i) {
    recording.Add(MmapOf(2, "/child", i * 0x10000), id);
    recording.Add(MmapOf(2, "/child", i * 0x10000 + 0x8000), id);
  }
  for (uint64_t i = 1; i <= 20; ++i) {
    recording.Add(SampleIn(1, i * 0x10000));
    recording.Add(SampleIn(1, i * 0x10000 + 0x8000));
    recording.Add(SampleIn(2, i * 0x10000));
  }
  const ByteVector bytes = AsPipe(recording);
  std::map<std::string, int> files;
  std::vector<FrameId> frames;
  RecordingReader reader;
  reader.on_sample = [&](const Sample& sample, TraceTables& tables) {
    tables.FramesOf(sample.stack, &frames);
    ++files[tables.dsos()[tables.frames()[frames.front()].dso].name];
  };
  ConvertReport report;
  ASSERT_TRUE(
      ReadRecording(MemoryInput(bytes), WithoutFiles(), reader, &report).ok());
  EXPECT_EQ(files, (std::map<std::string, int>{
                       {"/parent", 20}, {"/child", 20}, {"[unknown]", 20}}));
}

}  // namespace
}  // namespace perf2x
