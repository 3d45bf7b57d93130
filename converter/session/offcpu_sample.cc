// SPDX-License-Identifier: Apache-2.0
#include "converter/session/offcpu_sample.h"

#include "converter/base/byte_reader.h"

namespace perf2x {

std::optional<SampleRecord> DecodeOffCpuSample(const SampleRecord& sample,
                                               ByteOrder order) {
  ByteReader in(sample.raw, order);
  SampleRecord sleep = sample;
  sleep.pid = static_cast<int32_t>(in.U32());
  sleep.tid = static_cast<int32_t>(in.U32());
  sleep.period = in.U64();
  sleep.nr = in.U64();
  sleep.ips = in.Words(sleep.nr);
  if (!in.ok()) return std::nullopt;
  sleep.ip = sleep.nr > 1 ? sleep.ips[1] : 0;
  return sleep;
}

}  // namespace perf2x
