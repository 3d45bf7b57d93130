// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_FLAT_MAPS_H_
#define PERF2X_SESSION_FLAT_MAPS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "converter/session/address_map.h"

namespace perf2x {

// A copy of an AddressMap in sorted arrays, which is several times as fast to
// search.
class FlatMap {
 public:
  // A mapping, without its start.
  struct Entry {
    uint64_t end;
    uint64_t shift;  // from a run-time address to Frame::address
    DsoId dso;
    MappingId mapping;

    explicit Entry(const MapEntry& e)
        : end(e.end),
          shift(e.by_offset() ? e.offset - e.start : 0),
          dso(e.dso),
          mapping(e.mapping) {}
  };

  // Copies the map: later changes of `map` do not show.
  explicit FlatMap(const AddressMap& map);
  // Returns the entry that covers `address`, or null. Valid as long as the
  // FlatMap. Not thread-safe, as it caches the entry.
  const Entry* Find(uint64_t address) {
    // A caller is mostly in the same mapping as its callee.
    if (address - last_start_ < last_->end - last_start_) return last_;
    const uint64_t* at = starts_.data();
    for (size_t n = starts_.size(), half; n > 1; n -= half) {
      half = n / 2;
      at += at[half] <= address ? half : 0;
    }
    const Entry* entry = &entries_[static_cast<size_t>(at - starts_.data())];
    if (address < *at || address >= entry->end) return nullptr;
    last_start_ = *at;
    return last_ = entry;
  }

 private:
  std::vector<uint64_t> starts_;
  std::vector<Entry> entries_;  // never empty
  uint64_t last_start_;         // of *last_
  const Entry* last_;
};

// Flat copies of the maps that are searched most. A copy is made once a map has
// been searched as often as it has entries. All copies are dropped when they
// exceed 2^17 entries. Not thread-safe.
class FlatMapCache {
 public:
  // Returns a flat copy of `map`, which the caller is about to search `times`
  // times. Returns null if the map was not searched often enough: then search
  // `map` itself. `number` must identify this version of the map, and no other.
  // Memory grows with the largest number. The copy is valid until the next
  // call.
  FlatMap* FlatCopyOf(uint32_t number, const AddressMap& map, size_t times) {
    if (number < slots_.size() && slots_[number].flat != nullptr) {
      return slots_[number].flat.get();
    }
    return CopyOf(number, map, times);
  }

 private:
  // Limit for the entries in all copies; beyond it, all copies are dropped.
  // kCopyOverhead is the memory of a copy without its entries, in entries.
  static constexpr size_t kMaxEntries = 1 << 17, kCopyOverhead = 4;
  struct Slot {
    size_t searched = 0;
    std::unique_ptr<FlatMap> flat;
  };
  FlatMap* CopyOf(uint32_t number, const AddressMap& map, size_t times);

  std::vector<Slot> slots_;  // by number
  size_t entries_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_FLAT_MAPS_H_
