// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_MODEL_FRAME_TABLE_H_
#define PERF2X_MODEL_FRAME_TABLE_H_

#include <cstdint>
#include <vector>

#include "converter/base/hash_seed.h"
#include "converter/base/huge_page_allocator.h"
#include "converter/base/prefetch.h"
#include "converter/base/stable_array.h"
#include "converter/model/model.h"

namespace perf2x {

// The distinct frames of a recording. A hash table whose slots hold the keys:
// lookups can be prefetched. With a million frames, memory latency dominates
// the cost of a lookup. Not thread-safe.
class FrameTable {
 public:
  FrameTable();

  // Returns the hash of a frame for Prefetch and Intern. The hash of a frame
  // differs from run to run.
  static uint64_t HashOf(DsoId dso, uint64_t address) {
    uint64_t h = address * kHashSeed.odd + (dso ^ kHashSeed.number);
    h ^= h >> 32;
    return h * 0xd6e8feb86659fd93u;
  }
  // Prefetches the slot of this hash for Intern.
  void Prefetch(uint64_t hash) const {
    perf2x::Prefetch(&slots_[FirstOf(hash)]);
  }
  // Returns the id of the frame at `address` of `dso`; `hash` must be their
  // HashOf. A new frame gets `mapping`. A known frame keeps its mapping.
  FrameId Intern(uint64_t hash, DsoId dso, MappingId mapping,
                 uint64_t address) {
    const size_t mask = slots_.size() - 1;
    size_t at = FirstOf(hash);
    // Compares all slots of the line: which one it is cannot be predicted. An
    // empty slot that is equal has no frame.
    FrameId found = kNoId;
    for (size_t i = 0; i < kGroup; ++i) {
      const Slot& slot = slots_[at + i];
      const bool equal = (slot.address == address) & (slot.dso == dso);
      found &= slot.frame | (uint32_t{equal} - 1);
    }
    if (found != kNoId) return found;
    for (; slots_[at].frame != kNoId; at = (at + 1) & mask) {
      if (slots_[at].address == address && slots_[at].dso == dso) {
        return slots_[at].frame;
      }
    }
    return Add(at, dso, mapping, address);
  }

  // Frees the hash table. Neither Intern nor Prefetch may be called afterwards.
  void DropIndex() { slots_ = std::vector<Slot, HugePageAllocator<Slot>>(); }

  // The frames by id. Remain after DropIndex.
  using Frames = StableArray<Frame>;
  const Frames& frames() const { return frames_; }

 private:
  struct Slot {
    uint64_t address = 0;
    DsoId dso = 0;
    FrameId frame = kNoId;
  };
  static constexpr size_t kGroup = kCacheLine / sizeof(Slot);
  // Returns the first slot of a search: the first of a cache line, so that most
  // searches end in it.
  size_t FirstOf(uint64_t hash) const { return (hash >> shift_) * kGroup; }
  // Adds a frame, whose slot is slots_[at].
  FrameId Add(size_t at, DsoId dso, MappingId mapping, uint64_t address);
  void Grow();

  std::vector<Slot, HugePageAllocator<Slot>>
      slots_;  // open addressing, power of two
  int shift_;  // from a hash to the number of a group of four slots
  Frames frames_;
};

}  // namespace perf2x

#endif  // PERF2X_MODEL_FRAME_TABLE_H_
