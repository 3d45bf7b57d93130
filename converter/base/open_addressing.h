// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_OPEN_ADDRESSING_H_
#define PERF2X_BASE_OPEN_ADDRESSING_H_

#include <cstddef>
#include <utility>
#include <vector>

#include "converter/base/zeroed_array.h"

namespace perf2x {

// Doubles the slots of a hash table with open addressing and linear probing.
// `*slots` must have a power of two of them, at least one of which is free:
// Slot::is_free() returns true for a slot of zero bytes. first_of(Slot) returns
// the index at which the search for an item begins in the doubled table: the
// index in the table before, or that plus the number of slots before.
//
// Rehashes in place: an item moves to a slot that was passed already, or to the
// new half.
template <class Slot, class FirstOf>
void DoubleSlots(ZeroedArray<Slot>* slots, FirstOf first_of) {
  const size_t size = slots->size();
  slots->Grow(2 * size);
  ZeroedArray<Slot>& all = *slots;
  const auto take = [&all](size_t at) {
    return std::exchange(all[at], Slot());
  };
  // Items whose search may wrap around to the first slot.
  std::vector<Slot> last;
  size_t at = 0;
  for (; !all[at].is_free(); ++at) last.push_back(take(at));
  for (; at < size; ++at) {
    if (all[at].is_free()) continue;
    const Slot slot = take(at);
    size_t to = first_of(slot);
    while (to < all.size() && !all[to].is_free()) ++to;
    if (to < all.size()) {
      all[to] = slot;
    } else {
      last.push_back(slot);
    }
  }
  for (const Slot& slot : last) {
    size_t to = first_of(slot);
    while (!all[to].is_free()) to = (to + 1) & (all.size() - 1);
    all[to] = slot;
  }
}

}  // namespace perf2x

#endif  // PERF2X_BASE_OPEN_ADDRESSING_H_
