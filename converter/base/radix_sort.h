// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_RADIX_SORT_H_
#define PERF2X_BASE_RADIX_SORT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace perf2x {

// A key to sort by, and its value.
template <class T>
struct Keyed {
  uint64_t key;
  T value;
};

// Sorts `*items` by key, in ascending order; stable. `*scratch` is working
// memory, which the caller may keep for the next call. If there are many keys,
// close to each other, this is several times as fast as comparing keys.
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
