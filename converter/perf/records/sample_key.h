// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_RECORDS_SAMPLE_KEY_H_
#define PERF2X_PERF_RECORDS_SAMPLE_KEY_H_

#include <cstdint>

#include "converter/base/hash.h"

namespace perf2x {

inline constexpr uint32_t kNoEvent = ~0u;

// What is asked of every sample: read by whoever frames it, while its first
// bytes are in that processor's cache. Those who get it need not touch them.
struct SampleKey {
  uint32_t event = kNoEvent;  // see AttrTable
  int32_t pid = -1, tid = -1;
  uint32_t cpu = ~0u;
  uint64_t ip = 0;
  uint64_t period = 0;     // the event's own, where samples have none
  Hash128 callchain_hash;  // HashBytes of the callchain, if there is one
};

}  // namespace perf2x

#endif  // PERF2X_PERF_RECORDS_SAMPLE_KEY_H_
