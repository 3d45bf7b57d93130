// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_COMMAND_DOCS_H_
#define PERF2X_CLI_COMMAND_DOCS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace CLI {
class App;
class FormatterBase;
}  // namespace CLI

namespace perf2x {

// What there is to read about the command line, made from its definition:
// --help, the man page and the shells' completions. The same definition gives
// the same bytes.

// One option as its definition has it.
struct OptionDoc {
  std::vector<std::string> names;  // "-o", "--output"; of an argument: "INPUT"
  bool argument = false;           // not an option
  bool many = false;               // may be given several times
  std::string value;               // "FILE"; empty: a flag
  // What the value may be, where these are few words.
  std::vector<std::string> choices;
  std::string group;
  std::string brief;  // one line, without a full stop
  std::string more;   // what else there is to say; may be empty
};
struct CommandDoc {
  std::string name, brief;
  std::vector<OptionDoc> options;  // group by group
  std::vector<CommandDoc> commands;
};

// Descriptions in the definition are the brief line and, after a line end, the
// rest. A value "a|b" is a choice; FORMAT is one of the formats.
CommandDoc DocsOf(const CLI::App& app);

bool TakesInput(const CommandDoc& command);

// Makes --help: of the groups that most people need, and --help-all: of all.
std::shared_ptr<CLI::FormatterBase> HelpFormatter();

std::string ManPage(const CommandDoc& command);
std::string BashCompletion(const CommandDoc& command);
std::string ZshCompletion(const CommandDoc& command);
std::string FishCompletion(const CommandDoc& command);

// Where outputs go, see destinations.h: a sentence in lines of 80 columns.
inline constexpr char kDefaultOutput[] =
    "Without -o, folded stacks and a single CSV table go to standard output; "
    "all else\ngoes to a file named after the input, or to standard output "
    "where that is a new\nfile of its own (> x.pb.gz).";

// The groups of options. --help leaves out the two of more and those of
// formats.
inline constexpr char kGeneralGroup[] = "Options";
inline constexpr char kFilterGroup[] =
    "Only samples of (lists have commas, as in perf script)";
inline constexpr char kSymbolGroup[] =
    "Symbols (on the recorded machine they are found without these)";
inline constexpr char kMoreGroup[] = "More options";
inline constexpr char kMoreSymbolGroup[] = "More on symbols";
inline constexpr char kFormatGroupPrefix[] = "Format ";

}  // namespace perf2x

#endif  // PERF2X_CLI_COMMAND_DOCS_H_
