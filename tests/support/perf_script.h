// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SUPPORT_PERF_SCRIPT_H_
#define PERF2X_TESTS_SUPPORT_PERF_SCRIPT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace perf2x {

// What perf prints for a function without a name.
inline constexpr char kUnknownName[] = "[unknown]";

// A frame as perf script prints it: "7f00 name+0x12 (/path)".
struct ScriptFrame {
  uint64_t address = 0;
  std::string name;       // kUnknownName: perf has none
  bool at_start = false;  // "+0x0": at the symbol's first byte
  std::string dso;        // without the parentheses
};

// A sample's frames, leaf first; empty if perf prints none.
using ScriptStack = std::vector<ScriptFrame>;

// Returns the stacks of all samples in the output of perf script. A sample is a
// heading followed by its frames, or a single line.
std::vector<ScriptStack> ParsePerfScript(absl::string_view script);

}  // namespace perf2x

#endif  // PERF2X_TESTS_SUPPORT_PERF_SCRIPT_H_
