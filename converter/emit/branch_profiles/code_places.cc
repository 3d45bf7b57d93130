// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/branch_profiles/code_places.h"

#include <utility>

namespace perf2x {

CodePlaces::CodePlaces(TraceTables& tables,
                       std::function<bool(const Dso&)> selects)
    : tables_(tables),
      selects_(std::move(selects)),
      pages_(1),
      cache_(size_t{1} << kFirstSlotBits) {}

bool CodePlaces::Selects(DsoId dso) {
  constexpr int8_t kNotAsked = -1;
  if (dso == kNoId) return false;
  if (dso >= selected_.size()) selected_.resize(dso + 1, kNotAsked);
  int8_t& selected = selected_[dso];
  if (selected == kNotAsked) selected = selects_(tables_.dsos()[dso]) ? 1 : 0;
  return selected != 0;
}

PlaceId CodePlaces::Intern(DsoId dso, uint64_t frame_address) {
  const std::pair key(dso, frame_address / kPage);
  if (pages_.size() == kMaxPages && !page_ids_.contains(key)) {
    ++beyond_limit_;
    return kOutside;
  }
  const auto [it, inserted] = page_ids_.try_emplace(key, pages_.size());
  if (inserted) pages_.push_back({dso, frame_address / kPage});
  return it->second * kPage + static_cast<PlaceId>(frame_address % kPage);
}

void CodePlaces::Cache(const Cached& page) {
  Cached& slot = cache_[SlotOf(page.space, page.page)];
  if (slot.space != kNoId && ++replaced_ > cache_.size() / 4 &&
      shift_ > 64 - kMaxSlotBits) {
    replaced_ = 0;
    --shift_;
    CachedPages old(cache_.size() * 2);
    old.swap(cache_);
    for (const Cached& cached : old) {
      if (cached.space != kNoId) {
        cache_[SlotOf(cached.space, cached.page)] = cached;
      }
    }
    cache_[SlotOf(page.space, page.page)] = page;
    return;
  }
  slot = page;
}

// Mappings of files are whole pages, but generated code and damaged recordings
// have other boundaries. A page is cached if both its ends are in the same Dso,
// and at the same place in a page. Pages beyond the limit are not, as all
// addresses in them are counted.
PlaceId CodePlaces::Locate(AddressSpaceId space, uint64_t address) {
  uint64_t at = 0, first = 0, last = 0;
  const DsoId dso = tables_.Locate(space, address, &at);
  const uint64_t start = address / kPage * kPage;
  const bool whole = tables_.Locate(space, start, &first) == dso &&
                     tables_.Locate(space, start + kPage - 1, &last) == dso &&
                     last - first == kPage - 1;
  const bool outside = !Selects(dso);
  const PlaceId place = outside ? kOutside : Intern(dso, at);
  const bool in_one_page =
      place != kOutside && first % kPage == 0 && at - first < kPage;
  if (whole && (outside || in_one_page)) {
    Cache({start / kPage, space, outside ? kOutside : place / kPage * kPage,
           outside ? 0 : kPage - 1});
  }
  return place;
}

}  // namespace perf2x
