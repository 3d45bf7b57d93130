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

bool CallchainPlaces::AppendPlaces(StackId stack,
                                   std::vector<FramePlace>* places) {
  // Stacks are mostly requested in order of their ids, but their callchains are
  // scattered over the input.
  tables_.stacks.PrefetchChain(stack + 8);
  return AppendPlacesOfChain(tables_.stacks.address_space(stack),
                             tables_.stacks.callchain(stack, &chain_), places);
}

bool CallchainPlaces::AppendPlacesOfChain(AddressSpaceId id,
                                          absl::Span<const uint8_t> chain,
                                          std::vector<FramePlace>* places) {
  const AddressSpace& space = spaces_[id];
  const bool callers_are_calls = spaces_.callers_are_call_sites();
  lacks_ = false;
  TakeFlat(id, space, chain.size() / 8);
  uint64_t mode = kContextUser;
  FlatMap* flat = FlatMapOf(mode);
  // The first address after a context marker is that of the interrupted
  // instruction, as is the address after an interrupt entry. All others are
  // return addresses, which follow the last byte of a call.
  bool interrupted = true;
  const bool is_stack = chain.size() > 2 * 8;
  const size_t before = places->size();
  places->resize(before + chain.size() / 8 + 1);
  FramePlace* to = places->data() + before;
  for (size_t at = 0; at + 8 <= chain.size(); at += 8) {
    const uint64_t ip = Load<uint64_t>(&chain[at], kHostOrder);
    if (ip == kStackTruncated) {
      PutPlaceholder(DsoKind::kMarker, 0, to++);
      continue;
    }
    if (ip >= kContextMax) {
      mode = ip;
      flat = FlatMapOf(mode);
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
    PutPlace(space, flat, mode, address, to++);
  }
  if (to == places->data() + before) {
    PutPlaceholder(DsoKind::kUnknown, 0, to++);
  }
  places->resize(static_cast<size_t>(to - places->data()));
  return !lacks_;
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
