// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <limits>
#include <set>
#include <thread>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "converter/cli/command_docs.h"
#include "converter/cli/format_options.h"
#include "converter/cli/option_app.h"
#include "converter/cli/sandbox.h"
#include "converter/cli/size_value.h"
#include "converter/emit/registry.h"
#include "converter/hwtrace/itrace_options.h"

namespace perf2x {
namespace {

constexpr char kInputHelp[] =
    "Recording or profile: a file, a folder, @LIST, or -\n"
    "- is standard input. Profiles are pprof's. @LIST stands for the inputs "
    "that the file LIST names, a line "
    "each; a folder that is no recording for the .data, .pb, .pb.gz and .pprof "
    "files in it. Default: perf.data, or standard input when that is a pipe";

// Adds the recordings to read, as arguments or, as in perf, by -i.
CLI::Option* AddInputs(CLI::App* app, CommandLine* options) {
  CLI::Option* inputs = app->add_option("INPUT", options->inputs, kInputHelp);
  app->add_option_function<std::vector<std::string>>(
         "-i,--input",
         [options](const std::vector<std::string>& more) {
           options->inputs.insert(options->inputs.end(), more.begin(),
                                  more.end());
         },
         "A recording, as with perf\nMay be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->group(kMoreGroup);
  return inputs;
}

// CLI::IsMember, without the list of words that it adds to the value's name.
CLI::Validator OneOf(std::set<std::string> words) {
  return CLI::IsMember(std::move(words)).description("");
}

void AddInfo(CLI::App* app, CommandLine* options) {
  CLI::App* info = app->add_subcommand(
      "info", "Show what the header says and what is in it");
  info->callback([options] { options->command = CommandLine::Command::kInfo; });
  info->set_help_all_flag();
  AddInputs(info, options)->expected(0, 1);
  info->add_flag("--json", options->json, "As one JSON object");
  info->add_flag("--symbols", options->info_symbols,
                 "Instead, where symbols are found, file by file\n"
                 "Takes the options for symbols, too");
  info->fallthrough();
}

void AddDump(CLI::App* app, CommandLine* options) {
  CLI::App* dump = app->add_subcommand(
      "dump", "Show every record with all its fields, a line each");
  dump->callback([options] { options->command = CommandLine::Command::kDump; });
  dump->set_help_all_flag();
  DumpOptions& d = options->dump;
  AddInputs(dump->fallthrough(), options)->expected(0, 1);
  dump->add_flag("--sorted", d.sorted,
                 "In order of time, without the place of each record");
  dump->add_flag("!--no-container", d.container,
                 "Leave out what depends on how the recording is stored\n"
                 "These are records of perf itself and the header's");
  dump->add_flag("--callchain", d.callchain, "With callchains");
  dump->add_flag("--branches", d.branches, "With branch stacks");
  dump->add_flag("--regs", d.regs, "With registers");
  dump->add_flag("--stack", d.stack, "With copies of the stack");
  dump->add_flag("--raw", d.raw, "With raw data, as hexadecimal digits");
  dump->add_flag("--packets", d.packets, "With packets of Arm SPE traces");
}

void AddFilterOptions(OptionApp* app, CommandLine* options) {
  FilterOptions& filter = options->convert.filter;
  const auto add = [&](const char* name, FilterKey key, const char* text) {
    app->add_option_function<std::string>(
           name,
           [&filter, key](const std::string& list) {
             const absl::Status status = AddToFilter(key, list, &filter);
             if (!status.ok()) {
               throw CLI::ValidationError(
                   kFilterOptions[static_cast<size_t>(key)],
                   std::string(status.message()));
             }
           },
           text)
        ->type_name("LIST")
        ->group(kFilterGroup);
  };
  add("--event", FilterKey::kEvent,
      "these events, by name or pattern\n"
      "In Chrome traces the first of them that takes samples of programs is "
      "shown as slices");
  add("--pid", FilterKey::kPid, "these processes");
  add("--tid", FilterKey::kTid, "these threads");
  add("--comm,--comms", FilterKey::kComm, "threads of these names");
  add("--cpu", FilterKey::kCpu, "these CPUs, also ranges: 0,2-3");
  add("--dso,--dsos", FilterKey::kDso,
      "code of these files, by path or by name\n"
      "What counts is the address that was sampled, not its callers");
  add("--symbol,--symbols", FilterKey::kSymbol,
      "these functions\n"
      "What counts is the address that was sampled, not its callers. A word "
      "file://NAME in this or another list stands for the lines of a file");
  app->add_option_function<std::string>(
         "--time",
         [&filter](const std::string& text) {
           auto times = ParseTimeFilter(text);
           if (!times.ok()) {
             throw CLI::ValidationError("--time",
                                        std::string(times.status().message()));
           }
           filter.time = *std::move(times);
         },
         "from START to STOP in seconds; or 10%/2, 0%-10%\n"
         "START or STOP may be missing; several such, with blanks in between. "
         "10%/2 is the second tenth of the time from the first to the last "
         "sample; several such, with commas in between")
      ->type_name("START,STOP")
      ->group(kFilterGroup);
  app->add_option("--max-stack", filter.max_stack,
                  "Keep the innermost N addresses of stacks")
      ->type_name("N")
      ->check(CLI::Range(uint32_t{1}, std::numeric_limits<uint32_t>::max())
                  .description(""))
      ->group(kMoreGroup);
}

void AddDerivedOptions(OptionApp* app, CommandLine* options) {
  DerivedOptions& derived = options->convert.derived;
  app->add_flag("--wall-clock", derived.wall_clock,
                "Whole lives of threads: running, and waiting by reason\n"
                "Events wall, cpu and offcpu take the place of the samples")
      ->group(kTimesGroup);
  app->add_flag_callback(
         "--wakers", [&derived] { derived.wall_clock = derived.wakers = true; },
         "The same, with who woke whom as frames of the waits")
      ->group(kTimesGroup);
  app->add_flag("--latency", derived.latency,
                "Also the latency of samples, as in perf report --latency\n"
                "This is the period divided by the number of threads that ran")
      ->group(kTimesGroup);
}

// Parses "DIR" or "PID=DIR".
void AddSymfs(const std::string& text, SymbolizeOptions* symbols) {
  const size_t equals = text.find('=');
  int32_t pid = 0;
  const bool of_process =
      equals != text.npos && absl::SimpleAtoi(text.substr(0, equals), &pid);
  const std::string folder = of_process ? text.substr(equals + 1) : text;
  if (const std::string wrong = CLI::ExistingDirectory(folder);
      !wrong.empty()) {
    throw CLI::ValidationError("--symfs", wrong);
  }
  if (of_process) {
    symbols->binaries.symfs_of[pid] = folder;
  } else {
    symbols->binaries.symfs = folder;
  }
}

template <class T>
CLI::Option* AddValue(OptionApp* app, const char* name, T& value,
                      const char* type, const char* group, const char* text) {
  return app->add_option(name, value, text)->type_name(type)->group(group);
}

void AddSymbolSources(OptionApp* app, CommandLine* options) {
  SymbolizeOptions& symbols = options->convert.symbols;
  app->add_option_function<std::vector<std::string>>(
         "--symfs",
         [&symbols](const std::vector<std::string>& all) {
           for (const std::string& text : all) AddSymfs(text, &symbols);
         },
         "Look for recorded files under this folder\n"
         "PID=DIR: for those of this process and all that descend from it, as "
         "of a container. May be repeated")
      ->type_name("DIR")
      ->allow_extra_args(false)
      ->group(kSymbolGroup);
  app->add_flag("--trust-host", symbols.trust_host,
                "This is the recorded machine: use its files\n"
                "For recordings that cannot prove it: without build ids, and "
                "without host name and memory size, as those of a perf that "
                "was killed")
      ->group(kSymbolGroup);
  AddValue(app, "--debug-dir", symbols.binaries.debug_dirs, "DIR", kSymbolGroup,
           "Separate debug files, besides /usr/lib/debug\n"
           "May be repeated")
      ->check(CLI::ExistingDirectory.description(""))
      ->allow_extra_args(false);
  AddValue(app, "--kallsyms", symbols.kallsyms, "FILE", kSymbolGroup,
           "The recorded kernel's /proc/kallsyms")
      ->check(CLI::ExistingFile.description(""));
  AddValue(app, "--vmlinux", symbols.vmlinux, "FILE", kMoreSymbolGroup,
           "The recorded kernel's ELF file")
      ->check(CLI::ExistingFile.description(""));
  AddValue(app, "--perf-map-dir", symbols.perf_map_dirs, "DIR",
           kMoreSymbolGroup,
           "perf-PID.map and jit-PID.dump of JIT compilers\n"
           "May be repeated. Default: /tmp, on the recorded machine")
      ->check(CLI::ExistingDirectory.description(""))
      ->allow_extra_args(false);
  app->add_flag("--debuginfod", symbols.binaries.debuginfod,
                "Ask debuginfod servers for missing files\n"
                "On by itself when DEBUGINFOD_URLS is set")
      ->group(kSymbolGroup);
  app->add_flag("!--no-symbols", options->convert.symbolize,
                "Open no symbol files")
      ->group(kSymbolGroup);
}

// Adds the options on how code is named, and on sources of symbols that few
// people need.
void AddMoreSymbolOptions(OptionApp* app, CommandLine* options) {
  SymbolizeOptions& symbols = options->convert.symbols;
  app->add_option_function<std::string>(
         "--demangle",
         [&symbols](const std::string& how) {
           symbols.demangle = how == "none"   ? Demangle::kNone
                              : how == "full" ? Demangle::kFull
                                              : Demangle::kSimple;
         },
         "How much of C++, Rust and D names to show\n"
         "As in the symbol table, without parameters, or all. Default: simple")
      ->type_name("none|simple|full")
      ->check(OneOf({"none", "simple", "full"}))
      ->group(kMoreSymbolGroup);
  app->add_flag("!--no-inline", symbols.inlines,
                "No inlined functions as frames of their own")
      ->group(kMoreSymbolGroup);
  app->add_flag("!--no-lines", symbols.lines, "No source files and lines")
      ->group(kMoreSymbolGroup);
  AddValue(app, "--buildid-dir", symbols.binaries.buildid_dir, "DIR",
           kMoreSymbolGroup, "perf's build-id cache\nDefault: ~/.debug");
  AddValue(app, "--archive", symbols.binaries.archive, "FILE", kMoreSymbolGroup,
           "The tar that `perf archive` made of the recording's files")
      ->check(CLI::ExistingFile.description(""));
  AddValue(app, "--guest-kallsyms", symbols.guest_kallsyms, "FILE",
           kMoreSymbolGroup,
           "/proc/kallsyms of a recorded virtual machine's kernel")
      ->check(CLI::ExistingFile.description(""));
}

void AddOutputOptions(OptionApp* app, CommandLine* options) {
  app->add_option("--to", options->format, "Format to write, see above")
      ->type_name("FORMAT");
  app->add_option("-o,--output", options->output,
                  "Where to write; of several inputs, a folder\n"
                  "- is standard output")
      ->type_name("FILE");
  app->add_flag("--merge", options->merge,
                "Make one output of all inputs\n"
                "To pprof, folded, speedscope, and csv with --table results or "
                "stat. Recordings and profiles, in any order; docs/merging.md "
                "has the rules");
  app->add_flag("--open", options->open,
                "Show the output afterwards\n"
                "pprof's web page, where pprof or go is installed; html in a "
                "browser; of other formats, this says where to open them");
  app->add_flag("-q,--quiet", options->quiet, "Say nothing but errors");
  app->add_flag("-v,--verbose", options->verbose,
                "Say where symbols were found, file by file");
}

// Adds the options on damaged and on hostile recordings.
void AddTrustOptions(OptionApp* app, CommandLine* options) {
  app->add_flag("--strict", options->strict,
                "Fail when records were skipped or the input is damaged")
      ->group(kMoreGroup);
  app->add_flag_callback(
         "--untrusted",
         [options] {
           options->untrusted = options->convert.untrusted = true;
           options->convert.symbolize = false;
         },
         "For recordings of strangers: no symbol files, least limits\n"
         "The input must be a regular file, and the kernel must have what the "
         "sandbox needs. See SECURITY.md")
      ->group(kMoreGroup);
  app->add_flag("!--no-sandbox", options->sandbox,
                "Do not confine this process before it reads the recording\n"
                "SECURITY.md says to what it is confined")
      ->group(kMoreGroup);
}

void AddConversionOptions(OptionApp* app, CommandLine* options) {
  AddValue(app, "--threads", options->convert.threads, "N", kMoreGroup,
           "Threads to work on\nDefault: one for each core; what is "
           "written does not depend on it")
      ->check(CLI::Range(1, 1024));
  app->add_option_function<std::string>(
         "--itrace",
         [options](const std::string& text) {
           auto itrace = ParseItraceOptions(text);
           if (!itrace.ok()) {
             throw CLI::ValidationError(std::string(itrace.status().message()));
           }
           options->convert.itrace = *itrace;
         },
         "Which samples to make of hardware traces, as in perf\n"
         "Letters, see docs/hwtrace.md: i100i, i100us, b, c, r, g, l, x, w, p, "
         "f, m, t, a, M. Default: all, but not each branch of Intel PT")
      ->type_name("LETTERS")
      ->group(kMoreGroup);
  AddValue(app, "--max-memory", options->convert.max_memory, "SIZE", kMoreGroup,
           "Memory for records that wait for older ones, and for stacks\n"
           "Half for each; more go to a temporary file, stacks only for pprof. "
           "Default: 64M for records, no limit for stacks")
      ->transform(SizeAboveZero());
}

// Adds the options for programs that call this one, and for its packages.
void AddProgramOptions(OptionApp* app, CommandLine* options) {
  AddValue(app, "--json-summary", options->json_summary, "FILE", kMoreGroup,
           "Write what became of each input, for programs\n"
           "Its members are described in docs/summary.md");
  app->add_option_function<std::string>(
         "--generate",
         [options](const std::string& what) {
           options->command = CommandLine::Command::kGenerate;
           options->generate = what;
         },
         "Write the man page or a shell's completion")
      ->type_name("man|bash|zsh|fish")
      ->check(OneOf({"man", "bash", "zsh", "fish"}))
      ->group("");
}

// Adds the options on symbols. --untrusted, which opens no symbol files,
// excludes them.
void AddSymbolOptions(OptionApp* app, CommandLine* options) {
  AddSymbolSources(app, options);
  AddMoreSymbolOptions(app, options);
  CLI::Option* const untrusted = app->get_option_no_throw("--untrusted");
  if (untrusted == nullptr) return;
  for (CLI::Option* option : app->get_options([](const CLI::Option* o) {
         return (o->get_group() == kSymbolGroup ||
                 o->get_group() == kMoreSymbolGroup) &&
                !o->check_name("--no-symbols");
       })) {
    untrusted->excludes(option);
  }
  // A viewer is not confined, and looks for the files that a profile names.
  CLI::Option* const open = app->get_option_no_throw("--open");
  if (open != nullptr) untrusted->excludes(open);
}

void AddFormats(CLI::App* app, CommandLine* options) {
  CLI::App* formats =
      app->add_subcommand("formats", "List the formats and what they are for");
  formats->set_help_all_flag();
  formats->callback(
      [options] { options->command = CommandLine::Command::kFormats; });
}

}  // namespace

std::unique_ptr<CLI::App> DefineCommandLine(
    CommandLine* options, const std::vector<std::string>* words) {
  auto app = std::make_unique<OptionApp>(
      "Converts what `perf record` writes into traces that other tools open.",
      "perf2x", words);
  app->formatter(HelpFormatter());
  app->option_defaults()->always_capture_default(false)->group(kGeneralGroup);
  app->set_help_flag("-h,--help", "Show the options that most people need")
      ->group(kMoreGroup);
  app->set_version_flag(
         "--version",
         [app = app.get()] {
           const CLI::Option* option = app->get_option_no_throw("--verbose");
           const bool verbose = option != nullptr && option->count() > 0;
           return absl::StrCat("perf2x " PERF2X_VERSION,
                               verbose ? "\nsandbox: " : "",
                               verbose ? Describe(AvailableSandbox()) : "");
         },
         "Show the version\nWith -v also what the sandbox is made of here")
      ->group(kMoreGroup);

  AddInputs(app.get(), options);
  AddOutputOptions(app.get(), options);
  app->set_help_all_flag("--help-all", "Show all options; see also perf2x(1)")
      ->group(kGeneralGroup);
  AddTrustOptions(app.get(), options);
  AddConversionOptions(app.get(), options);
  AddProgramOptions(app.get(), options);
  AddFilterOptions(app.get(), options);
  AddDerivedOptions(app.get(), options);
  AddSymbolOptions(app.get(), options);
  AddFormatOptions(app.get(), options);
  options->convert.threads =
      static_cast<int>(std::thread::hardware_concurrency());
  if (app->Names("info")) AddInfo(app.get(), options);
  if (app->Names("dump")) AddDump(app.get(), options);
  if (app->Names("diff")) AddDiff(app.get(), options);
  if (app->Names("formats")) AddFormats(app.get(), options);
  return app;
}

std::unique_ptr<CLI::App> DefinePerfToProfile(CommandLine* options) {
  auto app = std::make_unique<CLI::App>(
      "Converts a perf.data for pprof. This is perf2x under the name that "
      "pprof looks for; see perf2x(1).",
      "perf_to_profile");
  app->add_option("-i,--input", options->inputs, "A recording")
      ->expected(1)
      ->type_name("FILE")
      ->required();
  app->add_option("-o,--output", options->output,
                  "The profile; written in place")
      ->type_name("FILE")
      ->required();
  // pprof creates the output file before it calls this program.
  app->add_flag(
      "-f,--overwrite-output", [](int64_t) {}, "Accepted for pprof's sake");
  options->format = "pprof";
  options->in_place = true;
  options->convert.threads =
      static_cast<int>(std::thread::hardware_concurrency());
  return app;
}

}  // namespace perf2x
