#ifndef PERF2X_TESTS_SUPPORT_FRAME_PLACES_H_
#define PERF2X_TESTS_SUPPORT_FRAME_PLACES_H_

#include <vector>

#include "converter/model/trace_tables.h"

namespace perf2x {

// Where frames lie that are in the tables already, as a FrameSource gives them.
inline void AppendPlacesOf(const std::vector<FrameId>& frames,
                           const TraceTables& tables,
                           std::vector<FramePlace>* places) {
  for (const FrameId id : frames) {
    const Frame& f = tables.frames()[id];
    places->push_back(
        {FrameTable::HashOf(f.file, f.address), f.address, f.file, f.mapping});
  }
}

}  // namespace perf2x

#endif  // PERF2X_TESTS_SUPPORT_FRAME_PLACES_H_
