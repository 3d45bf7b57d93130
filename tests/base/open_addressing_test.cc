// SPDX-License-Identifier: Apache-2.0
#include "converter/base/open_addressing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "converter/base/zeroed_array.h"

namespace perf2x {
namespace {

// A set of numbers, each its own hash, which may be as bad as a test needs.
class NumberSet {
 public:
  explicit NumberSet(size_t slots) : slots_(slots) {}

  void Add(uint32_t number) {
    size_t at = FirstOf(number);
    while (!slots_[at].is_free()) at = (at + 1) % slots_.size();
    slots_[at].number = number;
  }
  bool Has(uint32_t number) const {
    size_t at = FirstOf(number);
    for (; !slots_[at].is_free(); at = (at + 1) % slots_.size()) {
      if (slots_[at].number == number) return true;
    }
    return false;
  }
  void Double() {
    const size_t size = 2 * slots_.size();
    DoubleSlots(&slots_,
                [size](const Slot& slot) { return slot.number % size; });
  }
  size_t slots() const { return slots_.size(); }
  size_t Count() const {
    size_t count = 0;
    for (size_t i = 0; i < slots_.size(); ++i) count += !slots_[i].is_free();
    return count;
  }

 private:
  struct Slot {
    uint32_t number = 0;
    bool is_free() const { return number == 0; }
  };
  size_t FirstOf(uint32_t number) const { return number % slots_.size(); }

  ZeroedArray<Slot> slots_;
};

// Adds the numbers to as few slots as `slots`, doubles them twice, and looks
// all up each time.
void ExpectAllStay(size_t slots, const std::vector<uint32_t>& numbers) {
  NumberSet set(slots);
  for (const uint32_t number : numbers) set.Add(number);
  for (int round = 0; round < 2; ++round) {
    set.Double();
    slots *= 2;
    ASSERT_EQ(set.slots(), slots);
    ASSERT_EQ(set.Count(), numbers.size());
    for (const uint32_t number : numbers) {
      ASSERT_TRUE(set.Has(number)) << number << " of " << slots;
    }
    EXPECT_FALSE(set.Has(slots * 1000 + 1));
  }
}

TEST(DoubleSlotsTest, AnyNumbersStay) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    const size_t slots = size_t{2} << random() % 6;
    std::vector<uint32_t> numbers;
    const size_t most = random() % slots;  // one slot stays free
    // Few different starts, so that searches are long.
    const uint32_t range = 1 + random() % (4 * slots);
    for (size_t i = 0; i < most; ++i) {
      const uint32_t number = 1 + random() % range;
      if (std::find(numbers.begin(), numbers.end(), number) == numbers.end()) {
        numbers.push_back(number);
      }
    }
    ExpectAllStay(slots, numbers);
  }
}

TEST(DoubleSlotsTest, AllBeginAtTheLastSlot) {
  // They lie in the first slots, and go to the last slots of both halves.
  ExpectAllStay(8, {7, 15, 23, 31, 39, 47, 55});
}

TEST(DoubleSlotsTest, TheNewHalfRunsOverItsEnd) {
  // 14 and 15 go to the last new slots; so do 31 and 47, which have no room
  // there, while the first slots have 16, 32 and 48.
  ExpectAllStay(8, {14, 15, 31, 47, 16, 32, 48});
}

TEST(DoubleSlotsTest, NoneAndOne) {
  ExpectAllStay(2, {});
  ExpectAllStay(2, {1});
  ExpectAllStay(2, {2});
}

TEST(DoubleSlotsTest, ManyStay) {
  std::mt19937 random(2);
  constexpr size_t kSlots = 1 << 18;
  std::vector<uint32_t> numbers;
  for (uint32_t i = 0; i < kSlots * 3 / 4; ++i) {
    numbers.push_back(1 + i * 8 + random() % 8);
  }
  ExpectAllStay(kSlots, numbers);
}

}  // namespace
}  // namespace perf2x
