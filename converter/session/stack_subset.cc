// SPDX-License-Identifier: Apache-2.0
#include "converter/session/stack_subset.h"

#include <algorithm>
#include <utility>

namespace perf2x {
namespace {

constexpr size_t kMaxPlaces = 1 << 18;
constexpr size_t kTypicalDepth = 64;

}  // namespace

StackId StackSubset::StackOf(size_t slot, int* shift) {
  *shift = 0;
  if (slot < kAll) return static_cast<StackId>(slot);
  const size_t beyond = slot - kAll;
  const int doubling = static_cast<int>(beyond >> kPerDoublingBits) + 1;
  *shift = ShiftOf(doubling);
  const size_t index = beyond & ((size_t{1} << kPerDoublingBits) - 1);
  return (kAll << (doubling - 1)) + static_cast<StackId>(index << *shift);
}

uint32_t StackSubset::DsoOf(DsoId id, const Dso& dso) {
  if (id >= dso_of_.size()) dso_of_.resize(size_t{id} + 1, kNoId);
  if (dso_of_[id] != kNoId) return dso_of_[id];
  uint32_t index = static_cast<uint32_t>(dsos_.size());
  if (dso.kind == DsoKind::kGenerated) {
    uint32_t& shared = generated_[dso.pid < 0 ? 1 : 0];
    if (shared == kNoId) {
      shared = index;
      dsos_.emplace_back().kind = dso.kind;
      dsos_.back().pid = dso.pid < 0 ? -1 : 0;
    }
    index = shared;
  } else {
    dsos_.push_back(dso);
  }
  return dso_of_[id] = index;
}

void StackSubset::Drop() {
  counts_ = std::vector<uint64_t>();
  dso_of_ = std::vector<uint32_t>();
  stacks_ = std::vector<Stack>();
  places_ = std::vector<Place>();
  dsos_ = std::vector<Dso>();
}

void StackSubset::Collect(TraceTables& tables) {
  Collect(tables, [](const FramePlace&) { return true; });
}

void StackSubset::Collect(TraceTables& tables,
                          absl::FunctionRef<bool(const FramePlace&)> keep) {
  FramePlaces places;
  // Reserves more than most recordings need: untouched memory costs nothing,
  // while growing would copy all places again and again.
  places_.reserve(std::min(kMaxPlaces, counts_.size() * kTypicalDepth));
  for (size_t slot = 0; slot < counts_.size(); ++slot) {
    if (counts_[slot] == 0) continue;
    if (places_.size() >= kMaxPlaces) break;
    int shift = 0;
    const StackId stack = StackOf(slot, &shift);
    places.clear();
    tables.AppendPlaces(stack, &places);
    for (size_t i = 0; i < places.size(); ++i) {
      const FramePlace& place = places[i];
      const Dso& dso = tables.dsos()[place.dso];
      if (dso.kind == DsoKind::kMarker || !keep(place)) continue;
      places_.push_back({DsoOf(place.dso, dso), place.address});
    }
    const uint64_t samples = std::exchange(counts_[slot], 0) << shift;
    samples_ += samples;
    stacks_.push_back({samples, places_.size()});
  }
}

}  // namespace perf2x
