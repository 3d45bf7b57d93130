// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_PERF_STREAM_COMM_RECORDINGS_H_
#define PERF2X_TESTS_PERF_STREAM_COMM_RECORDINGS_H_

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "converter/perf/stream/record_reader.h"
#include "tests/support/perf_data_builder.h"

namespace perf2x {

// A recording of `n` COMM records a microsecond apart, in rounds of ten.
inline Recording Comms(int n) {
  Recording recording;
  Recording::Event event;
  event.attr.type = kTypeSoftware;
  event.attr.size = kAttrSizeVer0;
  event.attr.sample_type = kSampleTid | kSampleTime | kSampleIdentifier;
  event.attr.flags = 1 << 18;  // sample_id_all
  event.ids = {7};
  event.name = "cpu-clock";
  recording.events.push_back(event);
  uint64_t noise = 1;
  for (int i = 0; i < n; ++i) {
    noise = noise * 6364136223846793005u + 1442695040888963407u;
    const std::string name = absl::StrCat(absl::Hex(noise));
    CommRecord comm;
    comm.pid = i;
    comm.comm = absl::string_view(name).substr(0, 15);
    SampleId id;
    id.pid = id.tid = i;
    id.time = 1000 + static_cast<uint64_t>(i);
    id.id = 7;
    recording.Add(comm, id);
    if (i % 10 == 9) {
      recording.records.push_back({kRecordFinishedRound, 0, {}, {}, 0});
    }
  }
  return recording;
}

struct Read {
  absl::Status status;
  std::vector<ByteVector> comms;
  std::map<uint32_t, int> types;
  ByteAccount bytes;
  Diagnostics diagnostics;
};

// Reads all records. Fails the test if the bytes do not add up.
inline Read ReadAll(const ByteVector& bytes) {
  Read out;
  auto reader = RecordReader::Open(MemoryInput(bytes), &out.diagnostics);
  out.status = reader.status();
  if (!reader.ok()) return out;
  for (RawRecord record; (*reader)->Next(&record);) {
    ++out.types[record.type];
    if (record.type == kRecordComm) {
      out.comms.emplace_back(record.body.begin(), record.body.end());
    }
  }
  out.bytes = (*reader)->bytes();
  const ByteAccount& b = out.bytes;
  EXPECT_EQ(b.record_bytes + b.payload + b.damaged,
            b.data - b.compressed + b.decompressed);
  return out;
}

}  // namespace perf2x

#endif  // PERF2X_TESTS_PERF_STREAM_COMM_RECORDINGS_H_
