// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "converter/base/text.h"
#include "converter/cli/command_docs.h"
#include "converter/cli/command_line.h"
#include "converter/cli/destinations.h"
#include "converter/cli/interrupt.h"
#include "converter/cli/out_of_memory.h"
#include "converter/cli/profile_info.h"
#include "converter/cli/report.h"
#include "converter/cli/run_convert.h"
#include "converter/cli/run_diff.h"
#include "converter/cli/sandbox_policy.h"
#include "converter/cli/suggest.h"
#include "converter/convert/convert.h"
#include "converter/convert/input_kind.h"
#include "converter/convert/merge.h"
#include "converter/convert/output_check.h"
#include "converter/emit/registry.h"

namespace perf2x {
namespace {

// Flushes standard output. Returns the exit status: kFailed if some text could
// not be written.
int EndOfText() {
  errno = 0;
  std::cout.flush();
  if (std::fflush(stdout) == 0 && std::cout.good()) return kDone;
  // The reason is unknown if an earlier write failed.
  return PrintErrorLine(
      kFailed,
      absl::StrCat("cannot write standard output", errno == 0 ? "" : ": ",
                   errno == 0 ? "" : std::strerror(errno)));
}

int ListFormats() {
  size_t name = 0, extension = 0;
  for (const EmitterInfo& e : Emitters()) {
    name = std::max(name, std::strlen(e.name));
    extension = std::max(extension, std::strlen(e.extension));
  }
  for (const EmitterInfo& e : Emitters()) {
    absl::PrintF("%-*s  %-*s  %s\n", static_cast<int>(name), e.name,
                 static_cast<int>(extension), e.extension, e.summary);
  }
  return EndOfText();
}

// `perf2x info --symbols`: symbolizes all frames and discards the profile.
int RunInfoSymbols(Input input, const CommandLine& options, Output& output) {
  class NoOutput final : public Output {
   public:
    absl::Status Write(absl::string_view) override { return absl::OkStatus(); }
    absl::Status Close() override { return absl::OkStatus(); }
  };
  class NoOutputs final : public OutputFactory {
   public:
    absl::StatusOr<std::unique_ptr<Output>> Open(absl::string_view) override {
      return std::make_unique<NoOutput>();
    }
  } nowhere;
  ConvertReport report;
  absl::Status status = Convert(std::move(input), *FindEmitter("pprof"),
                                nowhere, options.convert, &report);
  if (status.ok()) {
    status = output.Write(options.json ? SymbolReportJson(report.symbols)
                                       : SymbolReportText(report.symbols));
  }
  if (status.ok()) status = output.Close();
  if (!status.ok()) return PrintErrorLine(kFailed, status.message());
  const std::string warning = WarningText(report);
  if (!warning.empty())
    PrintError(absl::StrCat("perf2x: warning: ", warning, "\n"));
  return kDone;
}

// `perf2x info` of a pprof profile.
int RunProfileInfo(Input input, const CommandLine& options, Output& output) {
  const std::string name = input.name;
  absl::Status status;
  if (options.command == CommandLine::Command::kInfo) {
    status = WithInputName(
        name, WriteProfileInfo(std::move(input), options.json, output));
  } else {
    status = absl::InvalidArgumentError(
        absl::StrCat(name,
                     " is a pprof profile, which has no records; perf2x info "
                     "describes it, and pprof -raw shows its samples"));
  }
  if (status.ok()) status = output.Close();
  return status.ok() ? kDone : PrintErrorLine(kFailed, status.message());
}

// `perf2x info` and `perf2x dump`: to standard output.
int RunInspect(CommandLine options) {
  const std::string argument =
      options.inputs.empty() ? DefaultInput() : options.inputs[0];
  if (const auto end = ResolveInputs(&options.inputs, &options)) return *end;
  if (options.info_symbols && options.untrusted) {
    return PrintErrorLine(kWrongUsage,
                          "--untrusted opens no symbol files, so that "
                          "info --symbols has nothing to show");
  }
  const std::string& name = options.inputs[0];
  if (options.inputs.size() > 1) {
    return PrintErrorLine(
        kWrongUsage,
        absl::StrCat(argument, " stands for ", options.inputs.size(),
                     " inputs, and this shows one; name it"));
  }
  const absl::Status no_overwrite = CheckOutputs(FilesToRead(options), {"-"});
  if (!no_overwrite.ok())
    return PrintErrorLine(kWrongUsage, no_overwrite.message());
  const InputIdentity found = InputIdentity::FromPath(name, !options.untrusted);
  const absl::Status confined = EnterSandboxFor(&options, {found}, {});
  if (!confined.ok()) return PrintErrorLine(kFailed, confined.message());
  CleanUpWhenInterrupted();
  auto input = OpenInput(found);
  if (!input.ok()) return PrintErrorLine(kFailed, input.status().message());
  if (options.untrusted) input->size = nullptr;  // its size raises no limits
  auto output = OpenOutput("-");
  if (!output.ok()) return PrintErrorLine(kFailed, output.status().message());
  if (options.info_symbols) {
    return RunInfoSymbols(*std::move(input), options, **output);
  }
  if (KindOf(&*input) == InputKind::kProfile) {
    return RunProfileInfo(*std::move(input), options, **output);
  }
  options.dump.threads = options.convert.threads;
  ConvertReport report;
  absl::Status status = options.command == CommandLine::Command::kInfo
                            ? WriteInfo(*std::move(input), options.json,
                                        **output, &report.diagnostics)
                            : WriteDump(*std::move(input), options.dump,
                                        **output, &report.diagnostics);
  if (status.ok()) status = (*output)->Close();
  if (!status.ok()) return PrintErrorLine(kFailed, status.message());
  const std::string warning = WarningText(report);
  if (!warning.empty())
    PrintError(absl::StrCat("perf2x: warning: ", warning, "\n"));
  for (const auto& [what, entry] : report.diagnostics.entries()) {
    if (entry.severity != Diagnostics::Severity::kSkipped) continue;
    PrintError(absl::StrCat("  ", ProblemText(what, entry), "\n"));
  }
  return kDone;
}

int Generate(const CLI::App& app, const std::string& what) {
  const CommandDoc doc = DocumentCommand(app);
  const std::string text = what == "man"    ? ManPage(doc)
                           : what == "bash" ? BashCompletion(doc)
                           : what == "zsh"  ? ZshCompletion(doc)
                                            : FishCompletion(doc);
  auto output = OpenOutput("-");
  absl::Status status = output.status();
  if (status.ok()) status = (*output)->Write(text);
  if (status.ok()) status = (*output)->Close();
  return status.ok() ? kDone : PrintErrorLine(kFailed, status.message());
}

// Returns the error for words that no option and no argument takes.
std::string NotExpected(const CLI::App& app) {
  const std::string word = app.remaining(/*recurse=*/true).front();
  const CommandDoc doc = DocumentCommand(app);
  const CommandDoc* command = &doc;
  for (const CommandDoc& sub : doc.commands) {
    if (app.got_subcommand(sub.name)) command = &sub;
  }
  std::vector<std::string> names;
  for (const OptionDoc& option : command->options) {
    if (option.is_positional) continue;
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  const std::string given = word.substr(0, word.find('='));
  if (given == "--format") return "no option is called --format; use --to";
  return absl::StrCat(
      given[0] == '-' ? "no option is called " : "one argument too many: ",
      given, given[0] == '-' ? DidYouMean(given, names) : "");
}

// Returns the error for an option of conversions that was given to another
// command, which would ignore it; empty if there is none.
std::string IgnoredOption(const CLI::App& app, const CommandLine& options) {
  if (options.command == CommandLine::Command::kConvert ||
      options.command == CommandLine::Command::kGenerate) {
    return "";
  }
  const bool is_diff = options.command == CommandLine::Command::kDiff;
  for (const CLI::Option* option : app.get_options()) {
    const std::string& group = option->get_group();
    const bool converts =
        (options.info_symbols || is_diff) &&
        (group == kFilterGroup || group == kSymbolGroup ||
         group == kMoreSymbolGroup || (is_diff && group == kTimesGroup) ||
         option->check_name("--threads") || option->check_name("--max-memory"));
    const bool for_diff =
        is_diff && (option->check_name("--to") || option->check_name("-o") ||
                    option->check_name("-q") || option->check_name("--strict"));
    const bool for_dump = options.command == CommandLine::Command::kDump &&
                          option->check_name("--threads");
    const bool for_all = option->check_name("--input") ||
                         option->check_name("--no-sandbox") ||
                         option->check_name("--untrusted");
    if (option->count() > 0 && !option->get_positional() && !converts &&
        !for_diff && !for_dump && !for_all) {
      const std::string command = app.get_subcommands().front()->get_name();
      return absl::StrCat(option->get_name(), " is no option of perf2x ",
                          command, " (perf2x ", command,
                          " --help lists its options)");
    }
  }
  return "";
}

// Returns the error for an option whose value is empty, or another empty word,
// as an unset variable of a shell may have left it: CLI11 would take the word
// after "--pid=" for its value, and "" may mean that the option was not given.
// Empty if there is none.
std::string EmptyValue(int argc, char** argv) {
  bool has_options = true;
  for (int i = 1; i < argc; ++i) {
    const absl::string_view word = argv[i];
    if (word.empty()) {
      const absl::string_view before = i > 1 ? argv[i - 1] : "";
      return has_options && absl::StartsWith(before, "-")
                 ? absl::StrCat("the value after ", before, " is empty")
                 : "an argument is empty";
    }
    if (word == "--") has_options = false;
    if (has_options && absl::StartsWith(word, "--") &&
        word.find('=') == word.size() - 1) {
      return absl::StrCat(word.substr(0, word.size() - 1),
                          ": the value after = is empty");
    }
  }
  return "";
}

// Returns true if standard error is a file that a word of the command line
// names: it may be an input, into which an error about the words must not be
// written.
bool NameStandardError(int argc, char** argv) {
  std::vector<std::string> names;
  for (const absl::string_view word :
       absl::MakeConstSpan(argv, static_cast<size_t>(argc))) {
    const absl::string_view value = word.substr(word.find('=') + 1);
    names.emplace_back(word);
    names.emplace_back(value);
    names.emplace_back(absl::StripPrefix(value, "@"));
  }
  return IncludesStandardError(names);
}

// Opens something for each standard stream that is closed, so that no input or
// output takes its place. Reads of it, or writes, fail as if it was closed.
void OccupyStandardStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) >= 0) continue;
    // The lowest one that is free, which is this one.
    if (open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) {
      return;
    }
  }
}

void Parse(const std::vector<std::string>& words, CLI::App& app) {
  std::vector<const char*> pointers;
  pointers.reserve(words.size());
  for (const std::string& word : words) pointers.push_back(word.c_str());
  app.parse(static_cast<int>(pointers.size()), pointers.data());
}

// Parses `words` by a definition of what is in them. Returns null, with
// anything in `*options`, if that says that they are wrong, or if they ask for
// what is said of all options.
std::unique_ptr<CLI::App> ParseNamed(const std::vector<std::string>& words,
                                     CommandLine* options) {
  auto app = DefineCommandLine(options, &words);
  try {
    Parse(words, *app);
  } catch (const CLI::Error&) {
    return nullptr;
  }
  return options->command == CommandLine::Command::kGenerate ? nullptr
                                                             : std::move(app);
}

// Prints an error about the words of the command line.
int Refuse(int argc, char** argv, absl::string_view error) {
  return NameStandardError(argc, argv) ? kWrongUsage
                                       : PrintErrorLine(kWrongUsage, error);
}

// Parses `words`, which argc and argv stand for. Returns the exit status if
// nothing is to be done: they are wrong, or --help or --version is among them.
std::optional<int> ParseAll(const std::vector<std::string>& words, int argc,
                            char** argv, CLI::App& app) {
  try {  // CLI11 reports by exceptions, --help and --version among them
    Parse(words, app);
  } catch (const CLI::ExtrasError&) {
    return Refuse(
        argc, argv,
        absl::StrCat(NotExpected(app), " (perf2x --help-all lists all)"));
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() != 0) {
      return Refuse(
          argc, argv,
          absl::StrCat(PlainText(e.what()), " (perf2x --help-all says more)"));
    }
    app.exit(e);
    return EndOfText();
  }
  return std::nullopt;
}

int Main(int argc, char** argv) {
  if (const std::string empty = EmptyValue(argc, argv); !empty.empty()) {
    return Refuse(argc, argv, empty);
  }
  absl::string_view called = argv[0];
  called = called.substr(called.rfind('/') + 1);
  const bool is_for_pprof = called == "perf_to_profile";
  const std::vector<std::string> words = RewriteDiffArguments(argc, argv);
  CommandLine options;
  auto app = is_for_pprof ? nullptr : ParseNamed(words, &options);
  if (app == nullptr) {
    options = CommandLine();
    app = is_for_pprof ? DefinePerfToProfile(&options)
                       : DefineCommandLine(&options);
    if (const auto end = ParseAll(words, argc, argv, *app)) return *end;
  }
  if (const std::string ignored = IgnoredOption(*app, options);
      !ignored.empty()) {
    return Refuse(argc, argv, ignored);
  }
  switch (options.command) {
    case CommandLine::Command::kFormats:
      return ListFormats();
    case CommandLine::Command::kGenerate:
      return Generate(*app, options.generate);
    case CommandLine::Command::kInfo:
    case CommandLine::Command::kDump:
      return RunInspect(options);
    case CommandLine::Command::kDiff:
      return RunDiff(options);
    case CommandLine::Command::kConvert:
      return RunConvert(options);
  }
  return kFailed;
}

}  // namespace
}  // namespace perf2x

#ifdef PERF2X_STATIC
// In place of the C++ library's, which shows names of types, for which it has a
// demangler of 46 kB.
void __gnu_cxx::__verbose_terminate_handler() {
  try {
    if (const std::exception_ptr e = std::current_exception()) {
      std::rethrow_exception(e);
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "perf2x: ended by an exception: %s\n", e.what());
  } catch (...) {
  }
  std::abort();
}
#endif

int main(int argc, char** argv) {
  perf2x::OccupyStandardStreams();
  // By default, malloc comes to keep tables of up to 32 MB that were
  // reallocated when they grew, which is more than it can use again; and it
  // returns what smaller blocks leave free at once, only to ask for it anew.
  mallopt(M_MMAP_THRESHOLD, 4 << 20);
  mallopt(M_TRIM_THRESHOLD, 32 << 20);
  perf2x::EndWhenOutOfMemory();
  return perf2x::Main(argc, argv);
}
