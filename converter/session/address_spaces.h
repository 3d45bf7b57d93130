// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_ADDRESS_SPACES_H_
#define PERF2X_SESSION_ADDRESS_SPACES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "converter/model/stack_table.h"
#include "converter/model/trace_tables.h"
#include "converter/session/address_map.h"
#include "converter/session/callchain_places.h"
#include "converter/session/dso_table.h"
#include "converter/session/thread_table.h"
#include "converter/symbolize/kernel/interrupt_entries.h"

namespace perf2x {

// Keeps the address spaces in which stacks were sampled. Computes the frames of
// stacks in them, as CallchainPlaces describes. Every AddressSpaceId argument
// must come from CurrentIdOf. Not thread-safe, except where stated.
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
  bool callers_are_call_sites() const { return callers_are_calls_; }

  // What CallchainPlaces needs. Thread-safe, as long as only one thread sets
  // `adds` or `finds` and none changes address spaces.

  const AddressSpace& operator[](AddressSpaceId id) const {
    return address_spaces_[id];
  }
  // Returns the placeholder for addresses of this kind. If there is none yet,
  // adds it to the tables, or without `adds` returns one whose Dso is kNoId.
  Placeholder PlaceholderOf(DsoKind kind, bool adds);
  // Returns the kernel's interrupt entries; empty: there are none. If they are
  // not known yet, finds them, or without `finds` returns null. Valid as long
  // as this.
  const std::vector<CodeRange>* InterruptEntries(bool finds);

  // Returns the Dso of an interrupted instruction at `ip` and sets `*address`
  // to its Frame::address. `mode` is the context marker for `ip`. If no mapping
  // covers `ip`, returns a placeholder Dso, never kNoId.
  DsoId LocateIp(AddressSpaceId space, uint64_t mode, uint64_t ip,
                 uint64_t* address);

  // The functions of FrameSource. Locate searches the process's mappings and,
  // for an address whose top bit is set, the kernel's. It returns kNoId if no
  // mapping covers the address.
  void AppendPlaces(StackId stack, FramePlaces* places) override;
  DsoId Locate(AddressSpaceId space, uint64_t address,
               uint64_t* frame_address) override;
  void AppendPlacesOfChain(AddressSpaceId space,
                           absl::Span<const uint8_t> chain,
                           FramePlaces* places) override;
  std::unique_ptr<PlaceFinder> MakeFinder() override;

 private:
  AddressSpaceId FindAddressSpace(ProcessState& process);
  const AddressMap& GuestMapOf(const ProcessState& process) const {
    return process.guest_map.empty() ? guest_map_ : process.guest_map;
  }
  Placeholder AddPlaceholder(DsoKind kind);

  TraceTables& tables_;
  DsoTable& dsos_;
  AddressMap::Arena arena_;
  AddressMap kernel_map_, guest_map_;
  // Changes whenever the map of a kernel may have changed. Never 0.
  uint32_t kernel_version_ = 1;
  std::vector<AddressSpace> address_spaces_;
  bool callers_are_calls_ = false;
  FindInterruptEntries find_interrupt_entries_;  // null: not set
  CallchainPlaces places_;                       // adds what is lacking

  std::mutex mutex_;  // guards what follows
  std::optional<std::vector<CodeRange>> interrupt_entries_;  // once known
  // By DsoKind, made on first use.
  std::array<Placeholder, static_cast<size_t>(DsoKind::kMarker) + 1>
      placeholders_;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_ADDRESS_SPACES_H_
