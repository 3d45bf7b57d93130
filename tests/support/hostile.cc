// SPDX-License-Identifier: Apache-2.0
#include "tests/support/hostile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "converter/emit/registry.h"
#include "converter/inspect/inspect.h"
#include "tests/support/read_recording.h"

namespace perf2x {
namespace {

// Converts without an output: looks up the lines of every frame.
absl::Status Walk(Input input, const ConvertOptions& options,
                  ConvertReport* report) {
  std::vector<FrameId> frames;
  RecordingReader reader;
  reader.on_sample = [&](const Sample& sample, TraceTables& tables) {
    tables.FramesOf(sample.stack, &frames);
    for (const FrameId frame : frames) (void)tables.Lines(frame);
  };
  return ReadRecording(std::move(input), options, reader, report);
}

class MeasuredOutputs final : public OutputFactory {
 public:
  absl::StatusOr<std::unique_ptr<Output>> Open(absl::string_view) override {
    return std::make_unique<Measure>(&bytes);
  }
  uint64_t bytes = 0;

 private:
  class Measure final : public Output {
   public:
    explicit Measure(uint64_t* written) : written_(written) {}
    absl::Status Write(absl::string_view text) override {
      *written_ += text.size();
      return absl::OkStatus();
    }
    absl::Status Close() override { return absl::OkStatus(); }

   private:
    uint64_t* const written_;
  };
};

double CpuSeconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) +
         static_cast<double>(now.tv_nsec) * 1e-9;
}

// Returns the value of a line of /proc/self/status, in bytes.
uint64_t StatusOfProcess(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    unsigned long long kilobytes = 0;
    if (line.rfind(key + ":", 0) == 0 &&
        std::sscanf(line.c_str() + key.size() + 1, "%llu", &kilobytes) == 1) {
      return kilobytes << 10;
    }
  }
  return 0;
}

// Resets the peak resident memory of the process (VmHWM): proc(5), clear_refs.
void ResetPeakMemory() { std::ofstream("/proc/self/clear_refs") << 5; }

}  // namespace

std::string Outcome::Complaints() const {
  std::string out(status.message());
  for (const auto& [what, entry] : report.diagnostics.entries()) {
    if (entry.severity == Diagnostics::Severity::kNote) continue;
    absl::StrAppend(&out, out.empty() ? "" : "\n", what);
  }
  return out;
}

bool Outcome::BytesAddUp() const {
  const ByteAccount& b = report.bytes;
  return b.record_bytes + b.payload + b.damaged ==
         b.data - b.compressed + b.decompressed;
}

ConvertOptions WithoutFiles() {
  ConvertOptions options;
  options.symbolize = false;
  // Even so binaries are looked for, to unwind user stack dumps.
  options.symbols.binaries.symfs = "/nonexistent";
  options.symbols.binaries.buildid_dir = "/nonexistent";
  options.symbols.binaries.debug_dirs.clear();
  return options;
}

void MeasureRun(absl::FunctionRef<void()> run, Outcome* outcome) {
  ResetPeakMemory();
  const uint64_t memory = StatusOfProcess("VmRSS");
  const double start = CpuSeconds();
  run();
  outcome->seconds = CpuSeconds() - start;
  const uint64_t peak = StatusOfProcess("VmHWM");
  outcome->peak_memory = peak - std::min(peak, memory);
}

Outcome InspectHostile(Input input, bool dump) {
  Outcome outcome;
  MeasuredOutputs outputs;
  const std::unique_ptr<Output> output = *outputs.Open("");
  MeasureRun(
      [&] {
        outcome.status = dump ? WriteDump(std::move(input), DumpOptions(),
                                          *output, &outcome.report.diagnostics)
                              : WriteInfo(std::move(input), /*json=*/false,
                                          *output, &outcome.report.diagnostics);
      },
      &outcome);
  outcome.output_bytes = outputs.bytes;
  return outcome;
}

namespace {

Outcome ConvertMeasured(Input input, absl::string_view format,
                        const ConvertOptions& options) {
  Outcome outcome;
  const EmitterInfo* info = FindEmitter(format);
  EXPECT_TRUE(info != nullptr || format == "walk") << format;
  MeasuredOutputs outputs;
  MeasureRun(
      [&] {
        outcome.status = info != nullptr
                             ? Convert(std::move(input), *info, outputs,
                                       options, &outcome.report)
                             : Walk(std::move(input), options, &outcome.report);
      },
      &outcome);
  outcome.output_bytes = outputs.bytes;
  for (const auto& event : outcome.report.events) {
    outcome.samples += event.samples;
  }
  return outcome;
}

}  // namespace

Outcome ConvertHostile(Input input, absl::string_view format, int threads) {
  ConvertOptions options = WithoutFiles();
  options.threads = threads;
  return ConvertMeasured(std::move(input), format, options);
}

Outcome ConvertWithNames(Input input, absl::string_view format,
                         const FormatOptions& format_options, int threads) {
  ConvertOptions options = WithoutFiles();
  options.threads = threads;
  options.symbolize = true;
  options.emitter_options = format_options;
  return ConvertMeasured(std::move(input), format, options);
}

Outcome ConvertWithSymfs(Input input, absl::string_view format,
                         const std::string& symfs) {
  ConvertOptions options = WithoutFiles();
  options.threads = 1;
  options.symbolize = true;
  options.symbols.binaries.symfs = symfs;
  return ConvertMeasured(std::move(input), format, options);
}

bool Sanitized() {
#if defined(PERF2X_SANITIZED) || defined(__SANITIZE_ADDRESS__) || \
    defined(__SANITIZE_THREAD__)
  return true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  return true;
#else
  return false;
#endif
#else
  return false;
#endif
}

}  // namespace perf2x
