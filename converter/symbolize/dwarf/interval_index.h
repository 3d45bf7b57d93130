// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_DWARF_INTERVAL_INDEX_H_
#define PERF2X_SYMBOLIZE_DWARF_INTERVAL_INDEX_H_

#include <algorithm>
#include <cstdint>
#include <vector>

namespace perf2x {

// Maps ranges of addresses, which may nest, to values. All ranges are added
// first; then Finish is called once. Thread-safe after Finish.
template <class T>
class IntervalIndex {
 public:
  // Adds [low, high). Ignores empty ranges.
  void Add(uint64_t low, uint64_t high, T value) {
    if (low < high) entries_.push_back({low, high, 0, value});
  }
  // To be called after the last Add and before Find.
  void Finish() {
    std::stable_sort(entries_.begin(), entries_.end(),
                     [](const Entry& a, const Entry& b) {
                       return a.low != b.low ? a.low < b.low : a.high > b.high;
                     });
    uint64_t reach = 0;
    for (Entry& e : entries_) e.reach = reach = std::max(reach, e.high);
  }
  // Returns the value of the range that contains `address`; null if there is
  // none. Of several ranges, prefers the one that begins last, then the one
  // that ends first. Considers only the last 256 ranges that begin at or before
  // `address`. The result is valid until the index changes.
  const T* Find(uint64_t address) const {
    auto it =
        std::upper_bound(entries_.begin(), entries_.end(), address,
                         [](uint64_t a, const Entry& e) { return a < e.low; });
    for (int tries = 0; it != entries_.begin() && tries < kNestingLimit;
         ++tries) {
      --it;
      if (it->reach <= address) return nullptr;
      if (it->high > address) return &it->value;
    }
    return nullptr;
  }
  // Calls `visit` with low, high and value of each range; after Finish,
  // ascending by low.
  template <class Visit>
  void ForEach(Visit visit) const {
    for (const Entry& e : entries_) visit(e.low, e.high, e.value);
  }
  bool empty() const { return entries_.empty(); }
  size_t size() const { return entries_.size(); }

 private:
  // Number of ranges that Find examines.
  static constexpr int kNestingLimit = 256;
  struct Entry {
    uint64_t low, high;
    uint64_t reach;  // largest `high` up to this entry
    T value;
  };
  std::vector<Entry> entries_;
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_DWARF_INTERVAL_INDEX_H_
