// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_COMMAND_LINE_H_
#define PERF2X_CLI_COMMAND_LINE_H_

#include <memory>
#include <string>
#include <vector>

#include "converter/convert/convert.h"
#include "converter/inspect/inspect.h"

namespace CLI {
class App;
}

namespace perf2x {

// What the user asked for.
struct CommandLine {
  enum class Command { kConvert, kFormats, kInfo, kDump, kGenerate };
  Command command = Command::kConvert;
  // None: perf.data, or standard input when that is a pipe. Commands other than
  // kConvert take one.
  std::vector<std::string> inputs;
  bool merge = false;        // all inputs into one output
  std::string output;        // empty: by the format
  std::string json_summary;  // where to write one; empty: nowhere
  std::string format;        // empty: by the output's name, else pprof
  ConvertOptions convert;
  bool json = false;          // of info
  bool info_symbols = false;  // info on where symbols are found
  DumpOptions dump;
  std::string generate;  // "man", or the shell to write a completion for
  // Write into the file that is there instead of putting a whole one in its
  // place.
  bool in_place = false;
  bool open = false;  // show the output afterwards
  bool strict = false, quiet = false, verbose = false;
  bool sandbox = true;     // see sandbox.h
  bool untrusted = false;  // for services, see SECURITY.md
};

// The definition of the command line: help, man page and completions are made
// from it. Parsing it fills `*options`, which must outlive it.
std::unique_ptr<CLI::App> DefineCommandLine(CommandLine* options);

// The command line of perf_to_profile, by which pprof calls whatever has that
// name: -i INPUT -o OUTPUT [-f].
std::unique_ptr<CLI::App> DefinePerfToProfile(CommandLine* options);

}  // namespace perf2x

#endif  // PERF2X_CLI_COMMAND_LINE_H_
