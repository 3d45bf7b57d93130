// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/path_numbers.h"

#include <algorithm>
#include <array>

namespace perf2x {
namespace {

// Words of memory for paths that are allocated at a time.
constexpr size_t kWordsOfChunk = 1 << 16;

// Returns the item `index`. Doubles the array if it is too short.
template <class T>
T& ItemOf(size_t index, ZeroedArray<T>* of) {
  if (index >= of->size()) of->Grow(std::max(index + 1, 2 * of->size()));
  return (*of)[index];
}

Hash128 HashOf(absl::Span<const FrameId> frames) {
  return HashBytes({reinterpret_cast<const uint8_t*>(frames.data()),
                    frames.size() * sizeof(FrameId)});
}

}  // namespace

PathNumbers::Path PathNumbers::PathOf(StackId stack) {
  Known& known = ItemOf(stack, &known_);
  if (known.path == 0) {
    tables_.FramesOf(stack, &new_frames_);
    known = Number(HashOf(new_frames_), new_frames_);
  }
  return {known.path - 1, &sites_[known.leaf]};
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
    paths->push_back({known.path - 1, &sites_[known.leaf]});
  }
}

// Sets new_stacks_ and new_frames_ for those of `stacks` that have no path,
// until there are many frames. Returns how many of `stacks` it read.
size_t PathNumbers::ReadFrames(absl::Span<const StackId> stacks) {
  constexpr size_t kFarAhead = 24, kAhead = 12, kManyFrames = 1 << 16;
  new_stacks_.clear();
  places_.clear();
  size_t at = 0;
  for (; at < stacks.size() && places_.size() < kManyFrames; ++at) {
    if (at + kFarAhead < stacks.size()) {
      const StackId far_ahead = stacks[at + kFarAhead];
      if (far_ahead < known_.size()) Prefetch(&known_[far_ahead]);
      if (!IsNumbered(stacks[at + kAhead])) {
        tables_.stacks.PrefetchChain(stacks[at + kAhead]);
      }
    }
    Known& known = ItemOf(stacks[at], &known_);
    if (known.path != 0) continue;
    known.path = kWaits;
    tables_.AppendPlaces(stacks[at], &places_);
    new_stacks_.push_back({stacks[at], places_.size()});
  }
  tables_.InternFrames(places_, &new_frames_);
  return at;
}

void PathNumbers::NumberNewStacks() {
  // What is looked up for a stack, by its frames and for each of them, is
  // fetched some stacks early.
  constexpr size_t kAhead = 8;
  std::array<Hash128, kAhead> hashes;
  const auto frames_of = [this](size_t i) {
    const size_t begin = i == 0 ? 0 : new_stacks_[i - 1].end;
    return absl::MakeConstSpan(new_frames_)
        .subspan(begin, new_stacks_[i].end - begin);
  };
  const size_t count = new_stacks_.size();
  for (size_t i = 0; i < count + kAhead; ++i) {
    Hash128& hash = hashes[i % kAhead];
    if (i >= kAhead) {
      const size_t now = i - kAhead;
      known_[new_stacks_[now].stack] = Number(hash, frames_of(now));
    }
    if (i >= count) continue;
    const absl::Span<const FrameId> frames = frames_of(i);
    for (const FrameId frame : frames) {
      if (frame < sites_of_.size()) Prefetch(&sites_of_[frame]);
    }
    if (!equal_paths_share_) continue;
    hash = HashOf(frames);
    number_of_.prefetch(hash);
  }
}

PathNumbers::Known PathNumbers::Number(const Hash128& hash,
                                       absl::Span<const FrameId> frames) {
  if (!equal_paths_share_) return AddPath(frames);
  const auto [it, inserted] = number_of_.try_emplace(hash);
  if (inserted) it->second = AddPath(frames);
  return it->second;
}

// A flat frame shows only the last of its sites. Sites are numbered from the
// leaf on.
PathNumbers::Known PathNumbers::AddPath(absl::Span<const FrameId> frames) {
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
  return {size(), SitesOf(size() - 1).front()};
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

void PathNumbers::Account() {
  accounted_ = path_words_;
  memory_.Set(number_of_.size() * kOfPath + paths_.memory() + sites_.memory() +
              known_.size() * sizeof(known_[0]) +
              sites_of_.size() * sizeof(sites_of_[0]) +
              path_words_ * sizeof(uint32_t));
}

void PathNumbers::NumberSitesOf(FrameId frame) {
  FrameSites& sites = ItemOf(frame, &sites_of_);
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
