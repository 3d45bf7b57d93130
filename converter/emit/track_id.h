// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_TRACK_ID_H_
#define PERF2X_EMIT_TRACK_ID_H_

#include <cstdint>

namespace perf2x {

// Index, from 0, of a thread's track (row) in an output. Serves as index of
// per-thread state. ThreadIds that differ only in names share a track. An
// emitter may begin a new track when a tid is used again (FirefoxTracks).
using TrackId = uint32_t;

}  // namespace perf2x

#endif  // PERF2X_EMIT_TRACK_ID_H_
