// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_JSON_SUMMARY_H_
#define PERF2X_CLI_JSON_SUMMARY_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "converter/convert/convert.h"

namespace perf2x {

// What became of one input.
struct InputResult {
  std::string input;
  std::string output;  // empty: several inputs have one
  absl::Status status;
  ConvertReport report;
};

// What --json-summary writes: docs/summary.md. The same for the same inputs and
// files of symbols.
std::string JsonSummary(absl::string_view format, absl::string_view merged_into,
                        const std::vector<InputResult>& results);

}  // namespace perf2x

#endif  // PERF2X_CLI_JSON_SUMMARY_H_
