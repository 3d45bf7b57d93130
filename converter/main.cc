#include <malloc.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "converter/command_docs.h"
#include "converter/command_line.h"
#include "converter/convert.h"
#include "converter/emit/registry.h"
#include "converter/interrupt.h"
#include "converter/named_outputs.h"
#include "converter/report.h"

namespace perf2x {
namespace {

constexpr int kConverted = 0;
constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

void Say(absl::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
}

int Complain(int code, absl::string_view text) {
  Say(absl::StrCat("perf2x: ", Printable(text), "\n"));
  return code;
}

std::string DefaultInput() {
  struct stat st;
  if (fstat(STDIN_FILENO, &st) == 0 && S_ISFIFO(st.st_mode)) return "-";
  return "perf.data";
}

int ListFormats() {
  for (const EmitterInfo& e : Emitters()) {
    absl::PrintF("%-10s %-10s %s\n", e.name, e.extension, e.summary);
  }
  if (std::fflush(stdout) != 0) {
    return Complain(kFailed, absl::StrCat("cannot write standard output: ",
                                          std::strerror(errno)));
  }
  return kConverted;
}

int RunConvert(const CommandLine& options) {
  const std::string input_name =
      options.input.empty() ? DefaultInput() : options.input;
  const EmitterInfo* format = options.format.empty()
                                  ? FindEmitterByPath(options.output)
                                  : FindEmitter(options.format);
  if (format == nullptr) {
    return Complain(
        kWrongUsage,
        options.format.empty()
            ? "which format? Say --to FORMAT, or -o FILE with a format's "
              "extension; `perf2x formats` lists them"
            : absl::StrCat("no format is called ", options.format,
                           "; `perf2x formats` lists them"));
  }
  std::string output = options.output;
  const bool to_terminal = isatty(STDOUT_FILENO) != 0;
  const bool folder = format->folder && options.convert.emitter_options.count(
                                            format->one_file_option) == 0;
  if (output.empty()) {
    output = to_terminal || folder
                 ? absl::StrCat(StemOf(input_name), format->extension)
                 : "-";
  } else if (folder && output == "-") {
    return Complain(
        kWrongUsage,
        absl::StrCat(format->name, " writes a folder; use --",
                     format->one_file_option, " to write to standard output"));
  }

  auto input = OpenInput(input_name);
  if (!input.ok()) return Complain(kFailed, input.status().message());
  NamedOutputs outputs(output, *format, options.in_place);
  ConvertReport report;
  const absl::Status status =
      Convert(*std::move(input), *format, outputs, options.convert, &report);
  if (!status.ok()) return Complain(kFailed, status.message());

  if (!options.quiet) {
    Say(absl::StrCat("perf2x: ", Printable(input_name), " to ",
                     output == "-" ? "standard output" : Printable(output),
                     "\n"));
    Say(SummaryText(report, options.verbose));
  }
  const std::string warning = WarningText(report);
  if (!warning.empty() && !options.quiet) {
    Say(absl::StrCat("perf2x: warning: ", warning, "\n"));
  }
  if (options.strict && report.diagnostics.lossy()) {
    return Complain(kFailed, "failed because of --strict: see above");
  }
  return kConverted;
}

// `perf2x info --symbols`: names all frames, and throws the profile away.
int RunInfoSymbols(Input input, const CommandLine& options, Output& output) {
  class NoOutputs final : public OutputFactory {
   public:
    absl::StatusOr<std::unique_ptr<Output>> Open(absl::string_view) override {
      return OpenOutput("/dev/null", /*in_place=*/true);
    }
  } nowhere;
  ConvertReport report;
  absl::Status status = Convert(std::move(input), *FindEmitter("pprof"),
                                nowhere, options.convert, &report);
  if (status.ok()) {
    status = output.Write(options.json ? SymbolTableJson(report.symbols)
                                       : SymbolTable(report.symbols));
  }
  if (status.ok()) status = output.Close();
  if (!status.ok()) return Complain(kFailed, status.message());
  const std::string warning = WarningText(report);
  if (!warning.empty()) Say(absl::StrCat("perf2x: warning: ", warning, "\n"));
  return kConverted;
}

// `perf2x info` and `perf2x dump`: to standard output.
int RunInspect(const CommandLine& options) {
  const std::string name =
      options.input.empty() ? DefaultInput() : options.input;
  auto input = OpenInput(name);
  if (!input.ok()) return Complain(kFailed, input.status().message());
  auto output = OpenOutput("-");
  if (!output.ok()) return Complain(kFailed, output.status().message());
  if (options.info_symbols) {
    return RunInfoSymbols(*std::move(input), options, **output);
  }
  ConvertReport report;
  absl::Status status = options.command == CommandLine::Command::kInfo
                            ? WriteInfo(*std::move(input), options.json,
                                        **output, &report.diagnostics)
                            : WriteDump(*std::move(input), options.dump,
                                        **output, &report.diagnostics);
  if (status.ok()) status = (*output)->Close();
  if (!status.ok()) return Complain(kFailed, status.message());
  const std::string warning = WarningText(report);
  if (!warning.empty()) Say(absl::StrCat("perf2x: warning: ", warning, "\n"));
  return kConverted;
}

int Generate(const CLI::App& app, const std::string& what) {
  const CommandDoc doc = DocsOf(app);
  const std::string text = what == "man"    ? ManPage(doc)
                           : what == "bash" ? BashCompletion(doc)
                           : what == "zsh"  ? ZshCompletion(doc)
                                            : FishCompletion(doc);
  auto output = OpenOutput("-");
  absl::Status status = output.status();
  if (status.ok()) status = (*output)->Write(text);
  if (status.ok()) status = (*output)->Close();
  return status.ok() ? kConverted : Complain(kFailed, status.message());
}

int Main(int argc, char** argv) {
  CommandLine options;
  absl::string_view called = argv[0];
  called = called.substr(called.rfind('/') + 1);
  auto app = called == "perf_to_profile" ? DefinePerfToProfile(&options)
                                         : DefineCommandLine(&options);
  try {  // CLI11 reports by exceptions, --help and --version among them
    app->parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app->exit(e) == 0 ? kConverted : kWrongUsage;
  }
  CleanUpWhenInterrupted();
  switch (options.command) {
    case CommandLine::Command::kFormats:
      return ListFormats();
    case CommandLine::Command::kGenerate:
      return Generate(*app, options.generate);
    case CommandLine::Command::kInfo:
    case CommandLine::Command::kDump:
      return RunInspect(options);
    case CommandLine::Command::kConvert:
      return RunConvert(options);
  }
  return kFailed;
}

}  // namespace
}  // namespace perf2x

int main(int argc, char** argv) {
  // Tables that outgrew their memory give it back. By default the allocator
  // keeps what was freed of up to 32 MB, which is more than it can use again.
  mallopt(M_MMAP_THRESHOLD, 256 << 10);
  return perf2x::Main(argc, argv);
}
