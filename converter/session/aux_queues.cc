// SPDX-License-Identifier: Apache-2.0
#include "converter/session/aux_queues.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace perf2x {
namespace {

constexpr int32_t kLowest = std::numeric_limits<int32_t>::min();

bool IsEarlier(const AuxRange& a, const AuxRange& b) {
  return a.number < b.number;
}

}  // namespace

// The records of one event may lack the CPU or the thread: then the only place
// is theirs.
AuxPlace* AuxQueues::PlaceOf(const AuxRange& range) {
  auto it = range.cpu < 0 ? places_.end() : places_.find({range.cpu, -1});
  if (it == places_.end()) it = places_.find({-1, range.tid});
  if (it != places_.end()) return &it->second;
  if (places_.size() != 1) return nullptr;
  AuxPlace& only = places_.begin()->second;
  return (only.cpu < 0 ? range.tid : range.cpu) < 0 ? &only : nullptr;
}

uint64_t AuxQueues::AddData(int32_t cpu, int32_t tid, uint64_t start,
                            const AuxData::Piece& piece) {
  if (cpu < 0) cpu = -1;
  const auto [it, is_new] = places_.try_emplace({cpu, cpu < 0 ? tid : -1});
  AuxPlace& place = it->second;
  place.cpu = it->first.first;
  place.tid = it->first.second;
  const uint64_t known = place.data.Add(start, piece);
  ++pieces_;
  if (is_new) Adopt(&place);
  Wake(&place);
  return known;
}

void AuxQueues::AddRange(AuxRange range) {
  range.number = numbers_++;
  ++kept_;
  range.place = PlaceOf(range);
  if (range.place == nullptr) {
    unplaced_[{range.cpu, range.tid}].push_back(range);
    unplaced_threads_.insert({range.tid, range.cpu});
    return;
  }
  waiting_.emplace(std::pair(range.place, range.number), range);
  Wake(range.place);
}

// Moves the ranges with a CPU and a thread to `*to`.
void AuxQueues::Release(Key key, std::vector<AuxRange>* to) {
  const auto it = unplaced_.find(key);
  if (it == unplaced_.end()) return;
  to->insert(to->end(), it->second.begin(), it->second.end());
  unplaced_.erase(it);
  unplaced_threads_.erase({key.second, key.first});
}

// Gives the ranges that waited for a place to it. Each does so once.
void AuxQueues::Adopt(AuxPlace* place) {
  std::vector<Key> keys;
  const auto add_cpu = [&](int32_t cpu) {
    for (auto it = unplaced_.lower_bound({cpu, kLowest});
         it != unplaced_.end() && it->first.first == cpu; ++it) {
      keys.push_back(it->first);
    }
  };
  const auto add_thread = [&](int32_t tid) {
    for (auto it = unplaced_threads_.lower_bound({tid, kLowest});
         it != unplaced_threads_.end() && it->first == tid; ++it) {
      keys.emplace_back(it->second, it->first);
    }
  };
  place->cpu >= 0 ? add_cpu(place->cpu) : add_thread(place->tid);
  // See PlaceOf().
  if (places_.size() == 1) place->cpu >= 0 ? add_cpu(-1) : add_thread(-1);
  std::vector<AuxRange> found;
  for (const Key& key : keys) Release(key, &found);
  for (AuxRange& range : found) {
    range.place = place;
    waiting_.emplace(std::pair(place, range.number), range);
  }
}

// Makes ranges ready, in their order, up to the first whose data may still
// come.
void AuxQueues::Wake(AuxPlace* place) {
  for (;;) {
    const auto it = waiting_.lower_bound({place, 0});
    if (it == waiting_.end() || it->second.place != place) return;
    const AuxRange first = it->second;
    if (!place->data.Had(first.start, first.end) &&
        place->data.end() <= first.end) {
      return;
    }
    waiting_.erase(it);
    MakeReady(first);
  }
}

// Makes the parts of a range ready that were not named before.
void AuxQueues::MakeReady(AuxRange range) {
  --kept_;
  const auto add = [&](uint64_t start, uint64_t end) {
    range.start = start;
    range.end = end;
    ready_.push_back(range);
    if (range.place != nullptr) ++range.place->ready_ranges;
  };
  const uint64_t start = range.start, end = range.end;
  if (range.place == nullptr) return add(start, end);
  const uint64_t repeated = range.place->named.Add(start, end, add);
  if (repeated > 0 && repeated_ == 0) repeated_offset_ = range.offset;
  repeated_ += repeated;
}

void AuxQueues::EndRecords(bool add_unnamed, bool raw) {
  std::vector<AuxRange> left;
  for (const auto& [key, ranges] : unplaced_) {
    left.insert(left.end(), ranges.begin(), ranges.end());
  }
  for (const auto& [key, range] : waiting_) left.push_back(range);
  waiting_.clear();
  unplaced_.clear();
  unplaced_threads_.clear();
  std::sort(left.begin(), left.end(), IsEarlier);
  for (const AuxRange& range : left) MakeReady(range);
  for (auto& entry : places_) {
    auto& place = entry.second;  // clang 14 captures no structured binding
    std::vector<std::pair<uint64_t, uint64_t>> unnamed;
    place.data.ForEachPiece([&](uint64_t start, uint64_t end) {
      place.named.ForEachGap(start, end, [&](uint64_t from, uint64_t to) {
        unnamed.emplace_back(from, to);
      });
    });
    for (const auto& [start, end] : unnamed) {
      if (!add_unnamed) {
        CountUnnamed(place.data.At(start, end));
        continue;
      }
      AuxRange range;
      range.cpu = place.cpu;
      range.tid = place.tid;
      range.start = start;
      range.end = end;
      range.raw = raw;
      range.place = &place;
      ++kept_;
      MakeReady(range);
    }
  }
  ended_ = true;
}

void AuxQueues::RemoveReady() {
  const AuxRange range = ready_.front();
  ready_.pop_front();
  if (range.place == nullptr) return;
  AuxPlace& place = *range.place;
  place.data.Free(range.start, range.end);
  // Records come in the order of their data.
  if (--place.ready_ranges > 0) return;
  place.data.FreeBefore(range.end, [this](const AuxData::Piece& piece) {
    if (!ended_) CountUnnamed(piece);
  });
}

void AuxQueues::CountUnnamed(const AuxData::Piece& piece) {
  constexpr uint8_t kIgnore = 0x70;  // of ETMv4 and ETE
  const bool padding =
      std::all_of(piece.bytes.begin(), piece.bytes.end(),
                  [](uint8_t byte) { return byte == 0 || byte == kIgnore; });
  if (padding) return;
  if (unnamed_ == 0) unnamed_offset_ = piece.offset;
  unnamed_ += piece.bytes.size();
}

uint64_t AuxQueues::TakeRepeated(uint64_t* offset) {
  *offset = repeated_offset_;
  return std::exchange(repeated_, 0);
}

uint64_t AuxQueues::TakeUnnamed(uint64_t* offset) {
  *offset = unnamed_offset_;
  return std::exchange(unnamed_, 0);
}

}  // namespace perf2x
