// SPDX-License-Identifier: Apache-2.0

// Runs a trial and checks its results.

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "converter/base/file_descriptor.h"
#include "converter/cli/json_summary.h"
#include "converter/cli/report.h"
#include "converter/convert/convert.h"
#include "converter/convert/merge.h"
#include "converter/emit/registry.h"
#include "converter/inspect/inspect.h"
#include "tests/fuzz/read_back.h"
#include "tests/fuzz/record_trial.h"
#include "tests/fuzz/slow_source.h"
#include "tests/support/bounds.h"
#include "tests/support/hostile.h"
#include "tests/support/html_page.h"
#include "tests/support/perfetto_trace.h"
#include "tests/support/write_bytes.h"

namespace perf2x {
namespace {

namespace fs = std::filesystem;

// Keeps written bytes outside of the process's own memory.
class KeptFile {
 public:
  KeptFile() : fd_(memfd_create("output", MFD_CLOEXEC)) {}
  absl::Status Write(absl::string_view bytes) {
    size_ += bytes.size();
    while (!bytes.empty()) {
      const ssize_t n = write(fd_.get(), bytes.data(), bytes.size());
      if (n <= 0) return absl::InternalError("memfd");
      bytes.remove_prefix(static_cast<size_t>(n));
    }
    return absl::OkStatus();
  }
  uint64_t size() const { return size_; }
  std::string Read() const {
    std::string text(size_, '\0');
    const ssize_t n = pread(fd_.get(), text.data(), text.size(), 0);
    text.resize(n < 0 ? 0 : static_cast<size_t>(n));
    return text;
  }
  bool closed = false;

 private:
  const FileDescriptor fd_;
  uint64_t size_ = 0;
};

class KeptOutput final : public Output {
 public:
  explicit KeptOutput(KeptFile* file) : file_(*file) {}
  absl::Status Write(absl::string_view bytes) override {
    return file_.Write(bytes);
  }
  absl::Status Close() override {
    file_.closed = true;
    return absl::OkStatus();
  }

 private:
  KeptFile& file_;
};

class KeptOutputs final : public OutputFactory {
 public:
  absl::StatusOr<std::unique_ptr<Output>> Open(
      absl::string_view name) override {
    return std::make_unique<KeptOutput>(&files[std::string(name)]);
  }
  std::map<std::string, KeptFile> files;
};

Input InputOf(const std::vector<ByteVector>& files, bool from_pipe) {
  Input input;
  if (from_pipe && files.size() == 1) {
    input.name = MemoryInput({}).name;  // outputs have this name
    input.size = std::make_shared<std::atomic<uint64_t>>(files[0].size());
    input.stream = Decompress(DetectCompression(files[0]), InSteps(files[0]));
    return input;
  }
  input = MemoryInput(files[0]);
  for (size_t i = 1; i < files.size(); ++i) {
    if (files[i].empty()) continue;
    input.data_files.push_back(
        {absl::StrCat("data.", i - 1), MemoryInput(files[i]).mapped, {}});
  }
  return input;
}

// Files on disk: merging opens its inputs by name, and outputs have these
// names.
class OnDisk {
 public:
  OnDisk() : path_((fs::temp_directory_path() / "perf2x_XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) path_ = "/nonexistent";
  }
  ~OnDisk() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  OnDisk(const OnDisk&) = delete;
  OnDisk& operator=(const OnDisk&) = delete;

  std::string Add(const std::vector<ByteVector>& files) {
    const std::string path = absl::StrCat(path_, "/", ++count_);
    if (files.size() == 1) {
      Write(path, files[0]);
      return path;
    }
    fs::create_directory(path);
    Write(path + "/data", files[0]);
    for (size_t i = 1; i < files.size(); ++i) {
      Write(absl::StrCat(path, "/data.", i - 1), files[i]);
    }
    return path;
  }

 private:
  static void Write(const std::string& path, const ByteVector& bytes) {
    WriteBytes(path, bytes);
  }
  std::string path_;
  int count_ = 0;
};

// The results of one run.
struct TrialRun {
  absl::Status status;
  KeptOutputs outputs;
  std::vector<ConvertReport> reports;
  Outcome cost;

  uint64_t written() const {
    uint64_t bytes = 0;
    for (const auto& [name, file] : outputs.files) bytes += file.size();
    return bytes;
  }
};

ConvertOptions OptionsOf(const RecordTrial& trial, int threads) {
  ConvertOptions options = WithoutFiles();
  if (trial.symbolize) {
    options.symbolize = true;
    options.symbols.binaries.symfs = "testdata/symfs";
    options.symbols.kallsyms = "testdata/kallsyms";
  }
  options.filter = trial.filter;
  options.emitter_options = trial.emitter_options;
  options.threads = threads;
  options.max_memory = trial.max_memory;
  return options;
}

bool Merges(const RecordTrial& trial) {
  const EmitterInfo& format = *FindEmitter(trial.format);
  return !trial.second.empty() &&
         CheckCanMerge(format, WithDefaults(format, trial.emitter_options))
             .ok();
}

// `inputs` are the names of the files to merge; empty: nothing is merged.
void ConvertTrial(const RecordTrial& trial,
                  const std::vector<std::string>& inputs, bool from_pipe,
                  int threads, TrialRun* run) {
  const EmitterInfo& format = *FindEmitter(trial.format);
  const ConvertOptions options = OptionsOf(trial, threads);
  if (!inputs.empty()) {
    std::vector<InputIdentity> found;
    for (const std::string& input : inputs) {
      found.push_back(InputIdentity::FromPath(input));
    }
    MeasureRun(
        [&] {
          run->status =
              Merge(found, format, run->outputs, options, &run->reports);
        },
        &run->cost);
    return;
  }
  Input input = InputOf(trial.files, from_pipe);
  run->reports.resize(1);
  MeasureRun(
      [&] {
        run->status = Convert(std::move(input), format, run->outputs, options,
                              &run->reports[0]);
      },
      &run->cost);
}

void InspectTrial(const RecordTrial& trial, TrialRun* run) {
  Input input = InputOf(trial.files, trial.from_pipe);
  const auto output = *run->outputs.Open("");
  run->reports.resize(1);
  Diagnostics& diagnostics = run->reports[0].diagnostics;
  MeasureRun(
      [&] {
        if (trial.command == RecordTrial::Command::kInfo) {
          run->status =
              WriteInfo(std::move(input), trial.json, *output, &diagnostics);
          return;
        }
        DumpOptions options;
        options.sorted = options.callchain = options.branches = options.regs =
            options.raw = options.stack = trial.sorted;
        run->status =
            WriteDump(std::move(input), options, *output, &diagnostics);
      },
      &run->cost);
}

// Returns true if an exhausted budget made perf2x skip parts, so that sums may
// be incomplete.
bool SkippedParts(const TrialRun& run) {
  for (const ConvertReport& report : run.reports) {
    for (const auto& [what, entry] : report.diagnostics.entries()) {
      if (absl::StrContains(what, " left out: the ")) return true;
    }
  }
  return false;
}

// Returns the number of samples that reached the emitter, and sets `*events` to
// the number of their events.
uint64_t SamplesOf(const TrialRun& run, size_t* events) {
  uint64_t samples = 0;
  *events = 0;
  for (const ConvertReport& report : run.reports) {
    for (const auto& event : report.events) {
      samples += event.samples;
      *events += event.samples > 0;
    }
  }
  return samples;
}

std::string CheckSum(absl::string_view what, uint64_t got, uint64_t want) {
  if (got == want) return "";
  return absl::StrCat(what, " has ", got, " samples of ", want);
}

std::string CheckTable(const std::string& name, absl::string_view text,
                       const TrialRun& run) {
  uint64_t rows = 0, samples = 0;
  const std::string bad = name == "results" ? CheckCsvResults(text, &samples)
                                            : CheckCsv(text, &rows);
  if (!bad.empty() || SkippedParts(run)) return bad;
  size_t events = 0;
  const uint64_t all = SamplesOf(run, &events);
  return name == "results"   ? CheckSum("results", samples, all)
         : name == "samples" ? CheckSum("samples", rows, all)
                             : "";
}

std::string CheckFile(const RecordTrial& trial, const std::string& name,
                      absl::string_view text, const TrialRun& run) {
  if (trial.command != RecordTrial::Command::kConvert) {
    return trial.command == RecordTrial::Command::kInfo && trial.json
               ? CheckJson(text)
               : CheckPlainText(text);
  }
  size_t events = 0;
  const uint64_t all = SamplesOf(run, &events);
  if (trial.format == "csv") {
    const auto one = trial.emitter_options.find("table");
    return CheckTable(one != trial.emitter_options.end()
                          ? one->second
                          : name.substr(0, name.find('.')),
                      text, run);
  }
  uint64_t samples = 0;
  if (trial.format == "folded") {
    std::string bad = CheckFolded(text, &samples);
    const bool one_event = events == 1 && run.reports.size() == 1;
    if (bad.empty() && one_event && !SkippedParts(run) &&
        run.reports[0].events[0].name != "offcpu-time") {
      bad = CheckSum("folded", samples, all);
    }
    return bad;
  }
  if (trial.format == "html" || trial.format == "perfetto") {
    const std::string bad = trial.format == "html"
                                ? CheckPage(text, &samples)
                                : CheckPerfettoTrace(text, &samples);
    return !bad.empty() || SkippedParts(run)
               ? bad
               : CheckSum(trial.format, samples, all);
  }
  if (trial.format != "pprof") return CheckFormat(trial.format, text);
  size_t types = 0;
  std::string bad = CheckPprof(text, &samples, &types);
  // Events of a hybrid processor have one more type for their sum.
  if (bad.empty() && !SkippedParts(run) && run.reports.size() == 1 &&
      types == events && trial.emitter_options.count("branches") == 0) {
    bad = CheckSum("pprof", samples, all);
  }
  return bad;
}

std::string CheckReports(const RecordTrial& trial, const TrialRun& run) {
  if (trial.command != RecordTrial::Command::kConvert) return "";
  std::vector<InputResult> results;
  for (const ConvertReport& report : run.reports) {
    const ByteAccount& b = report.bytes;
    if (run.status.ok() && b.record_bytes + b.payload + b.damaged !=
                               b.data - b.compressed + b.decompressed) {
      return "not every byte is a record's, a payload's or damaged";
    }
    const std::string bad = CheckPlainText(SummaryText(report, true));
    if (!bad.empty()) return absl::StrCat("summary: ", bad);
    results.push_back({"in", "out", run.status, report});
  }
  const std::string bad = CheckJson(JsonSummary(trial.format, "", results));
  return bad.empty() ? "" : absl::StrCat("JSON summary: ", bad);
}

std::string CheckCost(const RecordTrial& trial, const TrialRun& run) {
  if (Sanitized()) return "";
  // The bounds of larger inputs are larger in proportion.
  const double times = std::max(1.0, static_cast<double>(trial.Size()) /
                                         static_cast<double>(kBoundedInput));
  const auto most = [&](uint64_t bound) {
    return static_cast<uint64_t>(static_cast<double>(bound) * times);
  };
  if (run.cost.seconds > MaxSeconds() * times) {
    return absl::StrCat("takes ", run.cost.seconds, " s");
  }
  if (run.cost.peak_memory > most(kMaxMemory)) {
    return absl::StrCat("takes ", run.cost.peak_memory >> 20, " MB");
  }
  if (run.written() > most(kMaxWritten)) {
    return absl::StrCat("writes ", run.written() >> 20, " MB");
  }
  return "";
}

std::string CheckRun(const RecordTrial& trial, const TrialRun& run) {
  if (!run.status.ok() && run.status.message().empty()) {
    return "an error without a message";
  }
  for (std::string bad : {CheckCost(trial, run), CheckReports(trial, run)}) {
    if (!bad.empty()) return bad;
  }
  if (!run.status.ok()) return "";
  const uint64_t enough = Sanitized() ? 8 << 20 : 64 << 20;
  for (const auto& [name, file] : run.outputs.files) {
    if (trial.command == RecordTrial::Command::kConvert && !file.closed) {
      return absl::StrCat("an output is not closed: ", name);
    }
    if (file.size() > enough) continue;
    const std::string bad = CheckFile(trial, name, file.Read(), run);
    if (!bad.empty()) return absl::StrCat(name, name.empty() ? "" : ": ", bad);
  }
  return "";
}

// Repeats the conversion in a way that must not change the output.
std::string CompareRuns(const RecordTrial& trial,
                        const std::vector<std::string>& inputs,
                        const TrialRun& first) {
  // How much of a pipe was read when the budget was used up is a matter of
  // chance.
  if (first.written() > (16 << 20) ||
      (trial.from_pipe && SkippedParts(first))) {
    return "";
  }
  const bool other_source =
      trial.other_source && trial.second.empty() && trial.files.size() == 1 &&
      trial.filter.time.shares.empty() && !SkippedParts(first);
  TrialRun again;
  ConvertTrial(trial, inputs, trial.from_pipe != other_source,
               trial.threads == 1 ? 3 : 1, &again);
  const std::string how = other_source ? "as a file and through a pipe"
                                       : "on one thread and on three";
  if (first.status.ok() != again.status.ok()) {
    return absl::StrCat("another status ", how, ": ", first.status.ToString(),
                        " or ", again.status.ToString());
  }
  if (!first.status.ok()) return "";
  for (const auto& [name, file] : first.outputs.files) {
    const auto other = again.outputs.files.find(name);
    if (other == again.outputs.files.end() ||
        file.Read() != other->second.Read()) {
      return absl::StrCat("another output ", name, " ", how);
    }
  }
  return "";
}

}  // namespace

std::string RunTrial(const RecordTrial& trial, TrialCost* cost) {
  TrialRun run;
  const bool convert = trial.command == RecordTrial::Command::kConvert;
  std::optional<OnDisk> disk;
  std::vector<std::string> inputs;
  if (convert && Merges(trial)) {
    disk.emplace();
    inputs = {disk->Add(trial.files), disk->Add(trial.second)};
  }
  if (convert) {
    ConvertTrial(trial, inputs, trial.from_pipe, trial.threads, &run);
  } else {
    InspectTrial(trial, &run);
  }
  *cost = {run.cost.seconds, run.cost.peak_memory, run.written()};
  std::string bad = CheckRun(trial, run);
  if (bad.empty() && convert && trial.run_twice)
    bad = CompareRuns(trial, inputs, run);
  return bad;
}

}  // namespace perf2x
