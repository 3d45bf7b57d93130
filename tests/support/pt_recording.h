// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SUPPORT_PT_RECORDING_H_
#define PERF2X_TESTS_SUPPORT_PT_RECORDING_H_

#include <cstdint>
#include <string>

#include "converter/perf/records/aux_records.h"
#include "converter/perf/records/kernel_records.h"
#include "tests/support/hardware_trace.h"
#include "tests/support/mmap_record.h"

// Recordings with a trace of Intel PT.

namespace perf2x {

// A recording whose time is the time-stamp counter.
inline Recording NewPtRecording() {
  Recording recording = HardwareTraceRecording("intel_pt//");
  AddTimeConversion(0, 1, 0, &recording);
  AddTraceInfo(kAuxtraceIntelPt, IntelPtInfo(), &recording);
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
  to->Add(MmapOf(pid, file, 0x401000, 0x10000, 0x1000), SampleId(), kMiscUser);
}

// A recording of process 100, which runs /bin/a.
inline Recording NewProcessRecording() {
  Recording recording = NewPtRecording();
  AddProcess(100, "/bin/a", &recording);
  return recording;
}

}  // namespace perf2x

#endif  // PERF2X_TESTS_SUPPORT_PT_RECORDING_H_
