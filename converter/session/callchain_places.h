// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_CALLCHAIN_PLACES_H_
#define PERF2X_SESSION_CALLCHAIN_PLACES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "converter/model/frame_places.h"
#include "converter/model/stack_table.h"
#include "converter/model/trace_tables.h"
#include "converter/perf/records/wire.h"
#include "converter/session/address_map.h"
#include "converter/session/flat_maps.h"
#include "converter/symbolize/kernel/interrupt_entries.h"

namespace perf2x {

class AddressSpaces;

// The mappings in which a callchain's addresses are searched.
struct AddressSpace {
  // `replaced` is searched for addresses that `user` lacks.
  AddressMap user, replaced, kernel, guest;
  uint32_t kernels;  // number of `kernel` among all kernel maps
};

// A Dso, with a mapping of its own, for addresses that no mapping covers.
struct Placeholder {
  DsoId dso = kNoId;
  MappingId mapping = kNoId;
};

// Finds the places of callchains' frames in address spaces. The words of
// callchains are in the host's byte order. A context marker
// (perf/records/wire.h) precedes the addresses of each mode; addresses before
// any marker are in user space. Keeps copies of the maps that are searched
// most, so each thread needs a finder of its own. Not thread-safe.
class CallchainPlaces final : public PlaceFinder {
 public:
  // Both must outlive this. With `adds`, adds to `spaces` and to the tables
  // what a place needs: a placeholder, the kernel's interrupt entries.
  // Otherwise other finders of `spaces` may be in use, one of which may add.
  CallchainPlaces(AddressSpaces& spaces, const TraceTables& tables, bool adds)
      : spaces_(spaces), tables_(tables), adds_(adds), recent_(kRecent) {}

  // Never return false with `adds`.
  bool AppendPlaces(StackId stack, FramePlaces* places) override;
  bool AppendPlacesOfChain(AddressSpaceId id, absl::Span<const uint8_t> chain,
                           FramePlaces* places) override;
  // Sets `*place` to the place of an interrupted instruction. `mode` is the
  // context marker for `ip`. Returns as AppendPlaces.
  bool FindPlace(AddressSpaceId id, uint64_t mode, uint64_t ip,
                 FramePlace* place);

 private:
  // A place that was found, and where it was stored.
  struct Recent {
    uint64_t searched = 0;  // the run-time address
    uint64_t address = 0;   // Frame::address
    uint32_t map = kNone;   // that was searched
    uint32_t index = 0;     // in FramePlaces::stored()
    DsoId dso = 0;
    MappingId mapping = 0;
  };
  // 16 KB, half of an L1 cache. Of the 25 million addresses in callchains of a
  // busy machine, three of four are found in 256 of these, four of five in
  // 1,024.
  static constexpr size_t kRecent = 512;
  // No maps: of an unused Recent, and where places are not kept.
  static constexpr uint32_t kNone = ~uint32_t{0}, kNotKept = kNone - 1;
  Recent& RecentOf(uint64_t address) {
    return recent_[(address * 0x9e3779b97f4a7c15u) >> 32 & (kRecent - 1)];
  }
  // Returns a number of the map in which addresses after the context marker
  // `mode` are searched. There is no memory for 2^31 address spaces.
  static uint32_t MapOf(AddressSpaceId id, const AddressSpace& space,
                        uint64_t mode) {
    switch (mode) {
      case kContextKernel:
        return 2 * space.kernels + 1;
      case kContextHypervisor:
      case kContextGuest:
      case kContextGuestKernel:
      case kContextGuestUser:
        return kNotKept;
      default:
        return 2 * id;
    }
  }
  // Sets flat_user_ and flat_kernel_ for the address space, whose maps are
  // about to be searched `times` times.
  void TakeFlat(AddressSpaceId id, const AddressSpace& space, size_t times) {
    flat_user_ = flat_users_.FlatCopyOf(id, space.user, times);
    flat_kernel_ = flat_kernels_.FlatCopyOf(space.kernels, space.kernel, times);
  }
  bool InInterruptEntry(uint64_t ip, uint64_t* start) {
    return ip - entries_start_ < entries_size_ && FindEntry(ip, start);
  }
  bool FindEntry(uint64_t ip, uint64_t* start);
  // Returns the flat copy in which addresses after the context marker `mode`
  // are searched; null if there is none.
  FlatMap* FlatMapOf(uint64_t mode) const {
    switch (mode) {
      case kContextKernel:
        return flat_kernel_;
      case kContextHypervisor:
      case kContextGuest:
      case kContextGuestKernel:
      case kContextGuestUser:
        return nullptr;
      default:
        return flat_user_;
    }
  }
  // The Put functions fill in `*to`: returning a place and copying it would
  // cost more than the search for it. `flat` must be FlatMapOf(mode).
  void PutPlace(const AddressSpace& space, FlatMap* flat, uint64_t mode,
                uint64_t address, FramePlace* to) {
    if (flat == nullptr) return PutWithoutFlatMap(space, mode, address, to);
    if (const FlatMap::Entry* entry = flat->Find(address)) {
      return Put(*entry, address, to);
    }
    PutUnmapped(space, mode, address, to);
  }
  void PutWithoutFlatMap(const AddressSpace& space, uint64_t mode,
                         uint64_t address, FramePlace* to);
  void PutUnmapped(const AddressSpace& space, uint64_t mode, uint64_t address,
                   FramePlace* to);
  static void Put(const FlatMap::Entry& entry, uint64_t address,
                  FramePlace* to) {
    Put(entry.dso, entry.mapping, address + entry.shift, to);
  }
  static void Put(DsoId dso, MappingId mapping, uint64_t address,
                  FramePlace* to) {
    to->hash = FrameTable::HashOf(dso, address);
    to->address = address;
    to->dso = dso;
    to->mapping = mapping;
  }
  void PutPlaceholder(DsoKind kind, uint64_t address, FramePlace* to) {
    const Placeholder& known = placeholders_[static_cast<size_t>(kind)];
    if (known.dso == kNoId) LearnPlaceholder(kind);
    Put(known.dso, known.mapping, address, to);
  }
  void LearnPlaceholder(DsoKind kind);
  uint32_t Store(const AddressSpace& space, uint32_t map, uint64_t mode,
                 uint64_t address, FramePlaces* places);
  uint32_t StorePlaceholder(DsoKind kind, FramePlaces* places);

  AddressSpaces& spaces_;
  const TraceTables& tables_;
  const bool adds_;
  bool lacks_ = false;  // something, for the current callchain
  FlatMapCache flat_users_, flat_kernels_;
  // Flat copies of the current address space's maps; null: there is none.
  FlatMap* flat_user_ = nullptr;
  FlatMap* flat_kernel_ = nullptr;
  // Null: not known.
  const std::vector<CodeRange>* interrupt_entries_ = nullptr;
  // The range that spans interrupt_entries_; all addresses until those are
  // known.
  uint64_t entries_start_ = 0, entries_size_ = ~uint64_t{0};
  std::vector<uint64_t> chain_;  // buffer for the current callchain
  std::vector<Recent> recent_;   // a cache, by hash of the address
  // By DsoKind, as far as they were needed. A cache: without frame pointers,
  // most callers lie in no mapping.
  std::array<Placeholder, static_cast<size_t>(DsoKind::kMarker) + 1>
      placeholders_;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_CALLCHAIN_PLACES_H_
