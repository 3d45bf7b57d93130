// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_HEADER_EVENT_IDS_H_
#define PERF2X_PERF_HEADER_EVENT_IDS_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "converter/perf/records/timed_record.h"

namespace perf2x {

// The most ids that are kept, of all events together.
inline constexpr size_t kMaxEventIds = 1 << 19;

// Maps the ids that records carry to the events of a recording: an event has an
// id for each CPU or thread. Several threads may look up ids at the same time,
// while no thread adds any.
class EventIds {
 public:
  // Adds the next event: 0, 1, 2, … It has no ids yet.
  void AddEvent();

  // The result of Add.
  enum class Added { kNew, kKnown, kTooMany };
  // Adds an id of `event`, which AddEvent() must have added. If any event has
  // the id already, adds nothing and returns kKnown. If kMaxEventIds are kept,
  // adds nothing and returns kTooMany.
  Added Add(uint64_t id, uint32_t event);

  // Returns the event that has `id`; kNoEvent if none does. If exactly one
  // event has no ids, returns it for id 0. Events that perf counts itself (PMUs
  // tool, hwmon and drm) have no ids.
  uint32_t EventOf(uint64_t id) const {
    const uint64_t distance = id - first_id_;
    if (distance < near_.size() && near_[distance] != kNoEvent) {
      return near_[distance];
    }
    const auto it = by_id_.find(id);
    if (it != by_id_.end()) return it->second;
    return id == 0 && without_ids_ == 1 ? sum_without_ids_ : kNoEvent;
  }

 private:
  absl::flat_hash_map<uint64_t, uint32_t> by_id_;
  // A recording's ids are nearly consecutive. Ids less than kNear above the
  // first id are looked up without hashing.
  static constexpr uint64_t kNear = 1 << 14;
  uint64_t first_id_ = 0;       // the first that was added
  std::vector<uint32_t> near_;  // events by id - first_id_; or kNoEvent
  std::vector<bool> has_ids_;   // by event
  // The number of events without ids, and the sum of their indexes. If there is
  // one such event, the sum is its index.
  uint32_t without_ids_ = 0, sum_without_ids_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_PERF_HEADER_EVENT_IDS_H_
