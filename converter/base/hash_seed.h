// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_HASH_SEED_H_
#define PERF2X_BASE_HASH_SEED_H_

#include <array>
#include <cstdint>

namespace perf2x {

// Random seeds for hashes of input data, new in each process. So no one can
// make an input whose hashes collide. No output may depend on the seeds: tables
// number their entries in order of arrival, never by hash.
struct HashSeed {
  // Fills the members by getrandom() or, early in the boot, by
  // std::random_device. If that throws, kHashSeed cannot be made, and the
  // process ends before main().
  HashSeed();

  uint64_t number;                  // any
  uint64_t odd;                     // any odd number, a multiplier
  std::array<uint8_t, 192> secret;  // for XXH3's functions "withSecret"
};

// Set before main() runs. Initializers of other static objects must not use it.
extern const HashSeed kHashSeed;

}  // namespace perf2x

#endif  // PERF2X_BASE_HASH_SEED_H_
