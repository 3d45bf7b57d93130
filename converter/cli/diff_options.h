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

// The options that only `perf2x diff` has.
struct DiffOptions {
  std::vector<std::string> base, now;  // recordings before and after
  // The form of the comparison on standard output.
  enum class Form { kTable, kMarkdown, kJson } form = Form::kTable;
  std::string event;                  // see CompareOptions
  std::string normalize = "share";    // see CompareOptions
  size_t rows = 25;                   // functions in the table, at most
  std::vector<FailAbove> fail_above;  // --fail-above
};

// Adds the command `diff` to `app`. Parsing fills `options->diff`; `*options`
// must outlive `app`.
void AddDiff(CLI::App* app, CommandLine* options);

// Parses "self:3%", "total:3%", "all:3%", or "3%", which means self. The "%"
// may be missing. Fails with InvalidArgument for other texts.
absl::StatusOr<FailAbove> ParseFailAbove(absl::string_view text);

// Returns the arguments of the program, the first one its name. If the command
// is `diff`, removes "--" and replaces each argument X after it by "--new=X".
std::vector<std::string> RewriteDiffArguments(int argc,
                                              const char* const* argv);

}  // namespace perf2x

#endif  // PERF2X_CLI_DIFF_OPTIONS_H_
