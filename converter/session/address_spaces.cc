// SPDX-License-Identifier: Apache-2.0
#include "converter/session/address_spaces.h"

namespace perf2x {

AddressSpaces::AddressSpaces(TraceTables& tables, DsoTable& dsos)
    : tables_(tables), dsos_(dsos), places_(*this, tables, /*adds=*/true) {
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
  FramePlace place;
  places_.FindPlace(space, mode, ip, &place);
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

void AddressSpaces::AppendPlaces(StackId stack, FramePlaces* places) {
  places_.AppendPlaces(stack, places);
}

void AddressSpaces::AppendPlacesOfChain(AddressSpaceId space,
                                        absl::Span<const uint8_t> chain,
                                        FramePlaces* places) {
  places_.AppendPlacesOfChain(space, chain, places);
}

std::unique_ptr<PlaceFinder> AddressSpaces::MakeFinder() {
  return std::make_unique<CallchainPlaces>(*this, tables_, /*adds=*/false);
}

const std::vector<CodeRange>* AddressSpaces::InterruptEntries(bool finds) {
  std::lock_guard lock(mutex_);
  if (!interrupt_entries_.has_value()) {
    if (!finds) return nullptr;
    interrupt_entries_.emplace();
    if (find_interrupt_entries_ != nullptr) {
      const DsoId kernel = dsos_.KernelDso("[kernel.kallsyms]", false, 0);
      *interrupt_entries_ = find_interrupt_entries_(tables_.dsos()[kernel]);
    }
  }
  return &*interrupt_entries_;
}

Placeholder AddressSpaces::PlaceholderOf(DsoKind kind, bool adds) {
  std::lock_guard lock(mutex_);
  Placeholder& known = placeholders_[static_cast<size_t>(kind)];
  if (known.dso == kNoId && adds) known = AddPlaceholder(kind);
  return known;
}

// With mutex_ held.
Placeholder AddressSpaces::AddPlaceholder(DsoKind kind) {
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
  Placeholder added;
  added.dso = dso_of();
  added.mapping = dsos_.MappingOf(added.dso, 0, 0, 0);
  return added;
}

}  // namespace perf2x
