#ifndef PERF2X_MODEL_STACK_TABLE_H_
#define PERF2X_MODEL_STACK_TABLE_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "converter/base/chunked.h"
#include "converter/base/hash.h"
#include "converter/base/huge_pages.h"
#include "converter/base/prefetch.h"
#include "converter/model/callchain_arena.h"
#include "converter/model/model.h"

namespace perf2x {

// The distinct stacks of a recording, each kept as it came: the words of its
// callchain in the host's byte order, leaf first, with context markers, and the
// layout they are to be read in. Frames are worked out later, once a stack, by
// the FrameSource. Takes about 40 bytes a distinct stack beside callchains that
// do not lie in the mapped input; these are kept packed.
class StackTable {
 public:
  StackTable();

  static Hash128 HashOf(AddressSpaceId layout,
                        absl::Span<const uint8_t> chain) {
    return HashOf(layout, HashBytes(chain));
  }
  // The same, of a chain that HashBytes has hashed.
  static Hash128 HashOf(AddressSpaceId layout, const Hash128& chain) {
    return Combine(chain, layout);
  }
  // Starts to fetch what Intern of this hash will touch.
  void Prefetch(const Hash128& hash) const {
    perf2x::Prefetch(&slots_[FirstOf(hash.low)]);
  }
  // The id of the stack with this hash. A new stack keeps the pointer to
  // `chain` when `stable` says that the bytes stay, else a copy.
  StackId Intern(const Hash128& hash, AddressSpaceId layout,
                 absl::Span<const uint8_t> chain, bool stable);

  AddressSpaceId layout(StackId id) const { return stacks_[id].layout; }
  // Valid while `*room` is not changed, which may have been used for it.
  absl::Span<const uint8_t> chain(StackId id,
                                  std::vector<uint64_t>* room) const;
  size_t size() const { return stacks_.size(); }
  // How many words the callchain has, about; 0 for an id that is not here.
  size_t words(StackId id) const;
  // About how many bytes of memory all of it takes, with the sums that emitters
  // keep by stack.
  uint64_t memory() const {
    constexpr uint64_t kOfSums = 48;
    return size() * (sizeof(Stack) + kOfSums) + slots_.size() * sizeof(Slot) +
           last_packed_.size() * sizeof(last_packed_[0]) + arena_.memory();
  }
  // Starts to fetch the chain of a stack; any id is allowed.
  void PrefetchChain(StackId id) const {
    if (id >= size() || stacks_[id].kind != kBytes) return;
    const Stack& stack = stacks_[id];
    constexpr size_t kMax = 4 * kCacheLine;
    PrefetchAll(Bytes(stack), std::min<size_t>(stack.size, kMax));
  }
  // No stack will be added: frees what finds equal ones.
  void DropIndex() {
    slots_ =
        std::vector<Slot, HugePages<Slot>>();  // `= {}` would keep the memory
    last_packed_ = std::vector<const uint8_t*>();
    arena_.DropIndex();
  }
  // No stack below `end` will be asked for: frees what only these took, sooner
  // or later. Others may be asked for meanwhile, by other threads too.
  void Forget(StackId end);

 private:
  // 96 bits of the hash; the low ones, which also say where the search starts,
  // suffice for 2^32 slots.
  struct Slot {
    uint64_t high = 0;
    uint32_t low = 0;
    StackId id = kNoId;
  };
  // How a chain is kept. kPair: a marker and an address, which is all that a
  // sample without a callchain has.
  enum Kind : uint32_t { kBytes, kPacked, kPair };
  struct Stack {
    uint64_t at;         // where the chain is; of a pair, its second word
    uint32_t size : 30;  // of kBytes; of a pair, the low bits of its first word
    uint32_t kind : 2;
    AddressSpaceId layout;
  };
  static const uint8_t* Bytes(const Stack& stack) {
    return reinterpret_cast<const uint8_t*>(stack.at);
  }
  // Where the search for a hash starts: at the first slot of a cache line, so
  // that most searches end in it.
  uint64_t FirstOf(uint64_t low) const { return low & mask_ & ~uint64_t{3}; }
  void Grow();
  Stack Keep(AddressSpaceId layout, absl::Span<const uint8_t> chain,
             bool stable);

  std::vector<Slot, HugePages<Slot>> slots_;  // open addressing, power of two
  uint64_t mask_;
  Chunked<Stack> stacks_;
  CallchainArena arena_;
  std::vector<const uint8_t*> last_packed_;  // by layout; null: none
};

// Where a frame lies: what makes it the same as another.
struct FramePlace {
  FramePlace() {}  // to be filled in where it lies
  FramePlace(uint64_t hash_of, uint64_t at, DsoId of, MappingId in)
      : hash(hash_of), address(at), file(of), mapping(in) {}

  uint64_t hash;  // FrameTable::HashOf file and address
  uint64_t address;
  DsoId file;
  MappingId mapping;
};

// Works out where the frames of stacks lie.
class FrameSource {
 public:
  virtual ~FrameSource() = default;
  // Appends the stack's frames, leaf first; at least one.
  virtual void AppendPlaces(StackId stack, std::vector<FramePlace>* places) = 0;
};

}  // namespace perf2x

#endif  // PERF2X_MODEL_STACK_TABLE_H_
