// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_HEADER_SIMPLEPERF_EVENT_TYPES_H_
#define PERF2X_PERF_HEADER_SIMPLEPERF_EVENT_TYPES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "converter/base/diagnostics.h"
#include "converter/perf/records/attr.h"
#include "converter/perf/records/raw_record.h"

namespace perf2x {

// An event that simpleperf's META_INFO feature names.
struct SimpleperfEventType {
  std::string name;
  uint32_t type = 0;
  uint64_t config = 0;
  // Returns true if `attr` belongs to this event. The config of "cs-etm" is not
  // compared: it stores options there (GetEventNameByAttr() in simpleperf's
  // event_attr.cpp).
  bool Describes(const EventAttr& attr) const {
    return attr.type == type && (attr.config == config || name == "cs-etm");
  }
};

// Returns the event types in a HEADER_FEATURE record of META_INFO: the lines
// "name,type,config" of its value "event_type_info". Ignores other lines, and
// all after the first 256. Returns none if the value is missing. Names that are
// too long are truncated and counted.
std::vector<SimpleperfEventType> ReadSimpleperfEventTypes(
    const RawRecord& record, Diagnostics* diagnostics);

// Returns true if META_INFO, in a HEADER_FEATURE record, says that the
// recording was made with --trace-offcpu.
bool SimpleperfTracesOffCpu(const RawRecord& record);

// Returns the modifier that simpleperf appends to the name of an event: ":u",
// ":k" or "".
absl::string_view SimpleperfModifierOf(const EventAttr& attr);

}  // namespace perf2x

#endif  // PERF2X_PERF_HEADER_SIMPLEPERF_EVENT_TYPES_H_
