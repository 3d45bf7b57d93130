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
  if (known.number == kNone) {
    tables_.FramesOf(stack, &frames_);
    Number(frames_, HashOf(frames_), &known);
  }
  return {known.number, {&sites_[known.leaf], 1}};
}

void PathNumbers::PathsOf(absl::Span<const StackId> stacks, WorkerPool& workers,
                          std::vector<Path>* paths) {
  for (size_t at = 0; at < stacks.size();) {
    at += ReadFrames(stacks.subspan(at));
    if (new_stacks_.empty()) continue;
    tables_.SymbolizeAllFrames(workers, /*more_to_come=*/true);
    NumberNewStacks();
  }
  paths->clear();
  for (const StackId stack : stacks) {
    const Known& known = known_[stack];
    Prefetch(&sites_[known.leaf]);
    paths->push_back({known.number, {&sites_[known.leaf], 1}});
  }
}

Hash128 PathNumbers::HashOf(absl::Span<const FrameId> frames) {
  return HashBytes({reinterpret_cast<const uint8_t*>(frames.data()),
                    frames.size() * sizeof(FrameId)});
}

// Sets new_stacks_ and new_frames_ for those of `stacks` that have no path,
// until there are many frames. Returns how many of `stacks` it read.
size_t PathNumbers::ReadFrames(absl::Span<const StackId> stacks) {
  constexpr size_t kFarAhead = 24, kAhead = 12, kManyFrames = 1 << 16;
  new_stacks_.clear();
  new_frames_.clear();
  size_t at = 0;
  for (; at < stacks.size() && new_frames_.size() < kManyFrames; ++at) {
    if (at + kFarAhead < stacks.size()) {
      const StackId far_ahead = stacks[at + kFarAhead];
      if (far_ahead < known_.size()) Prefetch(&known_[far_ahead]);
      tables_.stacks.PrefetchChain(stacks[at + kAhead]);
    }
    Known& known = ElementOf(stacks[at], Known(), &known_);
    if (known.number != kNone) continue;
    known.number = kWaits;
    tables_.FramesOf(stacks[at], &frames_);
    new_frames_.insert(new_frames_.end(), frames_.begin(), frames_.end());
    new_stacks_.push_back({stacks[at], new_frames_.size(), HashOf(frames_)});
  }
  return at;
}

void PathNumbers::NumberNewStacks() {
  constexpr size_t kAhead = 4;
  size_t begin = 0;
  for (size_t i = 0; i < new_stacks_.size(); ++i) {
    if (i + kAhead < new_stacks_.size()) {
      number_of_.prefetch(new_stacks_[i + kAhead].hash);
    }
    const auto& [stack, end, hash] = new_stacks_[i];
    Number(absl::MakeConstSpan(new_frames_).subspan(begin, end - begin), hash,
           &known_[stack]);
    begin = end;
  }
}

void PathNumbers::Number(absl::Span<const FrameId> frames, const Hash128& hash,
                         Known* known) {
  for (const FrameId frame : frames) {
    if (frame < sites_of_.size()) Prefetch(&sites_of_[frame]);
  }
  const auto [it, inserted] = number_of_.try_emplace(hash);
  if (inserted) {
    it->second.number = size();
    AddPath(frames);
    it->second.leaf = SitesOf(it->second.number).front();
  }
  *known = it->second;
}

// A flat frame shows only the last of its sites. Sites are numbered from the
// leaf on.
void PathNumbers::AddPath(absl::Span<const FrameId> frames) {
  for (const FrameId frame : frames) NumberSitesOf(frame);
  const auto count_of = [this](FrameId frame) {
    return sites_of_[frame].count;
  };
  const size_t flat = functions_.CountFlatFrames(frames, count_of);
  size_t count = flat;
  for (size_t at = flat; at < frames.size(); ++at) {
    count += count_of(frames[at]);
  }
  uint32_t* to = NewPath(count);
  for (size_t at = 0; at < frames.size(); ++at) {
    const FrameSites& sites = sites_of_[frames[at]];
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
