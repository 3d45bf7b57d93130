// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/header/event_ids.h"

namespace perf2x {

void EventIds::AddEvent() {
  ++without_ids_;
  sum_without_ids_ += static_cast<uint32_t>(has_ids_.size());
  has_ids_.push_back(false);
}

EventIds::Added EventIds::Add(uint64_t id, uint32_t event) {
  if (by_id_.size() == kMaxEventIds && !by_id_.contains(id)) {
    return Added::kTooMany;
  }
  if (!by_id_.emplace(id, event).second) return Added::kKnown;
  if (by_id_.size() == 1) first_id_ = id;
  if (const uint64_t distance = id - first_id_; distance < kNear) {
    if (distance >= near_.size()) near_.resize(distance + 1, kNoEvent);
    near_[distance] = event;
  }
  if (!has_ids_[event]) {
    --without_ids_;
    sum_without_ids_ -= event;
    has_ids_[event] = true;
  }
  return Added::kNew;
}

}  // namespace perf2x
