#include "converter/run_convert.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "converter/base/status_macros.h"
#include "converter/base/unfinished.h"
#include "converter/convert.h"
#include "converter/emit/registry.h"
#include "converter/json_summary.h"
#include "converter/merge.h"
#include "converter/named_outputs.h"
#include "converter/progress.h"
#include "converter/report.h"

namespace perf2x {
namespace {

// Whether the format writes a folder, with the options as they are.
bool WritesFolder(const EmitterInfo& format, const CommandLine& options) {
  return format.folder &&
         options.convert.emitter_options.count(format.one_file_option) == 0;
}

// How outputs are called that are named after their inputs, in the inputs'
// order: "perf.pb.gz" or, where two would have one name, "runs-1-perf.pb.gz".
absl::StatusOr<std::vector<std::string>> NamesAfter(
    const std::vector<std::string>& inputs, const EmitterInfo& format) {
  std::map<std::string, int> uses;
  for (const std::string& input : inputs) ++uses[StemOf(input)];
  std::vector<std::string> names;
  for (const std::string& input : inputs) {
    std::string stem = StemOf(input);
    if (uses[stem] > 1) {
      absl::string_view folders = input;
      while (absl::ConsumePrefix(&folders, "./") ||
             absl::ConsumePrefix(&folders, "../") ||
             absl::ConsumePrefix(&folders, "/")) {
      }
      folders = folders.substr(0, folders.rfind('/') + 1);
      stem = absl::StrCat(absl::StrReplaceAll(folders, {{"/", "-"}}), stem);
    }
    names.push_back(stem + format.extension);
    if (std::count(names.begin(), names.end(), names.back()) > 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("two inputs would be written to ", names.back(),
                       "; convert them one by one"));
    }
  }
  return names;
}

// Shows, where someone looks, how far it is while `work(options, line)` goes
// on; the line may be null.
template <class F>
void WithProgressLine(const CommandLine& options, F work) {
  ConvertOptions convert = options.convert;
  if (options.quiet || !ProgressLine::Wanted()) return work(convert, nullptr);
  Progress progress;
  convert.progress = &progress;
  ProgressLine line(progress);
  work(convert, &line);
}

// The summary, the warning or the error of an input. Gives whether it counts as
// converted.
bool Tell(const CommandLine& options, const InputResult& result) {
  const ConvertReport& report = result.report;
  if (!result.status.ok()) {
    Complain(kFailed, result.status.message());
    return false;
  }
  if (!options.quiet) {
    if (!result.output.empty()) {
      Say(absl::StrCat(
          "perf2x: ", Printable(result.input), " to ",
          result.output == "-" ? "standard output" : Printable(result.output),
          "\n"));
    } else {
      Say(absl::StrCat("perf2x: ", Printable(result.input), "\n"));
    }
    Say(SummaryText(report, options.verbose));
    const std::string warning = WarningText(report);
    if (!warning.empty()) {
      Say(absl::StrCat("perf2x: warning: ", warning, "\n"));
    }
  }
  if (options.strict && report.diagnostics.lossy()) {
    Complain(kFailed, "failed because of --strict: see above");
    return false;
  }
  return true;
}

void ConvertOne(const CommandLine& options, const EmitterInfo& format,
                const ConvertOptions& convert, InputResult* result) {
  auto input = OpenInput(result->input);
  if (!input.ok()) {
    result->status = input.status();
    return;
  }
  NamedOutputs outputs(result->output, format, options.in_place);
  result->status =
      Convert(*std::move(input), format, outputs, convert, &result->report);
}

// Converts each input, several at a time; tells of them in order. Gives how
// many did not make it.
size_t ConvertEach(const CommandLine& options, const EmitterInfo& format,
                   std::vector<InputResult>* results) {
  const size_t workers =
      std::clamp<size_t>(options.convert.threads, 1, results->size());
  std::mutex mutex;
  std::condition_variable wake;
  size_t next = 0;
  std::vector<bool> done(results->size());
  size_t failed = 0;
  const auto work = [&](const ConvertOptions& convert) {
    std::unique_lock lock(mutex);
    while (next < results->size()) {
      const size_t i = next++;
      lock.unlock();
      InputResult& result = (*results)[i];
      ConvertOne(options, format, convert, &result);
      if (results->size() > 1) {
        result.status = Naming(result.input, result.status);
      }
      lock.lock();
      done[i] = true;
      wake.notify_all();
    }
  };
  WithProgressLine(options, [&](ConvertOptions& convert, ProgressLine* line) {
    convert.threads =
        std::max<int>(1, convert.threads / static_cast<int>(workers));
    std::vector<std::thread> threads;
    for (size_t i = 0; i < workers; ++i) {
      threads.emplace_back([&] { work(convert); });
    }
    for (size_t i = 0; i < results->size(); ++i) {
      {
        std::unique_lock lock(mutex);
        wake.wait(lock, [&] { return done[i]; });
      }
      const auto tell = [&] {
        if (!Tell(options, (*results)[i])) ++failed;
      };
      line == nullptr ? tell() : line->Pause(tell);
    }
    for (std::thread& thread : threads) thread.join();
  });
  return failed;
}

// Converts all inputs into one output. Gives how many did not make it: with one
// the others are not written either.
size_t ConvertMerged(const CommandLine& options, const EmitterInfo& format,
                     const std::string& output,
                     std::vector<InputResult>* results) {
  std::vector<std::string> inputs;
  for (const InputResult& result : *results) inputs.push_back(result.input);
  std::vector<ConvertReport> reports;
  absl::Status status;
  WithProgressLine(options, [&](const ConvertOptions& convert, ProgressLine*) {
    NamedOutputs outputs(output, format, options.in_place);
    status = Merge(inputs, format, outputs, convert, &reports);
  });
  reports.resize(results->size());
  for (size_t i = 0; i < results->size(); ++i) {
    (*results)[i].status = status;
    (*results)[i].report = std::move(reports[i]);
  }
  if (!status.ok()) {
    Complain(kFailed, status.message());
    return results->size();
  }
  if (!options.quiet) {
    Say(absl::StrCat("perf2x: ", results->size(), " recordings to ",
                     output == "-" ? "standard output" : Printable(output),
                     "\n"));
  }
  return static_cast<size_t>(std::count_if(
      results->begin(), results->end(),
      [&](const auto& result) { return !Tell(options, result); }));
}

bool IsFolder(const std::string& path) {
  struct stat st;
  return stat(path.c_str(), &st) == 0 && S_ISDIR(st.st_mode);
}

// Whether -o names a folder for outputs that are named after their inputs.
bool NamesAreOfInputs(const CommandLine& options, const EmitterInfo& format) {
  if (options.merge) return false;
  if (options.inputs.size() > 1) return true;
  return !WritesFolder(format, options) &&
         (absl::EndsWith(options.output, "/") || IsFolder(options.output));
}

// Where outputs go. An error is one of usage.
absl::Status NameOutputs(const CommandLine& options, const EmitterInfo& format,
                         std::vector<InputResult>* results,
                         std::string* merged_into) {
  if (NamesAreOfInputs(options, format)) {
    if (options.output == "-" || (access(options.output.c_str(), F_OK) == 0 &&
                                  !IsFolder(options.output))) {
      return absl::InvalidArgumentError(absl::StrCat(
          "several inputs need a folder to be written to, not ",
          options.output == "-" ? "standard output" : options.output,
          "; or --merge makes one of them"));
    }
    std::vector<std::string> inputs;
    for (const InputResult& result : *results) inputs.push_back(result.input);
    ASSIGN_OR_RETURN(const std::vector<std::string> names,
                     NamesAfter(inputs, format));
    absl::string_view place = options.output;
    while (place.size() > 1 && absl::ConsumeSuffix(&place, "/")) {
    }
    for (size_t i = 0; i < names.size(); ++i) {
      (*results)[i].output =
          place.empty() ? names[i] : absl::StrCat(place, "/", names[i]);
    }
    return absl::OkStatus();
  }
  const bool folder = WritesFolder(format, options);
  if (folder && options.output == "-") {
    return absl::InvalidArgumentError(
        absl::StrCat(format.name, " writes a folder; use --",
                     format.one_file_option, " to write to standard output"));
  }
  std::string& output = options.merge ? *merged_into : (*results)[0].output;
  output = options.output;
  if (!output.empty()) return absl::OkStatus();
  const std::string stem =
      options.merge ? "merged" : StemOf((*results)[0].input);
  output = isatty(STDOUT_FILENO) != 0 || folder ? stem + format.extension : "-";
  return absl::OkStatus();
}

absl::Status WriteSummary(const std::string& path, const std::string& text) {
  auto output = OpenOutput(path);
  if (!output.ok()) return output.status();
  const absl::Status status = (*output)->Write(text);
  return status.ok() ? (*output)->Close() : status;
}

}  // namespace

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

int RunConvert(const CommandLine& options) {
  std::vector<InputResult> results(std::max<size_t>(options.inputs.size(), 1));
  for (size_t i = 0; i < results.size(); ++i) {
    results[i].input =
        options.inputs.empty() ? DefaultInput() : options.inputs[i];
    if (results[i].input == "-" && (results.size() > 1 || options.merge)) {
      return Complain(kWrongUsage,
                      "standard input can only be converted by itself");
    }
  }
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
  std::string merged_into;
  const absl::Status named =
      NameOutputs(options, *format, &results, &merged_into);
  if (!named.ok()) return Complain(kWrongUsage, named.message());

  std::optional<Unfinished> made_folder;
  if (NamesAreOfInputs(options, *format) && !options.output.empty() &&
      mkdir(options.output.c_str(), 0777) == 0) {
    made_folder.emplace([&] { rmdir(options.output.c_str()); });
  }
  const size_t failed =
      options.merge ? ConvertMerged(options, *format, merged_into, &results)
                    : ConvertEach(options, *format, &results);
  if (made_folder.has_value()) {
    made_folder.reset();
    if (failed == results.size()) rmdir(options.output.c_str());
  }
  if (!options.json_summary.empty()) {
    const absl::Status status = WriteSummary(
        options.json_summary, JsonSummary(format->name, merged_into, results));
    if (!status.ok()) return Complain(kFailed, status.message());
  }
  if (failed > 0 && results.size() > 1 && !options.merge) {
    Complain(kFailed,
             absl::StrCat(failed, " of ", results.size(), " inputs failed"));
  }
  return failed > 0 ? kFailed : kConverted;
}

}  // namespace perf2x
