// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_FLAT_MAPS_H_
#define PERF2X_SESSION_FLAT_MAPS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "converter/session/address_map.h"

namespace perf2x {

// An address map as arrays, which are several times as fast to search.
class FlatMap {
 public:
  struct Entry {
    uint64_t end;
    uint64_t shift;  // from an address in memory to that of a Frame
    DsoId file;
    MappingId mapping;

    explicit Entry(const MapEntry& e)
        : end(e.end),
          shift(e.by_offset ? e.offset - e.start : 0),
          file(e.file),
          mapping(e.mapping) {}
  };

  explicit FlatMap(const AddressMap& map);
  // The entry that covers `address`, or null. Valid as long as this.
  const Entry* Find(uint64_t address) {
    // Callers are mostly of the same file.
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
  uint64_t last_start_;         // of what was found last
  const Entry* last_;
};

// Flat copies of the maps that are searched most. A copy is made once a map has
// been searched as often as it has entries, so that it never costs much more
// than it saves.
class FlatMaps {
 public:
  // The copy of `map`, which is about to be searched `times` times; null while
  // there is none. `number` is that of the map, which never changes, and small.
  // Valid until the next call.
  FlatMap* Of(uint32_t number, const AddressMap& map, size_t times) {
    if (number < slots_.size() && slots_[number].flat != nullptr) {
      return slots_[number].flat.get();
    }
    return CopyOf(number, map, times);
  }

 private:
  // In all copies; then they are made anew. A copy itself takes as much memory
  // as some entries do.
  static constexpr size_t kMaxEntries = 1 << 17, kOfCopy = 4;
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
