// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_READ_DELTAS_H_
#define PERF2X_SESSION_READ_DELTAS_H_

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "converter/perf/records/attr.h"
#include "converter/perf/records/sample.h"
#include "converter/perf/records/wire.h"
#include "converter/session/counter_key.h"

namespace perf2x {

// Computes the periods of leader sampling ({…}:S). Only the leader of a group
// samples; each of its samples holds the counters of all members. Each member
// whose counter grew since the last sample gets one sample, with the growth as
// its period. See deliver_sample_group() in tools/perf/util/session.c. Not
// thread-safe.
class ReadDeltas {
 public:
  // Calls `member(id, growth)` for each counter in `sample` that grew since its
  // last reading, in the order of the sample. `sample` must have
  // PERF_SAMPLE_READ; its event has `attr`. The first reading of a counter
  // counts from 0. Returns the number of counters that shrank, which happens
  // only in damaged recordings. Later growth is counted from the lower value.
  // Ignores all but the first counter if HasUnknownMembers.
  uint64_t ForEachGrowth(
      const SampleRecord& sample, const EventAttr& attr,
      absl::FunctionRef<void(uint64_t id, uint64_t growth)> member);

  // Returns true if `sample` has counters of a group that lack ids. Only the
  // first, the leader's, is known.
  static bool HasUnknownMembers(const SampleRecord& sample,
                                const EventAttr& attr) {
    return (attr.read_format & kReadGroup) != 0 &&
           (attr.read_format & kReadId) == 0 && sample.read.nr > 1;
  }

  size_t size() const { return last_.size(); }  // counters

 private:
  absl::flat_hash_map<CounterKey, uint64_t> last_;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_READ_DELTAS_H_
