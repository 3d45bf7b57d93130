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

}  // namespace

void NumberDictionary::ClearSlots(size_t numbers) {
  shift_ = 64 - std::bit_width(2 * std::min(numbers, kMaxDistinct));
  slots_.assign(size_t{1} << (64 - shift_), 0);
}

// Returns the index of `number` in distinct_, to which it adds a new one.
uint32_t NumberDictionary::Find(uint64_t number) {
  const uint64_t hash = number * kHashSeed.odd;
  for (size_t at = hash >> shift_;; at = (at + 1) & (slots_.size() - 1)) {
    uint32_t& slot = slots_[at];
    if (slot == 0) {
      distinct_.push_back(number);
      slot = static_cast<uint32_t>(distinct_.size());
    }
    if (distinct_[slot - 1] == number) return slot - 1;
  }
}

bool NumberDictionary::Build(absl::Span<const uint64_t> numbers) {
  distinct_.clear();
  indexes_.clear();
  if (numbers.empty()) return false;
  indexes_.reserve(numbers.size());
  ClearSlots(numbers.size());
  uint64_t last = ~numbers[0];
  for (const uint64_t number : numbers) {
    if (number == last) {
      indexes_.push_back(indexes_.back());
      continue;
    }
    last = number;
    indexes_.push_back(Find(number));
    const size_t most =
        indexes_.size() == kTrial ? kTrial / 4 * 3 : kMaxDistinct;
    if (distinct_.size() > most) return false;
  }
  const auto width = static_cast<size_t>(std::bit_width(distinct_.size() - 1));
  const size_t bits = 64 * distinct_.size() + width * numbers.size();
  return bits < 64 * numbers.size();
}

}  // namespace perf2x
