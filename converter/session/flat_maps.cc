// SPDX-License-Identifier: Apache-2.0
#include "converter/session/flat_maps.h"

namespace perf2x {

FlatMap::FlatMap(const AddressMap& map) {
  static constexpr MapEntry kNowhere;
  std::vector<const MapEntry*> entries;
  entries.reserve(map.size() + 1);
  map.AppendEntries(&entries);
  if (entries.empty()) entries.push_back(&kNowhere);
  starts_.reserve(entries.size());
  entries_.reserve(entries.size());
  for (const MapEntry* entry : entries) {
    starts_.push_back(entry->start);
    entries_.emplace_back(*entry);
  }
  last_start_ = starts_[0];
  last_ = &entries_[0];
}

FlatMap* FlatMapCache::CopyOf(uint32_t number, const AddressMap& map,
                              size_t times) {
  if (number >= slots_.size()) slots_.resize(size_t{number} + 1);
  slots_[number].searched += times;
  const size_t size = map.size();
  if (slots_[number].searched < size) return nullptr;
  if (entries_ + size + kCopyOverhead > kMaxEntries) {
    for (Slot& slot : slots_) slot = {};
    entries_ = 0;
  }
  entries_ += size + kCopyOverhead;
  slots_[number].flat = std::make_unique<FlatMap>(map);
  return slots_[number].flat.get();
}

}  // namespace perf2x
