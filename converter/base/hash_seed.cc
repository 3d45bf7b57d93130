// SPDX-License-Identifier: Apache-2.0
#include "converter/base/hash_seed.h"

#include <sys/random.h>

#include <random>

namespace perf2x {
namespace {

// For when getrandom() has no random numbers yet, early in the boot.
void FillFromDevice(void* to, size_t size) {
  std::random_device device;
  auto* bytes = static_cast<uint8_t*>(to);
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<uint8_t>(device());
}

void Fill(void* to, size_t size) {
  if (getrandom(to, size, GRND_NONBLOCK) == static_cast<ssize_t>(size)) return;
  FillFromDevice(to, size);
}

}  // namespace

HashSeed::HashSeed() {
  Fill(&number, sizeof(number));
  Fill(&odd, sizeof(odd));
  odd |= 1;
  Fill(secret.data(), secret.size());
}

// Tables that are filled before main() could miss the seed; there are none.
const HashSeed kHashSeed;

}  // namespace perf2x
