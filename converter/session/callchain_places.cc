// SPDX-License-Identifier: Apache-2.0
#include "converter/session/callchain_places.h"

#include <algorithm>

#include "converter/base/byte_order.h"
#include "converter/session/address_spaces.h"
#include "converter/session/user_stacks.h"

namespace perf2x {

bool CallchainPlaces::FindPlace(AddressSpaceId id, uint64_t mode, uint64_t ip,
                                FramePlace* place) {
  const AddressSpace& space = spaces_[id];
  lacks_ = false;
  TakeFlat(id, space, 1);
  PutPlace(space, FlatMapOf(mode), mode, ip, place);
  return !lacks_;
}

bool CallchainPlaces::AppendPlaces(StackId stack, FramePlaces* places) {
  // Stacks are mostly requested in order of their ids, but their callchains are
  // scattered over the input.
  tables_.stacks.PrefetchChain(stack + 8);
  return AppendPlacesOfChain(tables_.stacks.address_space(stack),
                             tables_.stacks.callchain(stack, &chain_), places);
}

bool CallchainPlaces::AppendPlacesOfChain(AddressSpaceId id,
                                          absl::Span<const uint8_t> chain,
                                          FramePlaces* places) {
  const AddressSpace& space = spaces_[id];
  const bool callers_are_calls = spaces_.callers_are_call_sites();
  lacks_ = false;
  TakeFlat(id, space, chain.size() / 8);
  uint64_t mode = kContextUser;
  uint32_t map = MapOf(id, space, mode);
  // The first address after a context marker is that of the interrupted
  // instruction, as is the address after an interrupt entry. All others are
  // return addresses, which follow the last byte of a call.
  bool interrupted = true;
  const bool is_stack = chain.size() > 2 * 8;
  uint32_t* const first = places->Append(chain.size() / 8 + 1);
  uint32_t* to = first;
  for (size_t at = 0; at + 8 <= chain.size(); at += 8) {
    const uint64_t ip = Load<uint64_t>(&chain[at], kHostOrder);
    if (ip == kStackTruncated) {
      *to++ = StorePlaceholder(DsoKind::kMarker, places);
      continue;
    }
    if (ip >= kContextMax) {
      mode = ip;
      map = MapOf(id, space, mode);
      interrupted = true;
      if (ip == kContextUserDeferred) at += 8;  // a cookie, not an address
      continue;
    }
    uint64_t entry = 0;
    const bool enters =
        mode == kContextKernel && is_stack && InInterruptEntry(ip, &entry);
    const bool exact =
        interrupted || callers_are_calls || ip == 0 || (enters && ip == entry);
    const uint64_t address = exact ? ip : ip - 1;
    interrupted = enters;
    const Recent& recent = RecentOf(address);
    const bool known = recent.searched == address && recent.map == map &&
                       places->HasAt(recent.index, recent.dso, recent.address);
    *to++ = known ? recent.index : Store(space, map, mode, address, places);
  }
  if (to == first) *to++ = StorePlaceholder(DsoKind::kUnknown, places);
  places->Truncate(to);
  return !lacks_;
}

// Stores the place of a run-time address, and returns its index.
uint32_t CallchainPlaces::Store(const AddressSpace& space, uint32_t map,
                                uint64_t mode, uint64_t address,
                                FramePlaces* places) {
  FramePlace place;
  Recent& recent = RecentOf(address);
  if (recent.searched == address && recent.map == map) {
    Put(recent.dso, recent.mapping, recent.address, &place);
    return recent.index = places->Store(place);
  }
  PutPlace(space, FlatMapOf(mode), mode, address, &place);
  const uint32_t index = places->Store(place);
  if (map != kNotKept && !lacks_) {
    recent = {address, place.address, map, index, place.dso, place.mapping};
  }
  return index;
}

uint32_t CallchainPlaces::StorePlaceholder(DsoKind kind, FramePlaces* places) {
  FramePlace place;
  PutPlaceholder(kind, 0, &place);
  return places->Store(place);
}

// Returns true if `ip` is in an interrupt entry of the kernel, and sets
// `*start` to the start of that entry.
bool CallchainPlaces::FindEntry(uint64_t ip, uint64_t* start) {
  if (interrupt_entries_ == nullptr) {
    interrupt_entries_ = spaces_.InterruptEntries(/*finds=*/adds_);
    lacks_ = interrupt_entries_ == nullptr;
    if (lacks_) return false;
    entries_size_ = 0;
    if (!interrupt_entries_->empty()) {
      entries_start_ = interrupt_entries_->front().start;
      entries_size_ = interrupt_entries_->back().end - entries_start_;
    }
    return InInterruptEntry(ip, start);
  }
  auto next = std::upper_bound(
      interrupt_entries_->begin(), interrupt_entries_->end(), ip,
      [](uint64_t a, const CodeRange& range) { return a < range.start; });
  --next;
  *start = next->start;
  return ip < next->end;
}

void CallchainPlaces::LearnPlaceholder(DsoKind kind) {
  Placeholder& placeholder = placeholders_[static_cast<size_t>(kind)];
  placeholder = spaces_.PlaceholderOf(kind, adds_);
  if (placeholder.dso == kNoId) lacks_ = true;
}

// Sets `*to` to a place in the guest's map, or in a map without a flat copy.
void CallchainPlaces::PutWithoutFlatMap(const AddressSpace& space,
                                        uint64_t mode, uint64_t address,
                                        FramePlace* to) {
  switch (mode) {
    case kContextHypervisor:
      return PutPlaceholder(DsoKind::kHypervisor, address, to);
    case kContextGuest:
    case kContextGuestKernel:
      if (const MapEntry* entry = space.guest.Find(address)) {
        return Put(entry->dso, entry->mapping, address, to);
      }
      return PutPlaceholder(DsoKind::kGuestKernel, address, to);
    case kContextGuestUser:
      return PutPlaceholder(DsoKind::kGuestUser, address, to);
    default:
      break;
  }
  const AddressMap& map = mode == kContextKernel ? space.kernel : space.user;
  if (const MapEntry* entry = map.Find(address)) {
    return Put(FlatMap::Entry(*entry), address, to);
  }
  PutUnmapped(space, mode, address, to);
}

// Sets `*to` to the place of an address that the current map lacks.
void CallchainPlaces::PutUnmapped(const AddressSpace& space, uint64_t mode,
                                  uint64_t address, FramePlace* to) {
  const bool kernel = mode == kContextKernel;
  if (!kernel) {
    if (const MapEntry* entry = space.replaced.Find(address)) {
      return Put(FlatMap::Entry(*entry), address, to);
    }
  }
  // 0 is what `perf inject --aslr` makes of addresses that nothing was mapped
  // at (aslr_tool__remap_address() in tools/perf/util/aslr.c), in either mode.
  // Of the kernel, the recording may have no mapping, or none of this part.
  PutPlaceholder(!kernel || address == 0 ? DsoKind::kUnknown : DsoKind::kKernel,
                 address, to);
}

}  // namespace perf2x
