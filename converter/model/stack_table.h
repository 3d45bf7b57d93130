// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_MODEL_STACK_TABLE_H_
#define PERF2X_MODEL_STACK_TABLE_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "converter/base/chunked.h"
#include "converter/base/hash.h"
#include "converter/base/prefetch.h"
#include "converter/base/zeroed_array.h"
#include "converter/model/callchain_arena.h"
#include "converter/model/frame_places.h"
#include "converter/model/model.h"

namespace perf2x {

// The distinct stacks of a recording. A stack is a callchain in an address
// space. The callchain is in words of the host's byte order, leaf first, with
// context markers; FrameSource computes the frames later. Ids count from 0. The
// table takes about 40 bytes per distinct stack. It keeps packed copies of
// callchains that are not in the mapped input. A StackId argument must be in
// the table and not freed, except where stated. Not thread-safe, except where
// stated.
class StackTable {
 public:
  StackTable();

  // Returns the hash of a stack for Prefetch and Intern.
  static Hash128 HashOf(AddressSpaceId space, absl::Span<const uint8_t> chain) {
    return HashOf(space, HashBytes(chain));
  }
  // As above; `chain` is HashBytes of the callchain.
  static Hash128 HashOf(AddressSpaceId space, const Hash128& chain) {
    return Combine(chain, space);
  }
  // Prefetches the slot of this hash for Intern. Not allowed after DropIndex.
  void Prefetch(const Hash128& hash) const {
    perf2x::Prefetch(&slots_[FirstOf(hash.low)]);
  }
  // Returns the id of the stack of `space` and `chain`, whose HashOf is `hash`.
  // Adds the stack if none has this hash. `chain` must have less than 1 GiB.
  // Set `stable` if the bytes of `chain` outlive the table. The table then
  // refers to them; otherwise it copies them.
  StackId Intern(const Hash128& hash, AddressSpaceId space,
                 absl::Span<const uint8_t> chain, bool stable);

  // Returns the address space of a stack.
  AddressSpaceId address_space(StackId id) const {
    return stacks_[id].address_space;
  }
  // Returns the callchain, unpacked into `*room` if necessary. Valid until
  // `*room` changes or the stack is freed.
  absl::Span<const uint8_t> callchain(StackId id,
                                      std::vector<uint64_t>* room) const;
  // Returns the number of stacks, freed ones included.
  size_t size() const { return stacks_.size(); }
  // Returns the number of words of a callchain; 0 for ids that the table never
  // had or that FreeAll freed.
  size_t callchain_words(StackId id) const;
  // Prefetches what callchain_words reads. Ignores ids that the table never
  // had.
  void PrefetchStack(StackId id) const {
    if (id < size()) perf2x::Prefetch(&stacks_[id]);
  }
  // Returns the approximate memory in bytes. Includes an estimate of what
  // emitters keep for each stack.
  uint64_t memory() const {
    constexpr uint64_t kOfSums = 48;
    return (size() - begin_) * (sizeof(Stack) + kOfSums) +
           slots_.size() * sizeof(Slot) +
           last_packed_.size() * sizeof(last_packed_[0]) + arena_.memory();
  }
  // Prefetches the chain of a stack. Ignores ids that the table never had.
  void PrefetchChain(StackId id) const {
    if (id >= size() || stacks_[id].kind != kBytes) return;
    const Stack& stack = stacks_[id];
    constexpr size_t kMax = 4 * kCacheLine;
    PrefetchAll(Bytes(stack), std::min<size_t>(stack.size, kMax));
  }
  // Frees the hash table. Intern and Prefetch must not be called afterwards.
  void DropIndex() {
    slots_.Clear();
    // `= {}` would keep the memory.
    last_packed_ = std::vector<const uint8_t*>();
    arena_.DropIndex();
  }
  // Frees the stacks with ids below `end`, which must not be used any more. To
  // be called for each `end`, in ascending order, although few calls free
  // memory. Some memory is freed only with the table. Other threads may use
  // other stacks during the call.
  void FreeBelow(StackId end);
  // Frees all stacks, whose ids must not be used any more. Stacks that are
  // added afterwards have higher ids, even if the table had them before. Not
  // allowed after DropIndex.
  void FreeAll();
  // Returns the lowest id that FreeAll did not free.
  StackId begin() const { return begin_; }

 private:
  // Holds 96 bits of the hash. The search starts at the slot given by `low`,
  // whose 32 bits suffice for 2^32 slots.
  struct Slot {
    uint64_t high = 0;
    uint32_t low = 0;
    uint32_t stack = 0;  // the StackId + 1; 0 if the slot is free

    bool is_free() const { return stack == 0; }
  };
  // How a chain is stored. kPair: a context marker and one address, in the
  // Stack itself. This is the chain of a sample without a callchain.
  enum Kind : uint32_t { kBytes, kPacked, kPair };
  struct Stack {
    uint64_t at;         // pointer to the chain; of a pair, its second word
    uint32_t size : 30;  // of kBytes; of a pair, the low bits of its first word
    uint32_t kind : 2;
    AddressSpaceId address_space;
  };
  static const uint8_t* Bytes(const Stack& stack) {
    return reinterpret_cast<const uint8_t*>(stack.at);
  }
  static constexpr size_t kFirstSlots = 1 << 8;
  static constexpr uint32_t kSlotsOfLine = kCacheLine / sizeof(Slot);
  // Returns the first slot of a search: the first of a cache line, so that most
  // searches end in it. The slots of a line are filled in their order.
  uint64_t FirstOf(uint64_t low) const {
    return low & mask_ & ~uint64_t{kSlotsOfLine - 1};
  }
  void Grow();
  Stack Keep(AddressSpaceId space, absl::Span<const uint8_t> chain,
             bool stable);

  ZeroedArray<Slot> slots_;  // open addressing, power of two
  uint64_t mask_;
  Chunked<Stack> stacks_;
  StackId begin_ = 0;  // FreeAll freed all stacks below
  CallchainArena arena_;
  std::vector<const uint8_t*> last_packed_;  // by address space; null: none
};

// Finds the places of stacks' frames as a FrameSource does, for one of several
// threads. The functions return false if the source would add something to its
// tables first; they have then appended an unknown number of places. Not
// thread-safe.
class PlaceFinder {
 public:
  virtual ~PlaceFinder() = default;
  virtual bool AppendPlaces(StackId stack, FramePlaces* places) = 0;
  virtual bool AppendPlacesOfChain(AddressSpaceId space,
                                   absl::Span<const uint8_t> chain,
                                   FramePlaces* places) = 0;
};

// Computes the frames of stacks. One thread may call it while another one calls
// TraceTables::InternFrames; otherwise not thread-safe.
class FrameSource {
 public:
  virtual ~FrameSource() = default;
  // Appends the frames of a stack of the table, leaf first; at least one.
  virtual void AppendPlaces(StackId stack, FramePlaces* places) = 0;
  // Returns a finder of the same places, or null if the source has none. The
  // source must outlive it, and have no new stacks and address spaces while
  // finders are in use. One thread may then find places in the source itself.
  // Thread-safe.
  virtual std::unique_ptr<PlaceFinder> MakeFinder() { return nullptr; }
  // Returns the Dso of an instruction's run-time address in user or kernel
  // space, and sets `*frame_address` to its Frame::address. If no Dso is known,
  // returns kNoId and leaves `*frame_address` unchanged.
  virtual DsoId Locate(AddressSpaceId /*space*/, uint64_t /*address*/,
                       uint64_t* /*frame_address*/) {
    return kNoId;
  }
  // Appends the frames of a callchain that is not in the table, as AppendPlaces
  // does. Sources that know stacks only by id append nothing.
  virtual void AppendPlacesOfChain(AddressSpaceId,
                                   absl::Span<const uint8_t> /*chain*/,
                                   FramePlaces*) {}
};

}  // namespace perf2x

#endif  // PERF2X_MODEL_STACK_TABLE_H_
