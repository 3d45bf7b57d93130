// SPDX-License-Identifier: Apache-2.0

// What own.cc has inlined.
volatile int sink;
inline int Leaf(int x) {
  sink = x;
  return sink * 3;
}
