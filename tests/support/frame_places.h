// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SUPPORT_FRAME_PLACES_H_
#define PERF2X_TESTS_SUPPORT_FRAME_PLACES_H_

#include <vector>

#include "converter/model/trace_tables.h"

namespace perf2x {

// Appends the places of frames that are in the tables already, as a FrameSource
// does.
inline void AppendPlacesOf(const std::vector<FrameId>& frames,
                           const TraceTables& tables, FramePlaces* places) {
  for (const FrameId id : frames) {
    const Frame& f = tables.frames()[id];
    places->push_back(
        {FrameTable::HashOf(f.dso, f.address), f.address, f.dso, f.mapping});
  }
}

// Returns the frame at `address` (see Frame) of `file`. `mapping` is stored if
// the frame is new.
inline FrameId InternFrame(DsoId dso, MappingId mapping, uint64_t address,
                           TraceTables& tables) {
  return tables.InternFrame(
      {FrameTable::HashOf(dso, address), address, dso, mapping});
}

}  // namespace perf2x

#endif  // PERF2X_TESTS_SUPPORT_FRAME_PLACES_H_
