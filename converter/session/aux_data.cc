// SPDX-License-Identifier: Apache-2.0
#include "converter/session/aux_data.h"

#include <algorithm>

namespace perf2x {
namespace {

// Returns the part of a piece from its byte `skip` on, of at most `size` bytes.
AuxData::Piece PartOf(const AuxData::Piece& piece, uint64_t skip,
                      uint64_t size) {
  AuxData::Piece part = piece;
  part.bytes = piece.bytes.subspan(
      skip, std::min<uint64_t>(piece.bytes.size() - skip, size));
  part.offset += skip;
  return part;
}

bool IsZero(uint8_t byte) { return byte == 0; }

}  // namespace

// Returns true if all data from `start` on, that was not freed, is padding of
// the piece that was added last.
bool AuxData::IsPadding(uint64_t start) const {
  constexpr uint64_t kAlignment = 8;
  if (start >= last_end_ || last_end_ - start >= kAlignment) return false;
  const Piece tail = At(start, last_end_);
  return std::all_of(tail.bytes.begin(), tail.bytes.end(), IsZero);
}

uint64_t AuxData::Add(uint64_t start, const Piece& piece) {
  if (piece.bytes.empty()) return 0;
  if (piece.bytes.size() > ~start) return piece.bytes.size();
  const uint64_t end = start + piece.bytes.size();
  if (end > last_end_ && IsPadding(start)) {
    added_.Remove(start, last_end_);
    Free(start, last_end_);
  }
  last_end_ = end;
  return added_.Add(start, end, [&](uint64_t from, uint64_t to) {
    pieces_.emplace(from, PartOf(piece, from - start, to - from));
  });
}

AuxData::Piece AuxData::At(uint64_t start, uint64_t end) const {
  auto it = pieces_.upper_bound(start);
  if (it == pieces_.begin() || end <= start) return {};
  --it;
  const uint64_t skip = start - it->first;
  if (skip >= it->second.bytes.size()) return {};
  return PartOf(it->second, skip, end - start);
}

uint64_t AuxData::NextFrom(uint64_t start, uint64_t end) const {
  if (!At(start, end).bytes.empty()) return start;
  const auto it = pieces_.lower_bound(start);
  return it == pieces_.end() ? end : std::min(end, it->first);
}

void AuxData::Free(uint64_t start, uint64_t end) {
  auto it = pieces_.upper_bound(start);
  if (it != pieces_.begin()) --it;
  while (it != pieces_.end() && it->first < end) {
    const uint64_t from = it->first, to = from + it->second.bytes.size();
    if (to <= start) {
      ++it;
      continue;
    }
    const Piece piece = it->second;
    it = pieces_.erase(it);
    if (from < start) pieces_.emplace(from, PartOf(piece, 0, start - from));
    if (to > end) pieces_.emplace(end, PartOf(piece, end - from, to - end));
  }
}

}  // namespace perf2x
