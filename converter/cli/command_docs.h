// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_COMMAND_DOCS_H_
#define PERF2X_CLI_COMMAND_DOCS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/model/emitter.h"

namespace CLI {
class App;
class FormatterBase;
}  // namespace CLI

namespace perf2x {

// Generates --help, the man page and the shells' completions from the
// definition of the command line and the list of formats.

// One option or positional argument, as it is defined.
struct OptionDoc {
  std::vector<std::string> names;  // "-o", "--output"; if positional: "INPUT"
  bool is_positional = false;      // an argument without a dash
  bool is_repeatable = false;
  std::string value;  // "FILE"; empty: a flag or positional
  // The values, if the option accepts only listed ones; else empty.
  std::vector<std::string> choices;
  std::string group;  // its heading in --help
  std::string brief;  // one line, without a full stop
  std::string more;   // further lines of the description; may be empty
};
// A command, as it is defined.
struct CommandDoc {
  std::string name, brief;
  std::string arguments;             // as in "Usage:"; empty: none
  std::vector<OptionDoc> options;    // group by group
  std::vector<CommandDoc> commands;  // its subcommands
};

// Returns the documentation of `app`, without hidden options and commands. The
// first line of an option's description becomes `brief`, the lines after it
// `more`. `choices` comes from the option's CLI11 type name: "a|b" is split at
// "|". The type name "FORMAT" stands for the names of all formats. `arguments`
// is the app's footer or, without one, says that the command takes inputs.
CommandDoc DocumentCommand(const CLI::App& app);

// Returns the CLI11 formatter for --help and --help-all. --help omits some
// groups, see below; --help-all shows all.
std::shared_ptr<CLI::FormatterBase> HelpFormatter();

// Return the generated texts. `program` is the main command, with its
// subcommands.
std::string ManPage(const CommandDoc& program);
std::string BashCompletion(const CommandDoc& program);
std::string ZshCompletion(const CommandDoc& program);
std::string FishCompletion(const CommandDoc& program);

// Returns the section of --help on `formats`, in lines of up to 80 columns:
// names, extensions, and DefaultOutputHelp.
std::string FormatsHelp(absl::Span<const EmitterInfo> formats);
// Returns a sentence that says where outputs go without -o (destinations.h).
std::string DefaultOutputHelp(absl::Span<const EmitterInfo> formats);

// The groups of options, named as their headings. --help omits kTimesGroup,
// kMoreGroup, kMoreSymbolGroup and the groups of the formats.
inline constexpr char kGeneralGroup[] = "Options";
inline constexpr char kFilterGroup[] =
    "Only samples of (lists have commas, as in perf script)";
inline constexpr char kSymbolGroup[] =
    "Symbols (on the recorded machine they are found without these)";
inline constexpr char kTimesGroup[] =
    "Time that samples miss (from context switches; see docs/wall-clock.md)";
inline constexpr char kMoreGroup[] = "More options";
inline constexpr char kMoreSymbolGroup[] = "More on symbols";
inline constexpr char kFormatGroupPrefix[] = "Format ";

}  // namespace perf2x

#endif  // PERF2X_CLI_COMMAND_DOCS_H_
