// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CONVERT_MISSING_SYMBOLS_H_
#define PERF2X_CONVERT_MISSING_SYMBOLS_H_

#include <cstdint>
#include <vector>

#include "converter/model/dso_report.h"
#include "converter/session/stack_sample.h"

namespace perf2x {

// Sets DsoReport::samples of each of `*reports`: how many samples have, in
// their stacks, an address of that file for which no symbol was found. A sample
// counts once a file. Returns how many samples have such an address in any of
// the files; one in no mapping (DsoKind::kUnknown) lacks no symbol. Frees
// DsoReport::unsymbolized.
uint64_t CountUnsymbolized(const StackSample& stacks,
                           std::vector<DsoReport>* reports);

}  // namespace perf2x

#endif  // PERF2X_CONVERT_MISSING_SYMBOLS_H_
