// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_UNWIND_TABLE_SEARCH_H_
#define PERF2X_UNWIND_TABLE_SEARCH_H_

#include <cstddef>
#include <cstdint>

namespace perf2x {

// Returns how many entries of a sorted table start at or before `address`; the
// last of these, if any, is the one for the address. `start(i)` returns the
// start of entry i. Of a damaged table, which is not sorted, returns any number
// up to `count`.
template <class Start>
size_t CountUpTo(uint64_t address, size_t count, Start start) {
  size_t low = 0, high = count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (start(middle) <= address) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace perf2x

#endif  // PERF2X_UNWIND_TABLE_SEARCH_H_
