// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_OFFCPU_SAMPLE_H_
#define PERF2X_SESSION_OFFCPU_SAMPLE_H_

#include <optional>

#include "converter/base/byte_order.h"
#include "converter/perf/records/sample.h"

namespace perf2x {

// Returns true if the raw data of a sample of an off-CPU event have all fields
// before the callchain. See DecodeOffCpuSample.
inline bool HoldsOffCpuData(const SampleRecord& sample) {
  constexpr size_t kHeaderSize = 24;
  return sample.raw.size() >= kHeaderSize;
}

// Returns a copy of `sample` with the pid, tid, period and callchain that its
// raw data hold. The callchain points into the raw data. Returns nullopt if the
// raw data are truncated. A BPF program of perf (since 6.16) writes the raw
// data: u32 pid, tid; u64 period, nr, ips[nr], cgroup
// (tools/perf/util/bpf_off_cpu.c).
std::optional<SampleRecord> DecodeOffCpuSample(const SampleRecord& sample,
                                               ByteOrder order);

}  // namespace perf2x

#endif  // PERF2X_SESSION_OFFCPU_SAMPLE_H_
