// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CONVERT_MISSING_SYMBOLS_H_
#define PERF2X_CONVERT_MISSING_SYMBOLS_H_

#include <cstdint>
#include <vector>

#include "converter/model/dso_report.h"
#include "converter/session/stack_subset.h"

namespace perf2x {

// Counts samples whose stacks have unsymbolized addresses. Adds to each
// DsoReport::samples the number of samples with such an address in that DSO.
// Returns the number of samples with such an address in any DSO other than
// DsoKind::kUnknown. The numbers are estimates if `stacks` does not have all
// stacks. Requires StackSubset::Collect. To be called once: frees
// DsoReport::unsymbolized.
uint64_t CountUnsymbolized(const StackSubset& stacks,
                           std::vector<DsoReport>* reports);

}  // namespace perf2x

#endif  // PERF2X_CONVERT_MISSING_SYMBOLS_H_
