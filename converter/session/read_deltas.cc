// SPDX-License-Identifier: Apache-2.0
#include "converter/session/read_deltas.h"

#include <utility>

namespace perf2x {

uint64_t ReadDeltas::ForEachGrowth(
    const SampleRecord& sample, const EventAttr& attr,
    absl::FunctionRef<void(uint64_t id, uint64_t growth)> member) {
  // The kernel allows inherited counters in samples only together with
  // PERF_SAMPLE_TID.
  const int32_t tid =
      attr.inherit() && (attr.sample_type & kSampleTid) ? sample.tid : -1;
  uint64_t shrunk = 0;
  auto grow = [&](uint64_t id, uint64_t value) {
    uint64_t& last = last_[{id, tid}];
    const uint64_t before = std::exchange(last, value);
    if (value > before) member(id, value - before);
    if (value < before) ++shrunk;
  };
  if ((attr.read_format & kReadGroup) == 0) {
    grow((attr.read_format & kReadId) ? sample.read.id : sample.id,
         sample.read.value);
    return shrunk;
  }
  const int stride = ReadValues::Stride(attr.read_format);
  const uint64_t known = HasUnknownMembers(sample, attr) ? 1 : sample.read.nr;
  for (uint64_t i = 0; i < known; ++i) {
    const uint64_t value = sample.read.members[i * stride];
    const uint64_t id = (attr.read_format & kReadId)
                            ? sample.read.members[i * stride + 1]
                            : sample.id;
    grow(id, value);
  }
  return shrunk;
}

}  // namespace perf2x
