#include <malloc.h>

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
#include "converter/report.h"
#include "converter/run_convert.h"

namespace perf2x {
namespace {

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
      options.inputs.empty() ? DefaultInput() : options.inputs[0];
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
  app->failure_message([](const CLI::App*, const CLI::Error& e) {
    return absl::StrCat("perf2x: ", Printable(e.what()),
                        "\nRun with --help for more information.\n");
  });
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
