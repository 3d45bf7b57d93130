// SPDX-License-Identifier: Apache-2.0
#include "converter/session/byte_ranges.h"

#include <algorithm>
#include <iterator>

namespace perf2x {

uint64_t ByteRanges::Add(uint64_t start, uint64_t end, Found is_new) {
  uint64_t known = 0, at = start, first = start, last = end;
  auto it = ends_.upper_bound(start);
  if (it != ends_.begin() && std::prev(it)->second >= start) --it;
  while (it != ends_.end() && it->first <= end) {
    if (it->first > at) is_new(at, it->first);
    known += std::min(end, it->second) - std::max(start, it->first);
    at = std::max(at, it->second);
    first = std::min(first, it->first);
    last = std::max(last, it->second);
    it = ends_.erase(it);
  }
  if (at < end) is_new(at, end);
  ends_.emplace(first, last);
  return known;
}

void ByteRanges::Remove(uint64_t start, uint64_t end) {
  auto it = ends_.upper_bound(start);
  if (it != ends_.begin()) --it;
  while (it != ends_.end() && it->first < end) {
    const auto [from, to] = *it;
    if (to <= start) {
      ++it;
      continue;
    }
    it = ends_.erase(it);
    if (from < start) ends_.emplace(from, start);
    if (to > end) ends_.emplace(end, to);
  }
}

bool ByteRanges::Contains(uint64_t start, uint64_t end) const {
  const auto it = ends_.upper_bound(start);
  return it != ends_.begin() && std::prev(it)->second >= end;
}

uint64_t ByteRanges::EndOfRangeAround(uint64_t at) const {
  const auto next = ends_.lower_bound(at);
  if (next == ends_.begin()) return at;
  return std::max(at, std::prev(next)->second);
}

void ByteRanges::ForEachGap(uint64_t start, uint64_t end, Found lacks) const {
  auto it = ends_.upper_bound(start);
  if (it != ends_.begin()) --it;
  for (; it != ends_.end() && it->first < end; ++it) {
    if (it->first > start) lacks(start, it->first);
    start = std::max(start, it->second);
  }
  if (start < end) lacks(start, end);
}

}  // namespace perf2x
