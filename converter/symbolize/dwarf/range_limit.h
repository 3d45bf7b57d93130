// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_DWARF_RANGE_LIMIT_H_
#define PERF2X_SYMBOLIZE_DWARF_RANGE_LIMIT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "converter/symbolize/dwarf/dwarf_unit.h"

namespace perf2x {

// Memory charged for each range of code that is kept, in bytes.
inline constexpr uint64_t kRangeMemory = 96;

// Returns the largest number of ranges that are read of a unit. Units may share
// lists of ranges, but a small file must not take much memory.
inline size_t MostRanges(const DwarfUnit& unit) {
  return std::min<uint64_t>(
      unit.sections->info.size() + unit.sections->rnglists.size() +
          unit.main->ranges.size(),
      unit.sections->budget->left(Budget::kMemory) / kRangeMemory);
}

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_DWARF_RANGE_LIMIT_H_
