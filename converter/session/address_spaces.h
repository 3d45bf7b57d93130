// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_ADDRESS_SPACES_H_
#define PERF2X_SESSION_ADDRESS_SPACES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "converter/model/stack_table.h"
#include "converter/model/trace_tables.h"
#include "converter/perf/records/wire.h"
#include "converter/session/address_map.h"
#include "converter/session/dso_table.h"
#include "converter/session/flat_maps.h"
#include "converter/session/thread_table.h"
#include "converter/symbolize/kernel/interrupt_entries.h"

namespace perf2x {

// Keeps the address spaces in which stacks were sampled. Computes the frames of
// stacks in them. The words of callchains are in the host's byte order. A
// context marker (perf/records/wire.h) precedes the addresses of each mode;
// addresses before any marker are in user space. Every AddressSpaceId argument
// must come from CurrentIdOf. Not thread-safe.
class AddressSpaces final : public FrameSource {
 public:
  // Becomes the frame source of `tables`. Both must outlive this object.
  AddressSpaces(TraceTables& tables, DsoTable& dsos);

  // Returns the host kernel's mappings, which are part of every address space,
  // to change them. Call this before each change: otherwise CurrentIdOf misses
  // the change.
  AddressMap& mutable_kernel_map() {
    ++kernel_version_;
    return kernel_map_;
  }
  // Returns the host kernel's mappings, for reading.
  const AddressMap& kernel() const { return kernel_map_; }
  // Returns the Dso of the host kernel's mapping that covers `address`, and
  // sets `*frame_address` to its Frame::address; kNoId: there is none.
  DsoId LocateInKernel(uint64_t address, uint64_t* frame_address) const;
  // Returns the guest kernel's mappings in the virtual machine that `process`
  // runs. If `process` is null, returns the mappings for all virtual machines
  // without a map of their own. Call this before each change.
  AddressMap& mutable_guest_map(ProcessState* process) {
    ++kernel_version_;
    return process == nullptr ? guest_map_ : process->guest_map;
  }
  // Returns the arena of the maps above and of the maps in ProcessState.
  AddressMap::Arena& arena() { return arena_; }

  // Returns the address space of `process` with its current mappings. Makes a
  // new one if the mappings changed since the last call. Ids count from 0.
  AddressSpaceId CurrentIdOf(ProcessState& process) {
    const bool same = process.space_kernel_version == kernel_version_ &&
                      process.space_map == process.map &&
                      process.space_replaced_map == process.replaced_map;
    return same ? process.address_space : FindAddressSpace(process);
  }

  // Returns the approximate memory of all address spaces, in bytes.
  uint64_t memory() const {
    constexpr uint64_t kOfCopies = 64;  // memory of FlatMapCache
    return arena_.memory() +
           address_spaces_.size() * (sizeof(AddressSpace) + kOfCopies);
  }

  // Returns the code at which interrupts enter a kernel, ascending (see
  // FileSymbolizer::InterruptEntries). Called at most once, on the thread that
  // requests the frames of a stack.
  using FindInterruptEntries =
      std::function<std::vector<CodeRange>(const Dso& kernel)>;
  void set_interrupt_entries(FindInterruptEntries find) {
    find_interrupt_entries_ = std::move(find);
  }
  // If set, callchains have addresses within call instructions instead of
  // return addresses, as in simpleperf's recordings
  // (AdjustCallChainGeneratedByKernel() in its record.cpp). Default: false.
  void set_callers_are_call_sites(bool calls) { callers_are_calls_ = calls; }

  // Returns the Dso of an interrupted instruction at `ip` and sets `*address`
  // to its Frame::address. `mode` is the context marker for `ip`. If no mapping
  // covers `ip`, returns a placeholder Dso, never kNoId.
  DsoId LocateIp(AddressSpaceId space, uint64_t mode, uint64_t ip,
                 uint64_t* address);

  // The functions of FrameSource. Locate searches the process's mappings and,
  // for an address whose top bit is set, the kernel's. It returns kNoId if no
  // mapping covers the address.
  void AppendPlaces(StackId stack, std::vector<FramePlace>* places) override;
  DsoId Locate(AddressSpaceId space, uint64_t address,
               uint64_t* frame_address) override;
  void AppendPlacesOfChain(AddressSpaceId space,
                           absl::Span<const uint8_t> chain,
                           std::vector<FramePlace>* places) override;

 private:
  AddressSpaceId FindAddressSpace(ProcessState& process);
  const AddressMap& GuestMapOf(const ProcessState& process) const {
    return process.guest_map.empty() ? guest_map_ : process.guest_map;
  }
  struct AddressSpace {
    // `replaced` is searched for addresses that `user` lacks.
    AddressMap user, replaced, kernel, guest;
    uint32_t kernels;  // number of `kernel` among all kernel maps
  };
  // Sets flat_user_ and flat_kernel_ for the address space, whose maps are
  // about to be searched `times` times.
  void TakeFlat(AddressSpaceId space, size_t times) {
    const AddressSpace& l = address_spaces_[space];
    flat_user_ = flat_users_.FlatCopyOf(space, l.user, times);
    flat_kernel_ = flat_kernels_.FlatCopyOf(l.kernels, l.kernel, times);
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
  // A Dso, with a mapping of its own, for addresses that no mapping covers.
  struct Placeholder {
    DsoId dso = kNoId;
    MappingId mapping = kNoId;
  };
  void PutPlaceholder(DsoKind kind, uint64_t address, FramePlace* to) {
    const Placeholder& known = placeholders_[static_cast<size_t>(kind)];
    const Placeholder& at = known.dso != kNoId ? known : AddPlaceholder(kind);
    Put(at.dso, at.mapping, address, to);
  }
  const Placeholder& AddPlaceholder(DsoKind kind);

  TraceTables& tables_;
  DsoTable& dsos_;
  AddressMap::Arena arena_;
  AddressMap kernel_map_, guest_map_;
  // Changes whenever the map of a kernel may have changed. Never 0.
  uint32_t kernel_version_ = 1;
  std::vector<AddressSpace> address_spaces_;
  FlatMapCache flat_users_, flat_kernels_;
  // Flat copies of the current address space's maps; null: there is none.
  FlatMap* flat_user_ = nullptr;
  FlatMap* flat_kernel_ = nullptr;
  bool callers_are_calls_ = false;
  FindInterruptEntries find_interrupt_entries_;  // null: not set
  std::vector<CodeRange> interrupt_entries_;
  // The range that spans interrupt_entries_; all addresses until those are
  // looked up.
  uint64_t entries_start_ = 0, entries_size_ = ~uint64_t{0};
  std::vector<uint64_t> chain_;  // buffer for the current callchain
  // By DsoKind, made on first use. A cache: without frame pointers, most
  // callers lie in no mapping.
  std::array<Placeholder, static_cast<size_t>(DsoKind::kMarker) + 1>
      placeholders_;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_ADDRESS_SPACES_H_
