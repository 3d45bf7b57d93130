// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_DIFF_OPTIONS_H_
#define PERF2X_CLI_DIFF_OPTIONS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "converter/compare/comparison.h"

namespace CLI {
class App;
}

namespace perf2x {

struct CommandLine;

// What only `perf2x diff` takes.
struct DiffOptions {
  std::vector<std::string> base, now;  // recordings
  enum class As { kTable, kMarkdown, kJson } as = As::kTable;
  std::string event;                // what is compared; empty: chosen
  std::string normalize = "share";  // see CompareOptions
  size_t rows = 25;                 // of the table
  std::vector<FailAbove> fail_above;
};

// Adds the command to `app`.
void AddDiff(CLI::App* app, CommandLine* options);

// Parses "3%", "self:3%", "total:3%" or "all:3%".
absl::StatusOr<FailAbove> ParseFailAbove(absl::string_view text);

// Returns the arguments of the program with those of `diff` that follow "--" as
// values of its option --new.
std::vector<std::string> WithNewRecordings(int argc, const char* const* argv);

}  // namespace perf2x

#endif  // PERF2X_CLI_DIFF_OPTIONS_H_
