// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_NEXT_STEPS_H_
#define PERF2X_CLI_NEXT_STEPS_H_

#include <string>

#include "converter/model/dso_report.h"

namespace perf2x {

// What the user can do to get names for the code of a file that has some
// without, as "install … or pass --debug-dir"; empty: nothing.
std::string NextStepFor(const DsoReport& file);

}  // namespace perf2x

#endif  // PERF2X_CLI_NEXT_STEPS_H_
