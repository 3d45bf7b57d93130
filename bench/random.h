// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BENCH_RANDOM_H_
#define PERF2X_BENCH_RANDOM_H_

#include <cstdint>

namespace perf2x::bench {

// splitmix64's finalizer: spreads the bits of `x` over all 64.
inline uint64_t Mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}
template <class... Rest>
uint64_t Mix(uint64_t a, uint64_t b, Rest... rest) {
  return Mix(Mix(a) ^ b, rest...);
}

// Returns a value in [0, n) that depends on `hash` alone. Requires n > 0.
inline uint64_t Below(uint64_t hash, uint64_t n) {
  return static_cast<uint64_t>((static_cast<unsigned __int128>(hash) * n) >>
                               64);
}

// As Below, but small values are more frequent than large ones.
inline uint64_t SkewedBelow(uint64_t hash, uint64_t n) {
  double unit = static_cast<double>(hash >> 11) * 0x1.0p-53;
  uint64_t value = static_cast<uint64_t>(unit * unit * static_cast<double>(n));
  return value < n ? value : n - 1;
}

// A stream of numbers that depends on its seed alone, on every machine.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(Mix(seed)) {}
  uint64_t Next() { return Mix(state_++); }
  uint64_t Below(uint64_t n) { return bench::Below(Next(), n); }

 private:
  uint64_t state_;
};

}  // namespace perf2x::bench

#endif  // PERF2X_BENCH_RANDOM_H_
