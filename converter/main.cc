#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "converter/command_line.h"
#include "converter/convert.h"
#include "converter/emit/registry.h"
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

// Opens the one output that the user named, or files in the folder of that
// name.
class NamedOutputs final : public OutputFactory {
 public:
  // `gzip`: the one output is to be compressed, which its format does not do.
  NamedOutputs(std::string path, bool in_place, bool gzip)
      : path_(std::move(path)), in_place_(in_place), gzip_(gzip) {}
  absl::StatusOr<std::unique_ptr<Output>> Open(
      absl::string_view name) override {
    if (name.empty()) {
      auto output = OpenOutput(path_, in_place_);
      if (!output.ok() || !gzip_) return output;
      return GzipOutput(*std::move(output));
    }
    if (mkdir(path_.c_str(), 0777) != 0 && errno != EEXIST) {
      return absl::UnavailableError(
          absl::StrCat("cannot make folder ", path_, ": ", strerror(errno)));
    }
    return OpenOutput(absl::StrCat(path_, "/", name));
  }

 private:
  std::string path_;
  bool in_place_;
  bool gzip_;
};

std::string DefaultInput() {
  struct stat st;
  if (fstat(STDIN_FILENO, &st) == 0 && S_ISFIFO(st.st_mode)) return "-";
  return "perf.data";
}

// "perf.pb.gz" for "…/perf.data".
std::string DefaultOutput(absl::string_view input, const EmitterInfo& format) {
  if (input == "-") input = "perf.data";
  while (absl::ConsumeSuffix(&input, "/")) {
  }
  if (size_t slash = input.rfind('/'); slash != input.npos) {
    input.remove_prefix(slash + 1);
  }
  for (absl::string_view suffix : {".gz", ".xz", ".zst", ".data"}) {
    absl::ConsumeSuffix(&input, suffix);
  }
  return absl::StrCat(input, format.extension);
}

int ListFormats() {
  for (const EmitterInfo& e : Emitters()) {
    absl::PrintF("%-10s %-10s %s\n", e.name, e.extension, e.summary);
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
  if (output.empty()) {
    output = to_terminal || format->folder ? DefaultOutput(input_name, *format)
                                           : "-";
  }

  auto input = OpenInput(input_name);
  if (!input.ok()) return Complain(kFailed, input.status().message());
  const bool gzip = absl::EndsWith(output, ".gz") &&
                    !absl::EndsWith(format->extension, ".gz");
  NamedOutputs outputs(output, options.in_place, gzip);
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

// `perf2x info` and `perf2x dump`: to standard output.
int RunInspect(const CommandLine& options) {
  const std::string name =
      options.input.empty() ? DefaultInput() : options.input;
  auto input = OpenInput(name);
  if (!input.ok()) return Complain(kFailed, input.status().message());
  auto output = OpenOutput("-");
  if (!output.ok()) return Complain(kFailed, output.status().message());
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
  switch (options.command) {
    case CommandLine::Command::kFormats:
      return ListFormats();
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

int main(int argc, char** argv) { return perf2x::Main(argc, argv); }
