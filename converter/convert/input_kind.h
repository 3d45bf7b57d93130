// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CONVERT_INPUT_KIND_H_
#define PERF2X_CONVERT_INPUT_KIND_H_

#include <cstdint>

#include "converter/input/input.h"

namespace perf2x {

enum class InputKind : uint8_t {
  kRecording,   // or something else that cannot be read
  kProfile,     // of pprof
  kBranchList,  // of simpleperf
};

// Returns what an input is, judged by its first bytes. Reads them if the input
// is a stream: see FirstBytes.
InputKind KindOf(Input* input);

}  // namespace perf2x

#endif  // PERF2X_CONVERT_INPUT_KIND_H_
