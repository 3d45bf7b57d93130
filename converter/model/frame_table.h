#ifndef PERF2X_MODEL_FRAME_TABLE_H_
#define PERF2X_MODEL_FRAME_TABLE_H_

#include <cstdint>
#include <vector>

#include "converter/base/hash_seed.h"
#include "converter/base/huge_pages.h"
#include "converter/base/prefetch.h"
#include "converter/model/model.h"

namespace perf2x {

// The distinct frames of a recording. Keys lie in the slots themselves, and
// what a look-up touches can be fetched ahead: stacks ask for many frames at
// once, and with a million frames memory is all they wait for.
class FrameTable {
 public:
  FrameTable();

  static uint64_t HashOf(DsoId file, uint64_t address) {
    uint64_t h = address * kHashSeed.odd + (file ^ kHashSeed.number);
    h ^= h >> 32;
    return h * 0xd6e8feb86659fd93u;
  }
  void Prefetch(uint64_t hash) const {
    perf2x::Prefetch(&slots_[FirstOf(hash)]);
  }
  // The frame at `address` of `file`; `hash` is HashOf those. `mapping` is
  // noted when the frame is new.
  FrameId Intern(uint64_t hash, DsoId file, MappingId mapping,
                 uint64_t address);

  // No frame will be added: frees what finds equal ones.
  void DropIndex() { slots_ = std::vector<Slot, HugePages<Slot>>(); }

  using Frames = std::vector<Frame, HugePages<Frame>>;  // by id
  const Frames& frames() const { return frames_; }

 private:
  struct Slot {
    uint64_t address = 0;
    DsoId file = 0;
    FrameId frame = kNoId;
  };
  static constexpr size_t kGroup = kCacheLine / sizeof(Slot);
  // Where the search for a hash starts: at the first slot of a cache line, so
  // that most searches end in it.
  size_t FirstOf(uint64_t hash) const { return (hash >> shift_) * kGroup; }
  void Grow();

  std::vector<Slot, HugePages<Slot>> slots_;  // open addressing, power of two
  int shift_;  // of a hash, to a group of four slots
  Frames frames_;
};

}  // namespace perf2x

#endif  // PERF2X_MODEL_FRAME_TABLE_H_
