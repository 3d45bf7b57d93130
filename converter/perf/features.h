#ifndef PERF2X_PERF_FEATURES_H_
#define PERF2X_PERF_FEATURES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "converter/base/build_id.h"
#include "converter/perf/raw_record.h"

namespace perf2x {

// What the header features of a recording say about where and how it was made.
// Absent features leave their fields empty. Layouts: FORMAT.md 9, from the
// write_*() and process_*() functions of tools/perf/util/header.c.
struct HeaderFeatures {
  std::string hostname, os_release, perf_version, arch, cpu_description;
  std::vector<std::string> command_line;
  // A pair of times taken at once: wall clock, and the recording's clock.
  struct ClockData {
    uint32_t clockid = 0;
    uint64_t wall_ns = 0, clock_ns = 0;
  };
  std::optional<ClockData> clock_data;

  // Takes in a HEADER_FEATURE record; ignores all others. False when the
  // feature's data are too short for what they claim.
  bool Observe(const RawRecord& record);
};

// One entry of the BUILD_ID feature, or a HEADER_BUILD_ID record.
struct BuildIdEntry {
  int32_t pid = 0;
  uint16_t misc = 0;
  BuildId build_id;
  absl::string_view filename;
};

// Calls `found` for each build id in a HEADER_BUILD_ID record or in a
// HEADER_FEATURE record of feature BUILD_ID; nothing for others. False when
// damaged.
bool ForEachBuildId(const RawRecord& record,
                    absl::FunctionRef<void(const BuildIdEntry&)> found);

}  // namespace perf2x

#endif  // PERF2X_PERF_FEATURES_H_
