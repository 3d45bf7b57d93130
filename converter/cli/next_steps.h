// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_NEXT_STEPS_H_
#define PERF2X_CLI_NEXT_STEPS_H_

#include <string>

#include "converter/model/dso_report.h"

namespace perf2x {

// Returns how the user can get the symbols that are missing for `file`, such as
// "install … or pass --debug-dir". Empty if nothing can be done, or if the
// file's warnings say it. Requires that `file` has unsymbolized addresses.
std::string MissingSymbolsAdvice(const DsoReport& file);

}  // namespace perf2x

#endif  // PERF2X_CLI_NEXT_STEPS_H_
