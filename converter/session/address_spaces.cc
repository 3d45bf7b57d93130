// SPDX-License-Identifier: Apache-2.0
#include "converter/session/address_spaces.h"

#include <algorithm>

#include "converter/base/byte_order.h"
#include "converter/perf/records/wire.h"
#include "converter/session/user_stacks.h"

namespace perf2x {
AddressSpaces::AddressSpaces(TraceTables& tables, DsoTable& dsos)
    : tables_(tables), dsos_(dsos) {
  tables_.set_frame_source(this);
}

// Returns the process's last address space if its maps are the current ones,
// else a new one.
AddressSpaceId AddressSpaces::FindAddressSpace(ProcessState& process) {
  const AddressMap& guest = GuestMapOf(process);
  process.space_kernel_version = kernel_version_;
  process.space_map = process.map;
  process.space_replaced_map = process.replaced_map;
  if (process.address_space != kNoId) {
    const AddressSpace& last = address_spaces_[process.address_space];
    if (last.user == process.map && last.replaced == process.replaced_map &&
        last.kernel == kernel_map_ && last.guest == guest) {
      return process.address_space;
    }
  }
  process.address_space = static_cast<AddressSpaceId>(address_spaces_.size());
  uint32_t kernels = 0;
  if (!address_spaces_.empty()) {
    const AddressSpace& last = address_spaces_.back();
    kernels = last.kernels + (last.kernel == kernel_map_ ? 0 : 1);
  }
  address_spaces_.push_back(
      {process.map, process.replaced_map, kernel_map_, guest, kernels});
  arena_.Freeze();
  return process.address_space;
}

DsoId AddressSpaces::LocateIp(AddressSpaceId space, uint64_t mode, uint64_t ip,
                              uint64_t* address) {
  const AddressSpace& at_hand = address_spaces_[space];
  TakeFlat(space, 1);
  FramePlace place;
  PutPlace(at_hand, FlatMapOf(mode), mode, ip, &place);
  *address = place.address;
  return place.dso;
}

DsoId AddressSpaces::Locate(AddressSpaceId space, uint64_t address,
                            uint64_t* frame_address) {
  const AddressSpace& in = address_spaces_[space];
  const bool kernel = (address >> 63) != 0;
  const MapEntry* entry = in.user.Find(address);
  if (entry == nullptr) {
    entry = kernel ? in.kernel.Find(address) : in.replaced.Find(address);
  }
  if (entry == nullptr) return kNoId;
  *frame_address = address + FlatMap::Entry(*entry).shift;
  return entry->dso;
}

DsoId AddressSpaces::LocateInKernel(uint64_t address,
                                    uint64_t* frame_address) const {
  const MapEntry* const entry = kernel_map_.Find(address);
  if (entry == nullptr) return kNoId;
  *frame_address = address + FlatMap::Entry(*entry).shift;
  return entry->dso;
}

void AddressSpaces::AppendPlaces(StackId stack,
                                 std::vector<FramePlace>* places) {
  // Stacks are mostly requested in order of their ids, but their callchains are
  // scattered over the input.
  tables_.stacks.PrefetchChain(stack + 8);
  AppendPlacesOfChain(tables_.stacks.address_space(stack),
                      tables_.stacks.callchain(stack, &chain_), places);
}

void AddressSpaces::AppendPlacesOfChain(AddressSpaceId id,
                                        absl::Span<const uint8_t> chain,
                                        std::vector<FramePlace>* places) {
  const AddressSpace& space = address_spaces_[id];
  TakeFlat(id, chain.size() / 8);
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
        interrupted || callers_are_calls_ || ip == 0 || (enters && ip == entry);
    const uint64_t address = exact ? ip : ip - 1;
    interrupted = enters;
    PutPlace(space, flat, mode, address, to++);
  }
  if (to == places->data() + before) {
    PutPlaceholder(DsoKind::kUnknown, 0, to++);
  }
  places->resize(static_cast<size_t>(to - places->data()));
}

// Returns true if `ip` is in an interrupt entry of the kernel, and sets
// `*start` to the start of that entry.
bool AddressSpaces::FindEntry(uint64_t ip, uint64_t* start) {
  if (entries_size_ == ~uint64_t{0}) {
    entries_size_ = 0;
    if (find_interrupt_entries_ == nullptr) return false;
    const DsoId kernel = dsos_.KernelDso("[kernel.kallsyms]", false, 0);
    interrupt_entries_ = find_interrupt_entries_(tables_.dsos()[kernel]);
    if (!interrupt_entries_.empty()) {
      entries_start_ = interrupt_entries_.front().start;
      entries_size_ = interrupt_entries_.back().end - entries_start_;
    }
    return InInterruptEntry(ip, start);
  }
  auto next = std::upper_bound(
      interrupt_entries_.begin(), interrupt_entries_.end(), ip,
      [](uint64_t a, const CodeRange& range) { return a < range.start; });
  --next;
  *start = next->start;
  return ip < next->end;
}

const AddressSpaces::Placeholder& AddressSpaces::AddPlaceholder(DsoKind kind) {
  const auto dso_of = [&] {
    switch (kind) {
      case DsoKind::kKernel:
        return dsos_.KernelDso("[kernel.kallsyms]", false, 0);
      case DsoKind::kHypervisor:
        return dsos_.PlaceholderDso(kind, "[hypervisor]");
      case DsoKind::kGuestKernel:
        return dsos_.PlaceholderDso(kind, "[guest.kernel.kallsyms]");
      case DsoKind::kGuestUser:
        return dsos_.PlaceholderDso(kind, "[guest]");
      case DsoKind::kMarker:
        return dsos_.PlaceholderDso(kind, "[truncated]");
      default:
        return dsos_.PlaceholderDso(kind, "[unknown]");
    }
  };
  Placeholder& added = placeholders_[static_cast<size_t>(kind)];
  added.dso = dso_of();
  added.mapping = dsos_.MappingOf(added.dso, 0, 0, 0);
  return added;
}

// Sets `*to` to a place in the guest's map, or in a map without a flat copy.
void AddressSpaces::PutWithoutFlatMap(const AddressSpace& space, uint64_t mode,
                                      uint64_t address, FramePlace* to) {
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
void AddressSpaces::PutUnmapped(const AddressSpace& space, uint64_t mode,
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
