// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/command_docs.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "converter/emit/registry.h"

namespace perf2x {
namespace {

constexpr size_t kWidth = 80;
constexpr size_t kTextColumn = 25;

constexpr char kExamples[] = R"(Examples:
  perf2x                                perf.data here to pprof: perf.pb.gz
  perf2x -o cpu.pb.gz /tmp/perf.data    the format follows from the name
  perf record -o - ./app | perf2x -o app.pb.gz
)";

OptionDoc DocOf(const CLI::Option& option) {
  OptionDoc doc;
  doc.is_positional = option.get_positional();
  if (doc.is_positional) {
    doc.names.push_back(option.get_single_name());
  } else {
    for (const auto& name : option.get_snames()) {
      doc.names.push_back("-" + name);
    }
    for (const auto& name : option.get_lnames()) {
      doc.names.push_back("--" + name);
    }
  }
  if (option.get_items_expected_max() > 0 && !doc.is_positional) {
    doc.value = option.get_type_name();
  }
  doc.is_repeatable = option.get_items_expected_max() > 1;
  if (doc.value == "FORMAT") {
    for (const EmitterInfo& e : Emitters()) doc.choices.push_back(e.name);
  } else if (absl::StrContains(doc.value, "|")) {
    doc.choices = absl::StrSplit(doc.value, '|');
  }
  doc.group = option.get_group();
  const std::vector<std::string> text =
      absl::StrSplit(option.get_description(), absl::MaxSplits('\n', 1));
  doc.brief = text[0];
  if (text.size() > 1) doc.more = text[1];
  return doc;
}

// Returns the place of a group in the order of the groups.
size_t PlaceOf(absl::string_view group) {
  constexpr absl::string_view kOrder[] = {kGeneralGroup, kFilterGroup,
                                          kTimesGroup,   kSymbolGroup,
                                          kMoreGroup,    kMoreSymbolGroup};
  return std::find(std::begin(kOrder), std::end(kOrder), group) - kOrder;
}

bool IsBasic(absl::string_view group) {
  return group != kTimesGroup && group != kMoreGroup &&
         group != kMoreSymbolGroup &&
         !absl::StartsWith(group, kFormatGroupPrefix);
}

// Appends words separated by blanks to `line`, and all of it to `out`. Further
// lines begin at column `indent`.
template <class Words>
void AppendWords(const Words& words, size_t indent, std::string line,
                 std::string* out) {
  bool first = true;
  for (const absl::string_view word : words) {
    if (!first && line.size() + 1 + word.size() > kWidth) {
      absl::StrAppend(out, line, "\n");
      line.assign(indent, ' ');
      first = true;
    }
    absl::StrAppend(&line, first ? "" : " ", word);
    first = false;
  }
  absl::StrAppend(out, line, "\n");
}

// Appends a row of two columns. If `left` does not fit in the first column, it
// gets a line of its own.
void AppendRow(absl::string_view left, absl::string_view text,
               std::string* out) {
  std::string line = absl::StrCat("  ", left);
  if (line.size() + 2 > kTextColumn && !text.empty()) {
    absl::StrAppend(out, line, "\n");
    line.clear();
  }
  line.resize(std::max(line.size(), kTextColumn), ' ');
  AppendWords(absl::StrSplit(text, ' '), kTextColumn, std::move(line), out);
}

constexpr char kFormatsHeading[] =
    "Formats (--to NAME, or by -o's extension; .gz, .zst may follow all but "
    ".pb.gz):\n";

void AppendDefaultOutput(absl::Span<const EmitterInfo> formats,
                         std::string* out) {
  AppendWords(absl::StrSplit(DefaultOutputHelp(formats), ' '), 0, "", out);
}

// Returns the part of --help-all on `formats`, with a row for each.
std::string AllOnFormats(absl::Span<const EmitterInfo> formats) {
  std::string out = kFormatsHeading;
  for (const EmitterInfo& e : formats) {
    AppendRow(absl::StrFormat("%-12s %s", e.name, e.extension), e.summary,
              &out);
  }
  AppendDefaultOutput(formats, &out);
  return out;
}

// Returns the text of an option's value. Choices ("a|b|c") that are too long
// for a line after `column` are broken after a "|".
std::string ValueText(absl::string_view value, size_t column) {
  constexpr size_t kLine = 76;
  constexpr absl::string_view kIndent = "\n        ";
  std::string text;
  for (const absl::string_view choice : absl::StrSplit(value, '|')) {
    if (!text.empty()) text += '|';
    if (!text.empty() && column + choice.size() > kLine) {
      absl::StrAppend(&text, kIndent);
      column = kIndent.size();
    }
    text.append(choice.data(), choice.size());
    column += choice.size() + 1;
  }
  return text;
}

// Returns the names of an option up to its first long one, and its value.
std::string NamesOf(const OptionDoc& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.names) {
    names.push_back(name);
    if (absl::StartsWith(name, "--")) break;
  }
  std::string joined = absl::StrJoin(names, ", ");
  if (option.value.empty()) return joined;
  return absl::StrCat(joined, " ", ValueText(option.value, joined.size() + 3));
}

// Returns the help, with one line for each basic option; with `all`, with the
// whole text of all options.
std::string HelpText(const CommandDoc& command, absl::string_view name,
                     bool all) {
  std::string out = absl::StrCat(
      command.brief, "\n\nUsage: ", name, " [OPTIONS]",
      command.arguments.empty() ? "" : " ", command.arguments, "\n");
  for (const CommandDoc& sub : command.commands) {
    AppendRow(absl::StrCat("     ", name, " ", sub.name), sub.brief, &out);
  }
  if (!command.commands.empty()) {
    absl::StrAppend(&out, "\n",
                    all ? AllOnFormats(Emitters()) : FormatsHelp(Emitters()));
  }
  absl::string_view group;
  for (const OptionDoc& option : command.options) {
    if (!all && !IsBasic(option.group)) continue;
    if (option.group != group) {
      group = option.group;
      absl::StrAppend(&out, "\n", group, ":\n");
    }
    AppendRow(NamesOf(option),
              all && !option.more.empty()
                  ? absl::StrCat(option.brief, ". ", option.more)
                  : option.brief,
              &out);
  }
  if (!command.commands.empty()) absl::StrAppend(&out, "\n", kExamples);
  return out;
}

class Formatter final : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    return HelpText(DocumentCommand(*app),
                    name.empty() ? app->get_name() : name,
                    mode == CLI::AppFormatMode::All);
  }
};

}  // namespace

CommandDoc DocumentCommand(const CLI::App& app) {
  CommandDoc doc;
  doc.name = app.get_name();
  doc.brief = app.get_description();
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_group().empty()) doc.options.push_back(DocOf(*option));
  }
  std::stable_sort(doc.options.begin(), doc.options.end(),
                   [](const OptionDoc& a, const OptionDoc& b) {
                     return PlaceOf(a.group) < PlaceOf(b.group);
                   });
  doc.arguments = app.get_footer();
  const std::vector<const CLI::Option*> inputs = app.get_options(
      [](const CLI::Option* option) { return option->get_positional(); });
  if (!inputs.empty() && doc.arguments.empty()) {
    doc.arguments =
        inputs[0]->get_expected_max() == 1 ? "[INPUT]" : "[INPUT...]";
  }
  for (const CLI::App* sub : app.get_subcommands({})) {
    if (!sub->get_group().empty())
      doc.commands.push_back(DocumentCommand(*sub));
  }
  return doc;
}

std::string FormatsHelp(absl::Span<const EmitterInfo> formats) {
  std::vector<std::string> names;
  for (const EmitterInfo& e : formats) {
    names.push_back(absl::StrCat(e.name, " (", e.extension,
                                 &e == &formats.back() ? ")" : "),"));
  }
  std::string out = kFormatsHeading;
  AppendWords(names, 2, "  ", &out);
  AppendDefaultOutput(formats, &out);
  return out;
}

std::string DefaultOutputHelp(absl::Span<const EmitterInfo> formats) {
  std::vector<std::string> lines;
  for (const EmitterInfo& e : formats) {
    if (!e.is_text) continue;
    lines.push_back(e.file_names == nullptr
                        ? e.name
                        : absl::StrCat(e.name, " --", e.one_file_option));
  }
  if (lines.size() > 1) {
    const std::string last = lines.back();
    lines.pop_back();
    lines.back() += " and " + last;
  }
  return absl::StrCat(
      "Without -o, ", absl::StrJoin(lines, ", "),
      lines.empty() ? "outputs go" : " go to standard output; all else goes",
      " to a file named after the input, or to standard output where that is a "
      "new file of its own (> x.pb.gz).");
}

std::shared_ptr<CLI::FormatterBase> HelpFormatter() {
  return std::make_shared<Formatter>();
}

}  // namespace perf2x
