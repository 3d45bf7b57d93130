// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CONVERT_MISSING_SYMBOLS_H_
#define PERF2X_CONVERT_MISSING_SYMBOLS_H_

#include <cstdint>
#include <vector>

#include "converter/model/dso_report.h"
#include "converter/session/stack_subset.h"

namespace perf2x {

// Counts, from `stacks`, the samples whose stacks have an unsymbolized address:
// of each file, added to DsoReport::samples (once per sample), and of any file
// but DsoKind::kUnknown, returned. Estimates if `stacks` is not all stacks. To
// be called once: frees DsoReport::unsymbolized.
uint64_t CountUnsymbolized(const StackSubset& stacks,
                           std::vector<DsoReport>* reports);

}  // namespace perf2x

#endif  // PERF2X_CONVERT_MISSING_SYMBOLS_H_
