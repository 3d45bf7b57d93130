// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_RADIX_SORT_H_
#define PERF2X_BASE_RADIX_SORT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace perf2x {

// A number to sort by, with what belongs to it.
template <class T>
struct Keyed {
  uint64_t key;
  T value;
};

// Sorts `*items` by key, equal ones as they were, with the help of `*scratch`,
// which one may keep for the next call. Takes a pass for each byte in which
// keys differ: for many keys that are near each other, as addresses in a file
// are, several times as fast as comparing them.
template <class T>
void RadixSort(std::vector<Keyed<T>>* items, std::vector<Keyed<T>>* scratch) {
  uint64_t differing = 0;
  for (const Keyed<T>& item : *items)
    differing |= item.key ^ items->front().key;
  scratch->resize(items->size());
  for (int shift = 0; shift < 64; shift += 8) {
    if ((differing >> shift & 0xff) == 0) continue;
    const auto digit = [shift](const Keyed<T>& item) {
      return item.key >> shift & 0xff;
    };
    std::array<size_t, 256> place{};
    for (const Keyed<T>& item : *items) ++place[digit(item)];
    size_t sum = 0;
    for (size_t& p : place) sum += std::exchange(p, sum);
    for (const Keyed<T>& item : *items) (*scratch)[place[digit(item)]++] = item;
    items->swap(*scratch);
  }
}

}  // namespace perf2x

#endif  // PERF2X_BASE_RADIX_SORT_H_
