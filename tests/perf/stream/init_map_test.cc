// SPDX-License-Identifier: Apache-2.0
// The feature INIT_MAP of simpleperf, which holds records.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "converter/convert/convert.h"
#include "tests/perf/stream/comm_recordings.h"
#include "tests/support/hostile.h"
#include "tests/support/mmap_record.h"
#include "tests/support/perf_data_builder.h"
#include "tests/support/read_recording.h"
#include "tests/support/wire.h"

namespace perf2x {
namespace {

// Returns the records as they are in a file.
ByteVector BytesOf(const Recording& recording) {
  ByteVector bytes;
  for (const Recording::Record& record : recording.records) {
    ByteVector head(8);
    Store(record.type, &head[0], recording.order);
    Store(record.misc, &head[4], recording.order);
    Store(static_cast<uint16_t>(8 + record.body.size()), &head[6],
          recording.order);
    bytes.insert(bytes.end(), head.begin(), head.end());
    bytes.insert(bytes.end(), record.body.begin(), record.body.end());
  }
  return bytes;
}

// A recording of a sample in process 7, whose name and mapping are in INIT_MAP.
// Their time is that of the end.
Recording WithInitMap(bool compressed) {
  Recording recording;
  recording.AddSoftwareEvent(kSampleIp | kSampleTid | kSampleTime).flags |=
      kSampleIdAll;
  Recording maps = recording;
  SampleId late;
  late.pid = late.tid = 7;
  late.time = 9000;
  maps.Add(MmapOf(7, "/system/lib64/libc.so", 0x10000), late);
  CommRecord comm;
  comm.pid = comm.tid = 7;
  comm.comm = "init";
  maps.Add(comm, late);
  recording.features.push_back(
      {kFeatureSimpleperfInitMap,
       BytesOf(compressed ? Compressed(maps, kRecordCompressed) : maps)});
  SampleRecord sample;
  sample.pid = sample.tid = 7;
  sample.ip = 0x10020;
  sample.time = 1000;
  recording.Add(sample);
  return recording;
}

TEST(InitMapTest, AppliesToAllSamples) {
  for (const bool compressed : {false, true}) {
    const ByteVector bytes = AsFile(WithInitMap(compressed));
    std::map<std::string, int> seen;
    std::vector<FrameId> frames;
    RecordingReader reader;
    reader.on_sample = [&](const Sample& sample, TraceTables& tables) {
      tables.FramesOf(sample.stack, &frames);
      ++seen[std::string(tables.strings[tables.threads[sample.thread].name]) +
             " " + tables.dsos()[tables.frames()[frames.front()].dso].name];
    };
    ConvertReport report;
    ASSERT_TRUE(
        ReadRecording(MemoryInput(bytes), WithoutFiles(), reader, &report)
            .ok());
    EXPECT_EQ(seen,
              (std::map<std::string, int>{{"init /system/lib64/libc.so", 1}}))
        << compressed;
    EXPECT_FALSE(report.diagnostics.lossy());
  }
}

// The section is part of the header, so that its records are not numbered, and
// its bytes are no data.
TEST(InitMapTest, ComesBeforeTheData) {
  for (const bool compressed : {false, true}) {
    const ByteVector bytes = AsFile(WithInitMap(compressed));
    Diagnostics diagnostics;
    auto reader = RecordReader::Open(MemoryInput(bytes), &diagnostics);
    ASSERT_TRUE(reader.ok());
    std::vector<uint32_t> replayed;
    uint64_t samples = 0;
    for (RawRecord record; (*reader)->Next(&record);) {
      if (record.type >= kRecordUserFirst) continue;
      if (record.replayed) {
        EXPECT_EQ(samples, 0u);
        replayed.push_back(record.type);
      } else {
        EXPECT_EQ(record.type, kRecordSample);
        EXPECT_EQ(record.index, 0u);
        ++samples;
      }
    }
    EXPECT_EQ(replayed,
              (std::vector<uint32_t>{MmapRecord::kType, CommRecord::kType}));
    EXPECT_EQ(samples, 1u);
    EXPECT_EQ((*reader)->bytes().data, (*reader)->bytes().record_bytes);
    EXPECT_EQ((*reader)->bytes().compressed, 0u);
    EXPECT_TRUE(diagnostics.entries().empty());
  }
}

TEST(InitMapTest, OtherRecordsInItAreCounted) {
  Recording recording = Comms(3);
  Recording maps = recording;
  SampleRecord sample;
  maps.Add(sample);
  recording.features.push_back({kFeatureSimpleperfInitMap, BytesOf(maps)});
  const Read read = ReadAll(AsFile(recording));
  EXPECT_EQ(read.comms.size(), 6u);
  EXPECT_EQ(read.types.count(kRecordSample), 0u);
  ASSERT_EQ(read.diagnostics.entries().size(), 1u);
  EXPECT_EQ(read.diagnostics.entries().begin()->first,
            "SAMPLE record in the feature INIT_MAP");
}

TEST(InitMapTest, NoDamageCrashesIt) {
  const ByteVector whole = AsFile(WithInitMap(/*compressed=*/true));
  for (size_t i = 0; i < whole.size(); ++i) {
    for (const uint8_t flip : {0xff, 0x01, 0x80}) {
      ByteVector wrong = whole;
      wrong[i] ^= flip;
      ReadAll(wrong);
    }
  }
}

}  // namespace
}  // namespace perf2x
