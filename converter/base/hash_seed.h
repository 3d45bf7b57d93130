// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_HASH_SEED_H_
#define PERF2X_BASE_HASH_SEED_H_

#include <array>
#include <cstdint>

namespace perf2x {

// Random bytes, new in each process, for hashes of what an input holds: no one
// can make an input whose hashes collide. Nothing that is written may depend on
// them: tables number things by when they came, never by their hash.
struct HashSeed {
  HashSeed();

  uint64_t number;                  // any
  uint64_t odd;                     // any odd number, to multiply with
  std::array<uint8_t, 192> secret;  // for XXH3's functions "withSecret"
};

// Set before main() runs.
extern const HashSeed kHashSeed;

}  // namespace perf2x

#endif  // PERF2X_BASE_HASH_SEED_H_
