#include "converter/session/flat_maps.h"

#include <utility>

namespace perf2x {

FlatMap::FlatMap(const AddressMap& map) {
  static constexpr MapEntry kNowhere;
  entries_.reserve(map.size() + 1);
  map.AppendEntries(&entries_);
  if (entries_.empty()) entries_.push_back(&kNowhere);
  starts_.reserve(entries_.size());
  for (const MapEntry* entry : entries_) starts_.push_back(entry->start);
  last_ = entries_[0];
}

FlatMap* FlatMaps::Of(const AddressMap& map, size_t times) {
  const void* version = map.version();
  const auto hash =
      reinterpret_cast<uintptr_t>(version) * uint64_t{0x9e3779b97f4a7c15};
  Slot& slot = slots_[hash >> (64 - kSlotBits)];
  if (slot.version != version) {
    slot.version = version;
    slot.searched = 0;
    slot.flat.reset();
  }
  if (slot.flat == nullptr) {
    slot.searched += times;
    if (slot.searched < map.size()) return nullptr;
    slot.flat = std::make_unique<FlatMap>(map);
  }
  return slot.flat.get();
}

}  // namespace perf2x
