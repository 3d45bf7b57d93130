// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/tables/path_numbers.h"

#include <algorithm>

namespace perf2x {
namespace {

// Returns the element `index`, which is `none` unless it was set. Doubles the
// vector's size if it is too short.
template <class T>
T& ElementOf(size_t index, const T& none, std::vector<T>* of) {
  if (index >= of->size()) {
    of->resize(std::max(index + 1, 2 * of->size()), none);
  }
  return (*of)[index];
}

}  // namespace

PathNumbers::Path PathNumbers::PathOf(StackId stack) {
  Known& known = ElementOf(stack, Known(), &known_);
  if (known.number == kNone) Number(stack, &known);
  return {known.number, {&sites_[known.leaf], 1}};
}

void PathNumbers::Number(StackId stack, Known* known) {
  tables_.FramesOf(stack, &frames_);
  const auto [it, inserted] = number_of_.try_emplace(
      HashBytes({reinterpret_cast<const uint8_t*>(frames_.data()),
                 frames_.size() * sizeof(FrameId)}));
  if (inserted) {
    it->second.number = size();
    AddPath();
    it->second.leaf = path_sites_[begins_[it->second.number]];
  }
  *known = it->second;
}

void PathNumbers::AddPath() {
  const size_t flat = functions_.CountFlatFrames(frames_);
  for (size_t at = 0; at < frames_.size(); ++at) {
    uint32_t site = FirstSiteOf(frames_[at]);
    if (at < flat) {
      site += static_cast<uint32_t>(tables_.Lines(frames_[at]).size()) - 1;
    }
    do {
      path_sites_.push_back(site);
    } while (sites_[site++].inlined);
  }
  begins_.push_back(path_sites_.size());
  if (begins_.size() % kAccountAt == 0 ||
      path_sites_.size() >= accounted_ + kAccountAtSites) {
    Account();
  }
}

// Vectors double their size, and have the old one beside it for a moment.
void PathNumbers::Account() {
  accounted_ = path_sites_.size();
  memory_.Set(
      begins_.size() * (kOfPath + sizeof(begins_[0])) +
      sites_.size() * sizeof(sites_[0]) + known_.size() * sizeof(known_[0]) +
      (2 * path_sites_.capacity() + first_sites_.size()) * sizeof(uint32_t));
}

// The sites of a frame have successive numbers.
uint32_t PathNumbers::FirstSiteOf(FrameId frame) {
  uint32_t& first = ElementOf(frame, kNone, &first_sites_);
  if (first != kNone) return first;
  first = static_cast<uint32_t>(sites_.size());
  const absl::Span<const Line> lines = tables_.Lines(frame);
  for (size_t i = 0; i < lines.size(); ++i) {
    sites_.push_back(
        {frame, lines[i].function, lines[i].line, i + 1 < lines.size()});
  }
  return first;
}

}  // namespace perf2x
