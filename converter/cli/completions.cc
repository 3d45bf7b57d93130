// SPDX-License-Identifier: Apache-2.0
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "converter/cli/command_docs.h"

namespace perf2x {
namespace {

// How the value of an option is completed.
enum class ValueKind { kNone, kWords, kFile, kFolder, kOther };

ValueKind KindOf(const OptionDoc& option) {
  if (option.value.empty()) return ValueKind::kNone;
  if (!option.choices.empty()) return ValueKind::kWords;
  if (absl::StartsWith(option.value, "FILE")) return ValueKind::kFile;
  if (option.value == "DIR") return ValueKind::kFolder;
  return ValueKind::kOther;
}

// Returns `text` in single quotes, for a shell.
std::string Quoted(absl::string_view text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "'\\''"}}), "'");
}

std::string OptionNames(const CommandDoc& command) {
  std::string names;
  for (const OptionDoc& option : command.options) {
    if (option.is_positional) continue;
    absl::StrAppend(&names, names.empty() ? "" : " ",
                    absl::StrJoin(option.names, " "));
  }
  return names;
}

std::string CommandNames(const CommandDoc& command) {
  return absl::StrJoin(command.commands, " ",
                       [](std::string* out, const CommandDoc& sub) {
                         absl::StrAppend(out, sub.name);
                       });
}

// Returns the branch of bash's `case $prev` that completes the option's value.
std::string BashValue(const OptionDoc& option) {
  const auto files = [](absl::string_view kind) {
    return absl::StrCat(
        "      compopt -o filenames 2>/dev/null\n"
        "      mapfile -t COMPREPLY < <(compgen ",
        kind, " -- \"$cur\")\n");
  };
  std::string words;
  switch (KindOf(option)) {
    case ValueKind::kWords:
      words =
          absl::StrCat("      mapfile -t COMPREPLY < <(compgen -W '",
                       absl::StrJoin(option.choices, " "), "' -- \"$cur\")\n");
      break;
    case ValueKind::kFile:
      words = files("-f");
      break;
    case ValueKind::kFolder:
      words = files("-d");
      break;
    case ValueKind::kNone:
    case ValueKind::kOther:
      break;
  }
  return absl::StrCat("    ", absl::StrJoin(option.names, "|"), ")\n", words,
                      "      return ;;\n");
}

}  // namespace

std::string BashCompletion(const CommandDoc& command) {
  std::string out = absl::StrCat(
      "# bash completion of perf2x\n\n"
      "_perf2x() {\n"
      "  local cur=${COMP_WORDS[COMP_CWORD]} "
      "prev=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  # bash takes --option=value for three words.\n"
      "  if [[ $cur == = ]]; then\n"
      "    cur=\n"
      "  elif [[ $prev == = ]]; then\n"
      "    prev=${COMP_WORDS[COMP_CWORD-2]}\n"
      "  fi\n"
      "  COMPREPLY=()\n"
      "  case $prev in\n");
  for (const OptionDoc& option : command.options) {
    if (option.is_positional || KindOf(option) == ValueKind::kNone) continue;
    absl::StrAppend(&out, BashValue(option));
  }
  absl::StrAppend(&out,
                  "  esac\n  local options=", Quoted(OptionNames(command)),
                  "\n  case ${COMP_WORDS[1]} in\n");
  for (const CommandDoc& sub : command.commands) {
    absl::StrAppend(&out, "    ", sub.name,
                    ") options=", Quoted(OptionNames(sub)), " ;;\n");
  }
  absl::StrAppend(
      &out,
      "  esac\n"
      "  if [[ $cur == -* ]]; then\n"
      "    mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$cur\")\n"
      "    return\n"
      "  fi\n"
      "  compopt -o filenames 2>/dev/null\n"
      "  mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
      "  if ((COMP_CWORD == 1)); then\n"
      "    mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W '",
      CommandNames(command),
      "' -- \"$cur\")\n"
      "  fi\n"
      "}\n"
      "complete -F _perf2x perf2x\n");
  return out;
}

namespace {

// Escapes `text` for the brackets and fields of an _arguments specification.
std::string ZshText(absl::string_view text) {
  return absl::StrReplaceAll(
      text, {{"\\", "\\\\"}, {"[", "\\["}, {"]", "\\]"}, {":", "\\:"}});
}

std::string ZshArguments(const CommandDoc& command) {
  std::string out = "_arguments -s";
  for (const OptionDoc& option : command.options) {
    if (option.is_positional) {
      absl::StrAppend(&out, " \\\n    ", option.is_repeatable ? "'*" : "'",
                      ":recording:_files'");
      continue;
    }
    std::string value;
    switch (KindOf(option)) {
      case ValueKind::kNone:
        break;
      case ValueKind::kWords:
        value =
            absl::StrCat(":value:(", absl::StrJoin(option.choices, " "), ")");
        break;
      case ValueKind::kFile:
        value = ":file:_files";
        break;
      case ValueKind::kFolder:
        value = ":folder:_files -/";
        break;
      case ValueKind::kOther:
        value = absl::StrCat(":", ZshText(option.value), ": ");
        break;
    }
    for (const std::string& name : option.names) {
      std::string others = absl::StrJoin(option.names, " ");
      absl::StrAppend(
          &out, " \\\n    ",
          Quoted(absl::StrCat(
              option.is_repeatable ? "*" : absl::StrCat("(", others, ")"), name,
              !option.value.empty() && absl::StartsWith(name, "--") ? "=" : "",
              "[", ZshText(option.brief), "]", value)));
    }
  }
  return absl::StrCat(out, "\n");
}

}  // namespace

std::string ZshCompletion(const CommandDoc& command) {
  std::string out =
      "#compdef perf2x\n\n"
      "_perf2x() {\n"
      "  local -a commands=(\n";
  for (const CommandDoc& sub : command.commands) {
    absl::StrAppend(&out, "    ",
                    Quoted(absl::StrCat(sub.name, ":", ZshText(sub.brief))),
                    "\n");
  }
  absl::StrAppend(&out,
                  "  )\n"
                  "  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then\n"
                  "    _describe command commands\n"
                  "  fi\n"
                  "  case $words[2] in\n");
  for (const CommandDoc& sub : command.commands) {
    absl::StrAppend(&out, "    ", sub.name,
                    ")\n  shift words\n  (( CURRENT-- ))\n  ",
                    ZshArguments(sub), "    ;;\n");
  }
  absl::StrAppend(&out, "    *)\n  ", ZshArguments(command),
                  "    ;;\n  esac\n}\n\n_perf2x \"$@\"\n");
  return out;
}

std::string FishCompletion(const CommandDoc& command) {
  const std::string names = CommandNames(command);
  std::string out = "# fish completion of perf2x\n\n";
  const auto append = [&out](const CommandDoc& doc, absl::string_view when) {
    for (const OptionDoc& option : doc.options) {
      if (option.is_positional) continue;
      absl::StrAppend(&out, "complete -c perf2x -n ", Quoted(when));
      for (absl::string_view name : option.names) {
        if (absl::ConsumePrefix(&name, "--")) {
          absl::StrAppend(&out, " -l ", name);
        } else {
          absl::StrAppend(&out, " -s ", name.substr(1));
        }
      }
      switch (KindOf(option)) {
        case ValueKind::kNone:
          break;
        case ValueKind::kWords:
          absl::StrAppend(&out, " -x -a '", absl::StrJoin(option.choices, " "),
                          "'");
          break;
        case ValueKind::kFile:
          absl::StrAppend(&out, " -r -F");
          break;
        case ValueKind::kFolder:
          absl::StrAppend(&out, " -x -a '(__fish_complete_directories)'");
          break;
        case ValueKind::kOther:
          absl::StrAppend(&out, " -x");
          break;
      }
      absl::StrAppend(
          &out, " -d '",
          absl::StrReplaceAll(option.brief, {{"\\", "\\\\"}, {"'", "\\'"}}),
          "'\n");
    }
  };
  for (const CommandDoc& sub : command.commands) {
    absl::StrAppend(
        &out, "complete -c perf2x -n __fish_use_subcommand -a ", sub.name,
        " -d '", absl::StrReplaceAll(sub.brief, {{"\\", "\\\\"}, {"'", "\\'"}}),
        "'\n");
    append(sub, absl::StrCat("__fish_seen_subcommand_from ", sub.name));
  }
  append(command, absl::StrCat("not __fish_seen_subcommand_from ", names));
  return out;
}

}  // namespace perf2x
