// SPDX-License-Identifier: Apache-2.0

// A function with code of other files: inlined and included. Compiled by
// make.sh; line numbers are part of the tests.
#include "own.h"

extern "C" __attribute__((noinline)) int outer(int x) {
  int sum = Leaf(x);
#include "own.inc"
  return sum;
}

extern "C" void _start() {
  for (;;) sink = outer(sink);
}
