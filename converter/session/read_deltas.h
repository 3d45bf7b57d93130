// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_READ_DELTAS_H_
#define PERF2X_SESSION_READ_DELTAS_H_

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "converter/perf/records/attr.h"
#include "converter/perf/records/sample.h"
#include "converter/session/counter_key.h"

namespace perf2x {

// Leader sampling ({…}:S): only a group's leader samples, and each of its
// samples holds the counters of all members. For each member that grew since
// the last sample there is one sample, with the growth as its period, as in
// deliver_sample_group() in tools/perf/util/session.c.
class ReadDeltas {
 public:
  // Calls `member(id, growth)` for each counter in `sample` that grew since its
  // last reading. Returns the number of counters that shrank, as no intact
  // counter does; they grow from their new value on.
  uint64_t Of(const SampleRecord& sample, const EventAttr& attr,
              absl::FunctionRef<void(uint64_t id, uint64_t growth)> member);

  size_t size() const { return last_.size(); }  // counters

 private:
  absl::flat_hash_map<CounterKey, uint64_t> last_;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_READ_DELTAS_H_
