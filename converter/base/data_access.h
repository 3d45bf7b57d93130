// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_DATA_ACCESS_H_
#define PERF2X_BASE_DATA_ACCESS_H_

namespace perf2x {

// What the processor told of an access to data.
struct DataAccess {
  bool load = false, store = false;  // at most one; neither: not known
  // A load that hit a line which another core had modified (HITM): in a cache
  // of the same node, or of another one.
  bool hitm_local = false, hitm_remote = false;
  // A load that another core's cache answered, where processors do not tell
  // whether the line was modified: on the same node, or on another one.
  bool peer_local = false, peer_remote = false;
  // The line came from memory or from another node, or the last-level cache
  // reported a miss.
  bool llc_miss = false;
  bool tlb_miss = false;
};

}  // namespace perf2x

#endif  // PERF2X_BASE_DATA_ACCESS_H_
