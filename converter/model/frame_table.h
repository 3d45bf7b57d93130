// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_MODEL_FRAME_TABLE_H_
#define PERF2X_MODEL_FRAME_TABLE_H_

#include <cstdint>

#include "converter/base/hash_seed.h"
#include "converter/base/prefetch.h"
#include "converter/base/stable_array.h"
#include "converter/base/zeroed_array.h"
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
    size_t at = FirstOf(hash);
    // Compares all slots of the line: which one it is cannot be predicted. A
    // free slot that is equal has no frame.
    FrameId found = kNoId;
    for (size_t i = 0; i < kGroup; ++i) {
      const Slot& slot = slots_[at + i];
      const bool equal = (slot.address == address) & (slot.dso == dso);
      found &= slot.frame() | (uint32_t{equal} - 1);
    }
    if (found != kNoId) return found;
    for (; !slots_[at].is_free(); at = (at + 1) & mask_) {
      if (slots_[at].address == address && slots_[at].dso == dso) {
        return slots_[at].frame();
      }
    }
    return Add(at, dso, mapping, address);
  }

  // Frees the hash table. Neither Intern nor Prefetch may be called afterwards.
  void DropIndex() { slots_.Clear(); }

  // The frames by id. Remain after DropIndex.
  using Frames = StableArray<Frame>;
  const Frames& frames() const { return frames_; }

 private:
  struct Slot {
    uint64_t address = 0;
    DsoId dso = 0;
    uint32_t not_frame = 0;  // the bits of the FrameId, inverted

    // Returns kNoId if the slot is free.
    FrameId frame() const { return ~not_frame; }
    bool is_free() const { return not_frame == 0; }
  };
  static_assert(kNoId == ~0u);
  static constexpr size_t kFirstSlots = 1 << 8;
  static constexpr size_t kGroup = kCacheLine / sizeof(Slot);
  // Returns the first slot of a search: the first of a cache line, so that most
  // searches end in it.
  size_t FirstOf(uint64_t hash) const {
    return (hash >> 32) & mask_ & ~(kGroup - 1);
  }
  // Adds a frame, whose slot is slots_[at].
  FrameId Add(size_t at, DsoId dso, MappingId mapping, uint64_t address);
  void Grow();

  ZeroedArray<Slot> slots_;  // open addressing, power of two
  size_t mask_;
  Frames frames_;
};

}  // namespace perf2x

#endif  // PERF2X_MODEL_FRAME_TABLE_H_
