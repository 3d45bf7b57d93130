// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SUPPORT_CPU_TIME_H_
#define PERF2X_TESTS_SUPPORT_CPU_TIME_H_

#include <ctime>

namespace perf2x {

// Returns the CPU time of this process while it does `work`, in seconds. For
// comparing two tasks: a limit in seconds would fail on a slow machine.
template <typename Work>
double CpuSecondsOf(const Work& work) {
  const std::clock_t begin = std::clock();
  work();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

}  // namespace perf2x

#endif  // PERF2X_TESTS_SUPPORT_CPU_TIME_H_
