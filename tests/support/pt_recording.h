// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SUPPORT_PT_RECORDING_H_
#define PERF2X_TESTS_SUPPORT_PT_RECORDING_H_

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>

#include "converter/perf/records/aux_records.h"
#include "converter/perf/records/kernel_records.h"
#include "tests/support/perf_data_builder.h"

// Recordings with a trace of Intel PT.

namespace perf2x {

inline void Append(uint64_t value, size_t size, ByteVector* to) {
  for (size_t i = 0; i < size; ++i) {
    to->push_back(static_cast<uint8_t>(value >> (8 * i)));
  }
}

inline ByteVector Words(std::initializer_list<uint64_t> words) {
  ByteVector bytes;
  for (const uint64_t word : words) Append(word, 8, &bytes);
  return bytes;
}

// A recording whose time is the time-stamp counter.
inline Recording NewPtRecording() {
  Recording recording;
  Recording::Event event;
  event.attr.type = 8;
  event.attr.sample_type =
      kSampleIp | kSampleTid | kSampleTime | kSampleCpu | kSampleIdentifier;
  event.attr.flags = 1 << 18;  // sample_id_all
  event.ids = {5};
  event.name = "intel_pt//";
  recording.events = {event};
  recording.records.push_back({kRecordTimeConv, 0, Words({0, 1, 0}), {}, 0});
  recording.records.push_back(
      {kRecordAuxtraceInfo,
       0,
       Words({kAuxtraceIntelPt, 8, 0, 1, 0, 1, 0x400, 0x800, 3, 0, 1, 0x200,
              0x3c000, 2, 1, 2, 12, 0}),
       {},
       0});
  return recording;
}

inline SampleId At(uint64_t time, int32_t tid = -1) {
  SampleId id;
  id.time = time;
  id.pid = id.tid = tid;
  id.cpu = 0;
  id.id = 5;
  return id;
}

inline void AddProcess(int32_t pid, const std::string& file, Recording* to) {
  CommRecord comm;
  comm.pid = comm.tid = pid;
  const std::string name = file.substr(file.rfind('/') + 1);
  comm.comm = name;
  to->Add(comm);
  MmapRecord mmap;
  mmap.pid = mmap.tid = pid;
  mmap.addr = 0x401000;
  mmap.pgoff = 0x1000;
  mmap.len = 0x10000;
  mmap.filename = file;
  to->Add(mmap, SampleId(), kMiscUser);
}

// The buffer of a CPU or, if that is -1, of a thread.
inline void AddTrace(ByteVector payload, uint64_t place, int32_t cpu,
                     int32_t tid, Recording* to) {
  ByteVector body = Words({payload.size(), place, 0});
  for (const int32_t word : {0, tid, cpu, 0}) {
    Append(static_cast<uint32_t>(word), 4, &body);
  }
  to->records.push_back({kRecordAuxtrace, 0, body, std::move(payload), 0});
}

}  // namespace perf2x

#endif  // PERF2X_TESTS_SUPPORT_PT_RECORDING_H_
