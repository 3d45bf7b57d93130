// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_CONVERT_ADDRESSES_H_
#define PERF2X_TESTS_CONVERT_ADDRESSES_H_

#include <cstdint>

namespace perf2x {

// Where recordings of tests have a program, and code of x86-64's kernel.
inline constexpr uint64_t kProgram = 0x400000;
inline constexpr uint64_t kKernelCode = 0xffffffff81000000;

}  // namespace perf2x

#endif  // PERF2X_TESTS_CONVERT_ADDRESSES_H_
