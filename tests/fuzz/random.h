// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_FUZZ_RANDOM_H_
#define PERF2X_TESTS_FUZZ_RANDOM_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace perf2x {

// Random numbers that depend on the seed alone, on every machine and with every
// standard library (splitmix64).
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  // Returns a number less than `n`; 0 for n = 0.
  uint64_t Below(uint64_t n) { return n == 0 ? 0 : Next() % n; }
  bool OneIn(uint64_t n) { return Below(n) == 0; }
  // Returns a number of at most `max`; all numbers of binary digits are equally
  // likely.
  uint64_t Magnitude(uint64_t max) {
    int bits = 0;
    while (bits < 63 && (max >> bits) > 1) ++bits;
    const uint64_t mask =
        ~uint64_t{0} >> (63 - Below(static_cast<uint64_t>(bits) + 1));
    return std::min(Next() & mask, max);
  }
  // Returns an element of a container, which must not be empty.
  template <class C>
  auto& Pick(C& from) {
    return from[static_cast<size_t>(Below(std::size(from)))];
  }

 private:
  uint64_t state_;
};

}  // namespace perf2x

#endif  // PERF2X_TESTS_FUZZ_RANDOM_H_
