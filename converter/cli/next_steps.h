// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_NEXT_STEPS_H_
#define PERF2X_CLI_NEXT_STEPS_H_

#include <string>

#include "converter/model/dso_report.h"

namespace perf2x {

// Returns how the user can get the missing symbols of `file`, such as "install
// … or pass --debug-dir". Returns "" if nothing helps, or if
// DsoReport::warnings say it already. `file` must have unsymbolized addresses
// (DsoReport::unsymbolized_count).
std::string MissingSymbolsAdvice(const DsoReport& file);

}  // namespace perf2x

#endif  // PERF2X_CLI_NEXT_STEPS_H_
