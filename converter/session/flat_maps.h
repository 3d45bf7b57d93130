#ifndef PERF2X_SESSION_FLAT_MAPS_H_
#define PERF2X_SESSION_FLAT_MAPS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "converter/session/address_map.h"

namespace perf2x {

// An address map as an array, which is several times as fast to search. Valid
// as long as the map's arena.
class FlatMap {
 public:
  explicit FlatMap(const AddressMap& map);
  // As AddressMap::Find.
  const MapEntry* Find(uint64_t address) {
    // Callers are mostly of the same file.
    if (address - last_->start < last_->end - last_->start) return last_;
    const uint64_t* at = starts_.data();
    for (size_t n = starts_.size(), half; n > 1; n -= half) {
      half = n / 2;
      at += at[half] <= address ? half : 0;
    }
    const MapEntry* entry = entries_[static_cast<size_t>(at - starts_.data())];
    if (address < entry->start || address >= entry->end) return nullptr;
    return last_ = entry;
  }

 private:
  std::vector<uint64_t> starts_;
  std::vector<const MapEntry*> entries_;  // never empty
  const MapEntry* last_;                  // found last
};

// Flat copies of the maps that are searched most. A copy is made once a map has
// been searched as often as it has entries, so that it never costs much more
// than it saves.
class FlatMaps {
 public:
  // The copy of `map`, which must not change any more and is about to be
  // searched `times` times; null while there is none. Valid until the next
  // call.
  FlatMap* Of(const AddressMap& map, size_t times);

 private:
  static constexpr int kSlotBits = 10;
  struct Slot {
    const void* version = nullptr;
    size_t searched = 0;
    std::unique_ptr<FlatMap> flat;
  };
  std::array<Slot, 1 << kSlotBits> slots_;  // by version
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_FLAT_MAPS_H_
