// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_DATA_ACCESS_H_
#define PERF2X_BASE_DATA_ACCESS_H_

namespace perf2x {

// What the processor reported about an access to data.
struct DataAccess {
  bool load = false, store = false;  // at most one; none: not known
  // A load hit a cache line that another core had modified (HITM). That core's
  // cache is on the same node (local) or on another node (remote).
  bool hitm_local = false, hitm_remote = false;
  // Another core's cache answered a load (PERF_MEM_SNOOPX_PEER). It is not
  // known whether the core had modified the line.
  bool peer_local = false, peer_remote = false;
  // The line came from memory or from another node, or the last-level cache
  // reported a miss.
  bool llc_miss = false;
  bool tlb_miss = false;  // for the data's address
};

}  // namespace perf2x

#endif  // PERF2X_BASE_DATA_ACCESS_H_
