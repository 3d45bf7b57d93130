// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/parquet/number_dictionary.h"

#include <algorithm>
#include <bit>

#include "converter/base/hash_seed.h"

namespace perf2x {
namespace {

// Most distinct numbers, and the first rows by which it is decided that there
// are too many.
constexpr size_t kMaxDistinct = 1 << 16;
constexpr size_t kTrial = 1 << 12;

// A hash table by open addressing, at most half full.
class Slots {
 public:
  explicit Slots(size_t numbers)
      : shift_(64 - std::bit_width(2 * std::min(numbers, kMaxDistinct))),
        slots_(size_t{1} << (64 - shift_)) {}

  // Returns the index of `number` in `*distinct`, to which it adds a new one.
  uint32_t Find(uint64_t number, std::vector<uint64_t>* distinct) {
    const uint64_t hash = number * kHashSeed.odd;
    for (size_t at = hash >> shift_;; at = (at + 1) & (slots_.size() - 1)) {
      uint32_t& slot = slots_[at];
      if (slot == 0) {
        distinct->push_back(number);
        slot = static_cast<uint32_t>(distinct->size());
      }
      if ((*distinct)[slot - 1] == number) return slot - 1;
    }
  }

 private:
  const int shift_;
  std::vector<uint32_t> slots_;  // index + 1; 0: free
};

}  // namespace

std::optional<NumberDictionary> NumberDictionary::Build(
    absl::Span<const uint64_t> numbers) {
  if (numbers.empty()) return std::nullopt;
  NumberDictionary out;
  out.indexes.reserve(numbers.size());
  Slots slots(numbers.size());
  uint64_t last = ~numbers[0];
  for (const uint64_t number : numbers) {
    if (number == last) {
      out.indexes.push_back(out.indexes.back());
      continue;
    }
    last = number;
    out.indexes.push_back(slots.Find(number, &out.distinct));
    const size_t most =
        out.indexes.size() == kTrial ? kTrial / 4 * 3 : kMaxDistinct;
    if (out.distinct.size() > most) return std::nullopt;
  }
  const auto width =
      static_cast<size_t>(std::bit_width(out.distinct.size() - 1));
  const size_t bits = 64 * out.distinct.size() + width * numbers.size();
  if (bits >= 64 * numbers.size()) return std::nullopt;
  return out;
}

}  // namespace perf2x
