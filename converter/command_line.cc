#include "converter/command_line.h"

#include <CLI/CLI.hpp>
#include <thread>

#include "absl/strings/str_cat.h"
#include "converter/emit/registry.h"

namespace perf2x {
namespace {

constexpr char kFooter[] = R"(Examples:
  perf2x --to pprof                     perf.data here, to perf.pb.gz
  perf2x -o cpu.pb.gz /tmp/perf.data    the format follows from the name
  perf record -o - ./app | perf2x --to pprof -o app.pb.gz -
  perf2x --to pprof --symfs sysroot --kallsyms kallsyms board.data

Exit status: 0 converted (with a warning if anything was lost, skipped or
damaged), 1 failed, 2 wrong usage.)";

std::string FormatNames() {
  std::string names;
  for (const EmitterInfo& e : Emitters()) {
    absl::StrAppend(&names, names.empty() ? "" : ", ", e.name);
  }
  return names;
}

constexpr char kInputHelp[] =
    "A recording: a file, a folder, or - for standard input. Default: "
    "perf.data, or standard input when that is a pipe";

void AddInfo(CLI::App* app, CommandLine* options) {
  CLI::App* info = app->add_subcommand(
      "info", "Show what a recording's header says, and what is in it");
  info->callback([options] { options->command = CommandLine::Command::kInfo; });
  info->add_option("INPUT", options->input, kInputHelp);
  info->add_flag("--json", options->json, "As one JSON object");
}

void AddDump(CLI::App* app, CommandLine* options) {
  CLI::App* dump = app->add_subcommand(
      "dump", "Show every record on a line of its own, with all its fields");
  dump->callback([options] { options->command = CommandLine::Command::kDump; });
  DumpOptions& d = options->dump;
  dump->add_option("INPUT", options->input, kInputHelp);
  dump->add_flag("--sorted", d.sorted,
                 "In order of time, without the place of each record");
  dump->add_flag("!--no-container", d.container,
                 "Leave out what depends on how the recording is stored: "
                 "records of perf itself and the header's");
  dump->add_flag("--callchain", d.callchain, "With callchains");
  dump->add_flag("--branches", d.branches, "With branch stacks");
  dump->add_flag("--regs", d.regs, "With registers");
  dump->add_flag("--stack", d.stack, "With copies of the stack");
  dump->add_flag("--raw", d.raw, "With raw data, as hexadecimal digits");
}

}  // namespace

std::unique_ptr<CLI::App> DefineCommandLine(CommandLine* options) {
  auto app = std::make_unique<CLI::App>(
      "Converts what `perf record` writes into traces that other tools open.",
      "perf2x");
  app->set_version_flag("--version", "perf2x " PERF2X_VERSION);
  app->footer(kFooter);
  app->option_defaults()->always_capture_default(false);

  app->add_option("INPUT", options->input, kInputHelp);
  app->add_option("--to", options->format,
                  absl::StrCat("Format to write: ", FormatNames()))
      ->type_name("FORMAT");
  app->add_option("-o,--output", options->output,
                  "Where to write; - for standard output. Default: standard "
                  "output, or on a terminal a file named after the input")
      ->type_name("FILE");
  app->add_flag("--strict", options->strict,
                "Fail when records were skipped or the input is damaged");
  app->add_flag("-q,--quiet", options->quiet, "Say nothing but errors");
  app->add_flag("-v,--verbose", options->verbose,
                "Say where symbols were found, file by file");

  SymbolizeOptions& symbols = options->convert.symbols;
  app->add_option("--symfs", symbols.binaries.symfs,
                  "Look for recorded files under this folder")
      ->type_name("DIR")
      ->group("Symbols");
  app->add_option("--kallsyms", symbols.kallsyms,
                  "The recorded kernel's /proc/kallsyms")
      ->type_name("FILE")
      ->group("Symbols");
  app->add_option("--debug-dir", symbols.binaries.debug_dirs,
                  "Look for separate debug files here as well as in "
                  "/usr/lib/debug; may be repeated")
      ->type_name("DIR")
      ->allow_extra_args(false)
      ->group("Symbols");
  app->add_option("--vmlinux", symbols.vmlinux,
                  "The recorded kernel's ELF file")
      ->type_name("FILE")
      ->group("Symbols");
  app->add_option("--buildid-dir", symbols.binaries.buildid_dir,
                  "perf's build-id cache; default ~/.debug")
      ->type_name("DIR")
      ->group("Symbols");
  app->add_option("--archive", symbols.binaries.archive,
                  "The tar that `perf archive` made of the recording's files")
      ->type_name("FILE")
      ->group("Symbols");
  app->add_flag("--debuginfod", symbols.binaries.debuginfod,
                "Ask debuginfod servers for missing files; on by itself when "
                "DEBUGINFOD_URLS is set")
      ->group("Symbols");
  app->add_option("--guest-kallsyms", symbols.guest_kallsyms,
                  "/proc/kallsyms of a recorded virtual machine's kernel")
      ->type_name("FILE")
      ->group("Symbols");
  app->add_option(
         "--perf-map-dir", symbols.perf_map_dirs,
         "Look for perf-PID.map and jit-PID.dump of JIT compilers here; "
         "may be repeated. Default: /tmp, on the recorded machine")
      ->type_name("DIR")
      ->allow_extra_args(false)
      ->group("Symbols");
  app->add_option_function<std::string>(
         "--demangle",
         [&symbols](const std::string& how) {
           symbols.demangle = how == "none"   ? Demangle::kNone
                              : how == "full" ? Demangle::kFull
                                              : Demangle::kSimple;
         },
         "How much of C++, Rust and D names to show: none (as in the symbol "
         "table), simple (no parameters), full. Default: simple")
      ->type_name("HOW")
      ->check(CLI::IsMember({"none", "simple", "full"}))
      ->group("Symbols");
  app->add_flag("!--no-symbols", options->convert.symbolize,
                "Open no symbol files")
      ->group("Symbols");
  app->add_flag("!--no-inline", symbols.inlines,
                "No inlined functions as frames of their own")
      ->group("Symbols");
  app->add_flag("!--no-lines", symbols.lines, "No source files and lines")
      ->group("Symbols");

  // Options that formats have of their own.
  for (const EmitterInfo& e : Emitters()) {
    for (const EmitterOption& option : e.options) {
      const std::string name = option.name;
      const auto set = [options, name](const std::string& value) {
        options->convert.emitter_options[name] = value;
      };
      const std::string flag = absl::StrCat("--", name);
      CLI::Option* added =
          *option.value == '\0'
              ? app->add_flag_callback(
                    flag, [set] { set("true"); }, option.help)
              : app->add_option_function<std::string>(flag, set, option.help)
                    ->type_name(option.value);
      added->group(absl::StrCat("Format ", e.name));
    }
  }

  options->convert.threads =
      static_cast<int>(std::thread::hardware_concurrency());
  AddInfo(app.get(), options);
  AddDump(app.get(), options);
  app->add_subcommand("formats", "List the formats that can be written")
      ->callback(
          [options] { options->command = CommandLine::Command::kFormats; });
  return app;
}

std::unique_ptr<CLI::App> DefinePerfToProfile(CommandLine* options) {
  auto app = std::make_unique<CLI::App>(
      "Converts a perf.data for pprof. This is perf2x under the name that "
      "pprof "
      "looks for; see perf2x(1).",
      "perf_to_profile");
  app->add_option("-i,--input", options->input, "A recording")
      ->type_name("FILE")
      ->required();
  app->add_option("-o,--output", options->output,
                  "The profile; written in place")
      ->type_name("FILE")
      ->required();
  // pprof makes the file before it asks for it to be written.
  app->add_flag(
      "-f,--overwrite-output", [](int64_t) {}, "Accepted for pprof's sake");
  options->format = "pprof";
  options->in_place = true;
  options->quiet = true;
  options->convert.threads =
      static_cast<int>(std::thread::hardware_concurrency());
  return app;
}

}  // namespace perf2x
