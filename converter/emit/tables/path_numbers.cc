// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/tables/path_numbers.h"

#include <algorithm>

#include "converter/base/prefetch.h"

namespace perf2x {
namespace {

// Words of memory for paths that are allocated at a time.
constexpr size_t kWordsOfChunk = 1 << 16;

// Returns the element `index`, which is `none` unless it was set. Doubles the
// vector's size if it is too short.
template <class T, class Allocator>
T& ElementOf(size_t index, const T& none, std::vector<T, Allocator>* of) {
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
  const Hash128 hash =
      HashBytes({reinterpret_cast<const uint8_t*>(frames_.data()),
                 frames_.size() * sizeof(FrameId)});
  number_of_.prefetch(hash);
  for (const FrameId frame : frames_) {
    if (frame < sites_of_.size()) Prefetch(&sites_of_[frame]);
  }
  const auto [it, inserted] = number_of_.try_emplace(hash);
  if (inserted) {
    it->second.number = size();
    AddPath();
    it->second.leaf = SitesOf(it->second.number).front();
  }
  *known = it->second;
}

// A flat frame shows only the last of its sites. Sites are numbered from the
// leaf on.
void PathNumbers::AddPath() {
  for (const FrameId frame : frames_) NumberSitesOf(frame);
  const auto count_of = [this](FrameId frame) {
    return sites_of_[frame].count;
  };
  const size_t flat = functions_.CountFlatFrames(frames_, count_of);
  size_t count = flat;
  for (size_t at = flat; at < frames_.size(); ++at) {
    count += count_of(frames_[at]);
  }
  uint32_t* to = NewPath(count);
  for (size_t at = 0; at < frames_.size(); ++at) {
    const FrameSites& sites = sites_of_[frames_[at]];
    for (uint32_t i = at < flat ? sites.count - 1 : 0; i < sites.count; ++i) {
      *to++ = sites.first + i;
    }
  }
  if (paths_.size() % kAccountAt == 0 ||
      path_words_ >= accounted_ + kAccountAtSites) {
    Account();
  }
}

// Returns memory for the sites of the next path.
uint32_t* PathNumbers::NewPath(size_t count) {
  if (free_words_ < count + 1) {
    free_words_ = std::max(kWordsOfChunk, count + 1);
    path_words_ += free_words_;
    chunks_.emplace_back(new uint32_t[free_words_]);
    free_ = chunks_.back().get();
  }
  paths_.push_back(free_);
  *free_ = static_cast<uint32_t>(count);
  uint32_t* const to = free_ + 1;
  free_ += count + 1;
  free_words_ -= count + 1;
  return to;
}

// Vectors double their size, and have the old one beside it for a moment.
void PathNumbers::Account() {
  accounted_ = path_words_;
  memory_.Set(
      paths_.size() * (kOfPath + sizeof(paths_[0])) +
      sites_.size() * sizeof(sites_[0]) + known_.size() * sizeof(known_[0]) +
      sites_of_.size() * sizeof(sites_of_[0]) + path_words_ * sizeof(uint32_t));
}

void PathNumbers::NumberSitesOf(FrameId frame) {
  FrameSites& sites = ElementOf(frame, FrameSites(), &sites_of_);
  if (sites.count != 0) return;
  const absl::Span<const Line> lines = tables_.Lines(frame);
  sites = {static_cast<uint32_t>(sites_.size()),
           static_cast<uint32_t>(lines.size())};
  for (size_t i = 0; i < lines.size(); ++i) {
    sites_.push_back(
        {frame, lines[i].function, lines[i].line, i + 1 < lines.size()});
  }
}

}  // namespace perf2x
