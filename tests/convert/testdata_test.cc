// SPDX-License-Identifier: Apache-2.0

// Every sample of the recordings in testdata/, in order, with its stack:
// against what perf script printed when they were made.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "converter/convert/convert.h"
#include "tests/support/perf_script.h"
#include "tests/support/read_recording.h"

namespace perf2x {
namespace {

constexpr char kTestdata[] = "testdata";  // tests run in the source folder

// One a sample: "comm pid/tid time: period event: leaf;caller;…".
using Rows = std::vector<std::string>;

Rows OurRows(const std::string& recording) {
  Rows rows;
  std::vector<FrameId> frames;
  RecordingReader reader;
  reader.on_sample = [&](const Sample& sample, TraceTables& tables) {
    const Event& event = tables.events[sample.event];
    const Thread& thread = tables.threads[sample.thread];
    // perf was not asked for the stacks of tracepoints.
    std::vector<std::string> names;
    std::string period;
    if (event.kind != EventKind::kTracepoint) {
      period = absl::StrCat(sample.period, " ");
      tables.FramesOf(sample.stack, &frames);
      for (FrameId frame : frames) {
        const Line line = tables.Lines(frame).back();
        const Function& function = tables.functions()[line.function];
        names.push_back(function.placeholder
                            ? kUnknownName
                            : std::string(tables.strings[function.name]));
      }
    }
    constexpr uint64_t kSecond = 1'000'000'000;
    const uint64_t time = sample.time.value_or(0);
    rows.push_back(absl::StrFormat(
        "%s %d/%d %d.%09d: %s%s: %s", tables.strings[thread.name], thread.pid,
        thread.tid, time / kSecond, time % kSecond, period, event.name,
        absl::StrJoin(names, ";")));
  };
  ConvertOptions options;
  options.symbols.binaries.symfs = absl::StrCat(kTestdata, "/symfs");
  options.symbols.binaries.debug_dirs.clear();
  options.symbols.binaries.buildid_dir = "/nonexistent";
  options.symbols.kallsyms = absl::StrCat(kTestdata, "/kallsyms");
  options.symbols.inlines = options.symbols.lines = false;
  const absl::Status status = ReadRecording(recording, options, reader);
  EXPECT_TRUE(status.ok()) << status;
  return rows;
}

// The name in "7f00 name (/path)".
std::string NameInScript(absl::string_view frame) {
  frame = absl::StripAsciiWhitespace(frame);
  frame.remove_prefix(std::min(frame.find(' ') + 1, frame.size()));
  return std::string(frame.substr(0, frame.rfind(" (")));
}

Rows RowsOfPerf(const std::string& script) {
  Rows rows;
  std::ifstream file(script);
  for (std::string line; std::getline(file, line);) {
    if (line.empty()) continue;
    if (line.front() == '\t') {
      const bool first = absl::EndsWith(rows.back(), " ");
      absl::StrAppend(&rows.back(), first ? "" : ";", NameInScript(line));
      continue;
    }
    // comm pid/tid time: [period] event: [address name (file) or fields]
    std::vector<absl::string_view> words =
        absl::StrSplit(line, ' ', absl::SkipEmpty());
    auto event = std::find_if(words.begin() + 3, words.end(),
                              [](auto w) { return absl::EndsWith(w, ":"); });
    if (event == words.end()) {
      ADD_FAILURE() << "not a sample: " << line;
      continue;
    }
    std::string name;
    const bool tracepoint = event == words.begin() + 3;
    if (!tracepoint && event + 1 != words.end()) {
      name = NameInScript(absl::StrJoin(event + 1, words.end(), " "));
    }
    rows.push_back(
        absl::StrCat(absl::StrJoin(words.begin(), event + 1, " "), " ", name));
  }
  return rows;
}

TEST(TestdataTest, SamplesAndStacksAreThoseOfPerf) {
  int compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(
           absl::StrCat(kTestdata, "/expected"))) {
    std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".script") continue;
    name = std::string(absl::StripSuffix(name, ".script"));
    SCOPED_TRACE(name);
    EXPECT_EQ(OurRows(absl::StrCat(kTestdata, "/", name)),
              RowsOfPerf(entry.path().string()));
    ++compared;
  }
  EXPECT_GE(compared, 20);
}

}  // namespace
}  // namespace perf2x
