// SPDX-License-Identifier: Apache-2.0

// Small functions inlined into each other, for the tests of debug information.
// Compiled by make.sh; line numbers are part of the tests.
namespace demo {

volatile int sink;

inline int Leaf(int x) {
  sink = x;
  return sink * 3;
}

struct Shape {
  int Area(int x) const { return Leaf(x) + side; }
  int side = 2;
};

template <class F>
inline int Twice(F f, int x) {
  return f(x) + f(x + 1);
}

__attribute__((noinline)) int Outer(int x) {
  Shape shape;
  int sum = shape.Area(x);
  sum += Twice([&](int y) { return shape.Area(y) ^ sum; }, x);
  return sum;
}

}  // namespace demo

extern "C" __attribute__((noinline)) int plain_c(int x) {
  return demo::Outer(x) + 1;
}

extern "C" void _start() {
  for (;;) demo::sink = plain_c(demo::sink);
}
