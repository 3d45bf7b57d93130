// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_INSPECT_FEATURE_LINE_H_
#define PERF2X_INSPECT_FEATURE_LINE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "converter/base/budget.h"
#include "converter/base/diagnostics.h"
#include "converter/perf/records/raw_record.h"

namespace perf2x {

// What `perf2x dump` says of HEADER_FEATURE records. Not thread-safe.
class FeatureLine {
 public:
  // Both must outlive this object. `diagnostics` counts damage, and list
  // entries that are skipped because the budget is exhausted.
  FeatureLine(Budget& budget, Diagnostics* diagnostics)
      : budget_(budget), diagnostics_(*diagnostics) {}

  // Appends the name of the record's feature, the size of its data in bytes,
  // and, with the names that `perf2x info` uses, what they say: "
  // feature_name=\"CPUID\" size=64 cpu_id=\"…\"". Cuts a long value. A feature
  // of unknown number has no name, one that is not decoded only its size. To be
  // called for the features of a recording in their order. `record` must be a
  // HEADER_FEATURE record with a number.
  void Append(const RawRecord& record, std::string* line);

 private:
  Budget& budget_;
  Diagnostics& diagnostics_;
  // Of NRCPUS, which CPU_TOPOLOGY refers to.
  std::optional<uint32_t> cpus_available_;
};

}  // namespace perf2x

#endif  // PERF2X_INSPECT_FEATURE_LINE_H_
