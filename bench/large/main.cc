// SPDX-License-Identifier: Apache-2.0

// Calls all units of the program that bench/symbolize resolves.
namespace large {
#define PERF2X_PART(n) int Part##n(int);
#include "bench/large/parts.inc"
#undef PERF2X_PART
}  // namespace large

int main(int argc, char**) {
  int sum = 0;
#define PERF2X_PART(n) sum += large::Part##n(argc);
#include "bench/large/parts.inc"
#undef PERF2X_PART
  return sum == 7;
}
