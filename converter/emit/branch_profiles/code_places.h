// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_BRANCH_PROFILES_CODE_PLACES_H_
#define PERF2X_EMIT_BRANCH_PROFILES_CODE_PLACES_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "converter/base/hash_seed.h"
#include "converter/base/huge_page_allocator.h"
#include "converter/base/prefetch.h"
#include "converter/model/trace_tables.h"

namespace perf2x {

// The number of a place: an address in the code of a DSO, wherever processes
// loaded the DSO.
using PlaceId = uint32_t;
// Stands for all code without places.
inline constexpr PlaceId kOutside = 0;

// Numbers the places of run-time addresses. Charges no budget; see memory().
// Not thread-safe.
class CodePlaces {
 public:
  // Only code of the DSOs for which `selects` returns true has places. `tables`
  // must outlive the object.
  CodePlaces(TraceTables& tables, std::function<bool(const Dso&)> selects);

  // Returns the place of a run-time address of an address space. Returns
  // kOutside if the address's DSO is not known or not selected. At most 4 GiB
  // of pages have places: also returns kOutside for addresses beyond this
  // limit.
  PlaceId PlaceOf(AddressSpaceId space, uint64_t address) {
    const uint64_t page = address / kPage;
    const Cached& cached = cache_[SlotOf(space, page)];
    if (cached.page == page && cached.space == space) {
      return cached.first + (static_cast<PlaceId>(address) & cached.mask);
    }
    return Locate(space, address);
  }
  // Prefetches what PlaceOf needs.
  void Prefetch(AddressSpaceId space, uint64_t address) const {
    perf2x::Prefetch(&cache_[SlotOf(space, address / kPage)]);
  }

  // Returns the place of a Frame::address of a DSO. Returns kOutside if the DSO
  // is not selected, or beyond the limit.
  PlaceId PlaceIn(DsoId dso, uint64_t frame_address) {
    return Selects(dso) ? Intern(dso, frame_address) : kOutside;
  }

  // Return the Dso of a place and its Frame::address. The place must not be
  // kOutside.
  DsoId DsoOf(PlaceId place) const { return pages_[place / kPage].dso; }
  uint64_t FrameAddressOf(PlaceId place) const {
    return pages_[place / kPage].frame_page * kPage + place % kPage;
  }
  // Returns the number of PlaceOf results that are kOutside because of the
  // limit.
  uint64_t beyond_limit() const { return beyond_limit_; }
  // Returns the approximate memory in bytes.
  uint64_t memory() const {
    constexpr uint64_t kOfPage = 48;
    return pages_.size() * kOfPage + cache_.size() * sizeof(Cached);
  }

 private:
  static constexpr uint32_t kPage = 4096;
  static constexpr size_t kMaxPages = size_t{1} << 20;
  static constexpr int kFirstSlotBits = 14, kMaxSlotBits = 18;
  struct Page {
    DsoId dso = kNoId;
    uint64_t frame_page = 0;
  };
  // A page of an address space that lies in one page of a DSO.
  struct Cached {
    uint64_t page = ~uint64_t{0};
    AddressSpaceId space = kNoId;
    PlaceId first = kOutside, mask = 0;  // mask 0: all are outside
  };
  using CachedPages = std::vector<Cached, HugePageAllocator<Cached>>;
  size_t SlotOf(AddressSpaceId space, uint64_t page) const {
    uint64_t mixed =
        (page ^ (uint64_t{space} << 40) ^ kHashSeed.number) * kHashSeed.odd;
    // Pages that follow each other would meet if only multiplied.
    mixed = (mixed ^ mixed >> 32) * 0xd6e8feb86659fd93u;
    return mixed >> shift_;
  }
  // Caches a page. Grows the cache if pages keep replacing each other.
  void Cache(const Cached& page);
  PlaceId Locate(AddressSpaceId space, uint64_t address);
  PlaceId Intern(DsoId dso, uint64_t frame_address);
  bool Selects(DsoId dso);

  TraceTables& tables_;
  const std::function<bool(const Dso&)> selects_;
  std::vector<int8_t> selected_;  // by DsoId; -1: not asked yet
  std::vector<Page> pages_;       // the first is that of kOutside
  absl::flat_hash_map<std::pair<DsoId, uint64_t>, uint32_t> page_ids_;
  CachedPages cache_;
  int shift_ = 64 - kFirstSlotBits;  // from a hash to a slot
  size_t replaced_ = 0;              // pages, since the cache has its size
  uint64_t beyond_limit_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_BRANCH_PROFILES_CODE_PLACES_H_
