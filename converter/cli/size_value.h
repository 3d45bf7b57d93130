// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_SIZE_VALUE_H_
#define PERF2X_CLI_SIZE_VALUE_H_

#include <CLI/CLI.hpp>

namespace perf2x {

// Returns a transformer for an option's value: replaces a size above 0, such as
// 64M, by its number of bytes. K, M, G and further units are powers of 1024.
CLI::Validator SizeAboveZero();

}  // namespace perf2x

#endif  // PERF2X_CLI_SIZE_VALUE_H_
