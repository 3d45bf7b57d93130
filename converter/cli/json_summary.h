// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_JSON_SUMMARY_H_
#define PERF2X_CLI_JSON_SUMMARY_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "converter/convert/convert.h"

namespace perf2x {

// The result of converting one input.
struct InputResult {
  std::string input;     // as the user named it
  std::string output;    // empty with --merge: all inputs share an output
  absl::Status status;   // of the conversion
  ConvertReport report;  // of Convert or Merge; empty if not opened
};

// Returns the text that --json-summary writes, described in docs/summary.md.
// `format` is EmitterInfo::name. `merged_into` is the output of --merge; empty
// without it. The same inputs and symbol files give the same text.
std::string JsonSummary(absl::string_view format, absl::string_view merged_into,
                        const std::vector<InputResult>& results);

}  // namespace perf2x

#endif  // PERF2X_CLI_JSON_SUMMARY_H_
