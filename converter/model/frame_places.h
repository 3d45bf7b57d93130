// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_MODEL_FRAME_PLACES_H_
#define PERF2X_MODEL_FRAME_PLACES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "converter/model/model.h"

namespace perf2x {

// Identifies a frame that is not interned yet, by its place in code. Places
// that differ only in `mapping` are one frame, with the first of these
// mappings.
struct FramePlace {
  FramePlace() {}  // left uninitialized
  FramePlace(uint64_t hash_of, uint64_t at, DsoId of, MappingId in)
      : hash(hash_of), address(at), dso(of), mapping(in) {}

  uint64_t hash;     // FrameTable::HashOf(dso, address)
  uint64_t address;  // Frame::address
  DsoId dso;
  MappingId mapping;
};

// The places of the frames of some stacks, one after the other. Most stacks
// share frames with those before, so frames can share a stored place, which is
// then interned once. Fewer than 2^32 frames. Not thread-safe.
class FramePlaces {
 public:
  size_t size() const { return indexes_.size(); }  // frames
  bool empty() const { return indexes_.empty(); }
  const FramePlace& operator[](size_t frame) const {
    return places_[indexes_[frame]];
  }
  // The stored places, in the order of the first frame of each. Some may be
  // equal.
  absl::Span<const FramePlace> stored() const {
    return absl::MakeConstSpan(places_.data(), stored_);
  }
  // By frame, the index of its place in stored().
  absl::Span<const uint32_t> indexes() const { return indexes_; }
  // Returns true if this is the place at `index` of stored(). `index` may be
  // too large.
  bool HasAt(uint32_t index, DsoId dso, uint64_t address) const {
    return index < stored_ && places_[index].address == address &&
           places_[index].dso == dso;
  }
  // Frames that there is memory for.
  size_t capacity() const { return indexes_.capacity(); }

  void clear() {
    indexes_.clear();
    stored_ = 0;
  }
  // Appends a frame, and stores its place.
  void push_back(const FramePlace& place) {
    uint32_t* const to = Append(1);
    *to = Store(place);
  }

  // For many frames: Append appends `count` frames, the caller sets the index
  // of each one's place, and Truncate drops those from `end` on. Returns where
  // the indexes are; valid until the next call of Append.
  uint32_t* Append(size_t count) {
    if (places_.size() - stored_ < count) places_.resize(2 * stored_ + count);
    indexes_.resize(indexes_.size() + count);
    return indexes_.data() + indexes_.size() - count;
  }
  void Truncate(const uint32_t* end) {
    indexes_.resize(static_cast<size_t>(end - indexes_.data()));
  }
  // Stores the place of the next frame of those, and returns its index. To be
  // called at most once for each.
  uint32_t Store(const FramePlace& place) {
    places_[stored_] = place;
    return stored_++;
  }

 private:
  std::vector<FramePlace> places_;  // from stored_ on, memory for more
  uint32_t stored_ = 0;
  std::vector<uint32_t> indexes_;
};

}  // namespace perf2x

#endif  // PERF2X_MODEL_FRAME_PLACES_H_
