// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_HEADER_SHARED_EVENT_NAMES_H_
#define PERF2X_PERF_HEADER_SHARED_EVENT_NAMES_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "converter/perf/header/recorded_event.h"

namespace perf2x {

// Returns the indexes of the events whose name alone does not tell them apart
// from an event of another PMU: those with a name that events of several PMUs
// share, and with a known PMU. Ascending.
std::vector<uint32_t> EventsOfSharedNames(
    absl::Span<const RecordedEvent> events);

}  // namespace perf2x

#endif  // PERF2X_PERF_HEADER_SHARED_EVENT_NAMES_H_
