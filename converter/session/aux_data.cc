// SPDX-License-Identifier: Apache-2.0
#include "converter/session/aux_data.h"

#include <algorithm>

namespace perf2x {

AuxData::Piece AuxData::At(uint64_t start, uint64_t end) const {
  auto it = pieces_.upper_bound(start);
  if (it == pieces_.begin() || end <= start) return {};
  --it;
  const uint64_t skip = start - it->first;
  Piece found = it->second;
  if (skip >= found.bytes.size()) return {};
  found.bytes = found.bytes.subspan(
      skip, std::min<uint64_t>(found.bytes.size() - skip, end - start));
  found.offset += skip;
  return found;
}

void AuxData::DropBefore(uint64_t end) {
  while (!pieces_.empty()) {
    const auto it = pieces_.begin();
    if (it->first + it->second.bytes.size() > end) return;
    pieces_.erase(it);
  }
}

}  // namespace perf2x
