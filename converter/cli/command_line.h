// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_COMMAND_LINE_H_
#define PERF2X_CLI_COMMAND_LINE_H_

#include <memory>
#include <string>
#include <vector>

#include "converter/cli/diff_options.h"
#include "converter/convert/convert.h"
#include "converter/inspect/inspect.h"

namespace CLI {
class App;
}

namespace perf2x {

// The parsed command line.
struct CommandLine {
  enum class Command { kConvert, kFormats, kInfo, kDump, kDiff, kGenerate };
  Command command = Command::kConvert;
  // Arguments as given; none: perf.data, or standard input if that is a pipe.
  // ResolveInputs replaces them by the inputs that they name. kInfo and kDump
  // accept at most one. kDiff has its recordings in `diff`.
  std::vector<std::string> inputs;
  // Each FILE of the "@FILE" arguments; ResolveInputs adds them.
  std::vector<std::string> lists;
  bool merge = false;        // all inputs into one output
  std::string output;        // empty: see destinations.h
  std::string json_summary;  // path of the summary in JSON; empty: none
  std::string format;        // empty: by the output's name, else pprof
  ConvertOptions convert;
  bool json = false;          // info: as JSON
  bool info_symbols = false;  // info: where symbols are found
  DumpOptions dump;
  DiffOptions diff;
  std::string generate;  // "man", or the shell of the completion
  // Write into an existing output file instead of replacing it by a new one.
  bool in_place = false;
  bool open = false;  // show the output afterwards
  // `strict`: fail if something was skipped or damaged (Diagnostics::lossy).
  // `quiet`, `verbose`: print less or more on standard error.
  bool strict = false, quiet = false, verbose = false;
  bool sandbox = true;     // see sandbox.h
  bool untrusted = false;  // for services, see SECURITY.md
};

// Returns the definition of the command line, from which help, man page and
// completions are made. With `words`, defines only the options and commands
// that may be among them, which is for parsing these words. Sets defaults in
// `*options`, and parsing fills it; `*options` and `*words` must outlive the
// result. Parse the arguments that
// RewriteDiffArguments (diff_options.h) returns. Parsing throws CLI::ParseError
// if the command line is wrong. For --help and --version, it throws one with
// exit code 0.
std::unique_ptr<CLI::App> DefineCommandLine(
    CommandLine* options, const std::vector<std::string>* words = nullptr);

// As DefineCommandLine, for perf_to_profile, the program that pprof calls to
// convert recordings: -i INPUT -o OUTPUT [-f]. Sets `format` to pprof, and
// `in_place`, as pprof has already created OUTPUT. -f has no effect.
std::unique_ptr<CLI::App> DefinePerfToProfile(CommandLine* options);

}  // namespace perf2x

#endif  // PERF2X_CLI_COMMAND_LINE_H_
