// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CONVERT_MISSING_SYMBOLS_H_
#define PERF2X_CONVERT_MISSING_SYMBOLS_H_

#include <cstdint>
#include <vector>

#include "converter/model/dso_report.h"
#include "converter/session/stack_subset.h"

namespace perf2x {

// Sets DsoReport::samples of each of `*reports`: how many samples have, in
// their stacks, an address of that file for which no symbol was found. A sample
// counts once per file. Returns the number of samples that have such an address
// in any of the files, except for addresses in no mapping (DsoKind::kUnknown).
// Frees DsoReport::unsymbolized.
uint64_t CountUnsymbolized(const StackSubset& stacks,
                           std::vector<DsoReport>* reports);

}  // namespace perf2x

#endif  // PERF2X_CONVERT_MISSING_SYMBOLS_H_
