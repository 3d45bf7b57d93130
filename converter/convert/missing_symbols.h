// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CONVERT_MISSING_SYMBOLS_H_
#define PERF2X_CONVERT_MISSING_SYMBOLS_H_

#include <cstdint>
#include <vector>

#include "converter/model/dso_report.h"
#include "converter/session/stack_subset.h"

namespace perf2x {

// Counts the samples whose stacks have an unsymbolized address. Adds their
// number to DsoReport::samples of each file, and returns the number with such
// an address in any file (DsoKind::kUnknown is no file). The numbers are
// estimates if `stacks` lacks stacks. Call this once: it frees
// DsoReport::unsymbolized.
uint64_t CountUnsymbolized(const StackSubset& stacks,
                           std::vector<DsoReport>* reports);

}  // namespace perf2x

#endif  // PERF2X_CONVERT_MISSING_SYMBOLS_H_
