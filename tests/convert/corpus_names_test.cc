// SPDX-License-Identifier: Apache-2.0

// Names of the functions that samples hit, in every recording of the corpus
// with symbol files, against what perf script prints.

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "converter/convert/convert.h"
#include "tests/support/corpus.h"
#include "tests/support/perf_script.h"
#include "tests/support/read_recording.h"

namespace perf2x {
namespace {

// The name at the leaf of every sample, in order; kUnknownName where there is
// none.
using Leaves = std::vector<std::string>;

Leaves OurLeaves(const CorpusEntry& entry) {
  ConvertOptions options = OptionsFor(entry);
  if (entry.id == "x86-node_jitdump") {
    // `perf inject --jit` made a file of each function, and mapped it.
    std::error_code error;
    const std::string folder = "/opt/demo/rec/node_jitdump";
    std::filesystem::create_directories(SymfsOf(entry) + folder, error);
    std::filesystem::copy(CompanionsOf(entry), SymfsOf(entry) + folder,
                          std::filesystem::copy_options::skip_existing |
                              std::filesystem::copy_options::recursive,
                          error);
    EXPECT_FALSE(error) << error.message();
  }
  // perf 7 prints parameters, perf 6 does not.
  if (entry.perf == "7.3") options.symbols.demangle = Demangle::kFull;
  Leaves leaves;
  std::vector<FrameId> frames;
  RecordingReader reader;
  reader.on_sample = [&](const Sample& sample, TraceTables& tables) {
    tables.FramesOf(sample.stack, &frames);
    const Line line = tables.Lines(frames.front()).back();
    const Function& function = tables.functions()[line.function];
    leaves.push_back(function.placeholder
                         ? kUnknownName
                         : std::string(tables.strings[function.name]));
  };
  const absl::Status status =
      ReadRecording(RecordingOf(entry), options, reader);
  EXPECT_TRUE(status.ok()) << status;
  return leaves;
}

// The function in "7f00 name+0x12 (/path)" as perf script prints it.
std::string NameInFrame(absl::string_view frame) {
  const size_t space = frame.find(' ');
  if (space == frame.npos) return kUnknownName;
  frame.remove_prefix(space + 1);
  if (absl::StartsWith(frame, kUnknownName)) return kUnknownName;
  // Names and paths may both hold " (".
  const size_t plus = frame.rfind("+0x");
  const size_t end = plus != frame.npos ? plus : frame.rfind(" (");
  return std::string(frame.substr(0, end));
}

bool IsFrame(absl::string_view text) {
  const size_t space = text.find(' ');
  return space != text.npos && space > 0 && absl::StrContains(text, " (") &&
         absl::EndsWith(text, ")") &&
         text.substr(0, space).find_first_not_of("0123456789abcdef") ==
             text.npos;
}

// Samples are blocks of a heading and their frames, or a line of their own.
// Absent: perf prints no frame.
std::vector<std::optional<std::string>> PerfLeaves(const CorpusEntry& entry) {
  const std::string script = TruthOf(entry, "script");
  const auto name_in = [&](absl::string_view frame) {
    const size_t open = frame.rfind(" (");
    const std::string dso(frame.substr(open + 2, frame.size() - open - 3));
    return HasSymbolsOf(entry, dso) ? NameInFrame(frame) : kUnknownName;
  };
  std::vector<std::optional<std::string>> leaves;
  bool want_frame = false;
  for (absl::string_view line : absl::StrSplit(script, '\n')) {
    if (absl::StartsWith(line, "# stderr:")) break;
    if (absl::StripAsciiWhitespace(line).empty()) {
      want_frame = false;
    } else if (line.front() == '\t' && !leaves.empty()) {
      if (want_frame) leaves.back() = name_in(absl::StripAsciiWhitespace(line));
      want_frame = false;
    } else {
      leaves.emplace_back();
      want_frame = true;
      // Without a callchain the address follows on the line itself, behind
      // "time: period event: ".
      const size_t time = line.find(": ");
      const size_t event = line.find(": ", time + 2);
      if (time == line.npos || event == line.npos) continue;
      const absl::string_view rest =
          absl::StripAsciiWhitespace(line.substr(event + 1));
      if (IsFrame(rest)) {
        leaves.back() = name_in(rest);
        want_frame = false;
      }
    }
  }
  return leaves;
}

// Why perf has names that the symbol files cannot give; empty: it has not.
std::string WhyPerfKnowsMore(const CorpusEntry& entry) {
  if (entry.id == "x86-odd_names") {
    return "the program is not among the symbol files";
  }
  return "";
}

// Whether perf lacks a name here that there is: perf 7 forgets a thread's
// memory map when the thread exits, before it gets to the off-CPU times that
// are written at the end.
bool PerfForgot(const CorpusEntry& entry, const std::string& perf) {
  return perf == kUnknownName && entry.perf == "7.3" &&
         absl::StrContains(entry.id, "offcpu");
}

// Returns how many recordings were compared.
int CompareNames(const CorpusEntries& entries) {
  int recordings = 0;
  uint64_t all = 0, all_equal = 0;
  for (const CorpusEntry& entry : entries) {
    if (entry.symfs.empty() || entry.samples.empty()) continue;
    if (!absl::StartsWith(entry.id, "x86-") &&
        !absl::StartsWith(entry.id, "vm-")) {
      continue;
    }
    if (!WhyPerfKnowsMore(entry).empty()) continue;
    SCOPED_TRACE(entry.id);
    const Leaves ours = OurLeaves(entry);
    const auto perf = PerfLeaves(entry);
    if (perf.size() != ours.size()) {
      ADD_FAILURE() << "perf " << perf.size() << " ours " << ours.size();
      continue;
    }
    uint64_t compared = 0, equal = 0;
    std::map<std::string, int> differences;
    for (size_t i = 0; i < ours.size(); ++i) {
      if (!perf[i]) continue;
      ++compared;
      if (*perf[i] == ours[i] || PerfForgot(entry, *perf[i])) {
        ++equal;
      } else {
        ++differences["perf: " + *perf[i] + "  ours: " + ours[i]];
      }
    }
    EXPECT_GE(equal, compared * 99 / 100);
    if (equal < compared) {
      std::cout << entry.id << ": " << equal << " of " << compared << "\n";
      for (const auto& [what, n] : differences) {
        std::cout << "  " << n << " " << what << "\n";
      }
    }
    all += compared;
    all_equal += equal;
    ++recordings;
  }
  std::cout << all_equal << " of " << all << " leaves in " << recordings
            << " recordings\n";
  return recordings;
}

// Leaves in libraries and in the kernel have no names here.
TEST(CorpusNamesTest, LeafFunctionsAreThoseOfPerf) {
  EXPECT_GT(CompareNames(OwnRecordings()), 80);
}

TEST(CorpusNamesTest, LeafFunctionsInLibrariesAndKernelsAreThoseOfPerf) {
  if (FullCorpus().empty()) GTEST_SKIP() << NoCorpusMessage();
  EXPECT_GT(CompareNames(FullCorpus()), 80);
}

}  // namespace
}  // namespace perf2x
