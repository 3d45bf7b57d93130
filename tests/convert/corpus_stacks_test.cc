// SPDX-License-Identifier: Apache-2.0

// All frames of all stacks of the corpus' recordings with symbol files, against
// what perf script prints. docs/symbols.md has the classes of difference.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "converter/convert/convert.h"
#include "tests/support/corpus.h"
#include "tests/support/perf_script.h"
#include "tests/support/read_recording.h"

namespace perf2x {
namespace {

struct OurFrame {
  uint64_t address = 0;  // for looking up
  std::string name;
};
using OurStack = std::vector<OurFrame>;

std::vector<OurStack> OurStacks(const CorpusEntry& entry) {
  ConvertOptions options = OptionsFor(entry);
  // perf 7 prints parameters, perf 6 does not.
  if (entry.perf == "7.3") options.symbols.demangle = Demangle::kFull;
  std::vector<OurStack> stacks;
  std::vector<FrameId> frames;
  RecordingReader reader;
  reader.on_sample = [&](const Sample& sample, TraceTables& tables) {
    tables.FramesOf(sample.stack, &frames);
    OurStack& stack = stacks.emplace_back();
    for (const FrameId id : frames) {
      const Line line = tables.Lines(id).back();
      const Function& function = tables.functions()[line.function];
      stack.push_back({tables.frames()[id].address,
                       function.placeholder
                           ? kUnknownName
                           : std::string(tables.strings[function.name])});
    }
  };
  const absl::Status status =
      ReadRecording(RecordingOf(entry), options, reader);
  EXPECT_TRUE(status.ok()) << status;
  return stacks;
}

// Frames by class.
using FrameTally = std::map<std::string, uint64_t>;

// The class of a frame that both have, under different names. perf 6.1 prints
// offsets in files and run-time addresses of the kernel, as frames have them.
std::string ClassOf(const OurFrame& ours, const ScriptFrame& perf, bool leaf) {
  if (absl::EndsWith(ours.name, "@plt")) return "linkage table";
  // The function behind the call's: perf looks up the return address itself.
  const uint64_t page_offset = (ours.address + 1) & 0xfff;
  if (!leaf && page_offset == (perf.address & 0xfff) &&
      (perf.at_start || perf.name == kUnknownName)) {
    return "call at a function's end";
  }
  return "other";
}

// Compares frame by frame; where lengths differ, what lies between the longest
// runs from both ends that are equal is compared in order.
void CompareFrames(const OurStack& ours, const ScriptStack& perf,
                   FrameTally* tally, FrameTally* others) {
  if (perf.empty()) {
    (*tally)["perf prints no frame"] += ours.size();
    return;
  }
  const size_t shorter = std::min(ours.size(), perf.size());
  size_t from_leaf = 0;
  while (from_leaf < shorter && ours[from_leaf].name == perf[from_leaf].name) {
    ++from_leaf;
  }
  size_t from_end = 0;
  if (ours.size() != perf.size()) {
    while (from_end < shorter - from_leaf &&
           ours[ours.size() - 1 - from_end].name ==
               perf[perf.size() - 1 - from_end].name) {
      ++from_end;
    }
    (*tally)["equal"] += from_end;
  }
  (*tally)["equal"] += from_leaf;
  size_t i = from_leaf, j = from_leaf;
  for (; i < ours.size() - from_end && j < perf.size() - from_end; ++i, ++j) {
    if (ours[i].name == perf[j].name) {
      ++(*tally)["equal"];
      continue;
    }
    const std::string what = ClassOf(ours[i], perf[j], j == 0);
    ++(*tally)[what];
    if (what == "other") {
      ++(*others)[absl::StrCat("perf ", perf[j].name, " ours ", ours[i].name)];
    }
  }
  if (i < ours.size() - from_end) {
    (*tally)["only ours"] += ours.size() - from_end - i;
  }
  if (j < perf.size() - from_end) {
    // Whether a leaf has saved its caller is in its call frame information.
    if (j == 1 && perf[0].name == kUnknownName) {
      (*tally)["caller of a leaf without a file"] += perf.size() - from_end - j;
      return;
    }
    (*tally)["only perf's"] += perf.size() - from_end - j;
    ++(*others)[absl::StrCat("only perf's: ", perf[j].name, " behind ",
                             j > 0 ? perf[j - 1].name : "")];
  }
}

// Which output of perf has all that the files can give: perf on x86 cannot
// unwind for other machines.
std::string TruthNameFor(const CorpusEntry& entry) {
  const bool x86 =
      absl::StartsWith(entry.id, "x86-") || absl::StartsWith(entry.id, "vm-");
  return x86 ? "script" : "native.script";
}

// Why a recording cannot be compared so; empty: it can.
std::string WhyNot(const CorpusEntry& entry) {
  if (absl::StrContains(entry.id, "dwarf")) {
    return "perf's unwinders disagree: corpus_unwind_test.cc compares";
  }
  if (entry.id == "x86-odd_names") {
    return "the program is not among the symbol files";
  }
  if (entry.id == "x86-node_jitdump") {
    return "names are in files that perf inject made";
  }
  return "";
}

// What was compared.
struct Compared {
  int recordings = 0;
  uint64_t named = 0;  // frames that perf has a name for
};

Compared CompareAll(const CorpusEntries& entries) {
  Compared compared;
  FrameTally tally, others;
  for (const CorpusEntry& entry : entries) {
    if (entry.symfs.empty() || entry.samples.empty()) continue;
    if (!WhyNot(entry).empty()) continue;
    auto perf = ParsePerfScript(TruthOf(entry, TruthNameFor(entry)));
    const std::vector<OurStack> ours = OurStacks(entry);
    for (ScriptStack& stack : perf) {
      for (ScriptFrame& frame : stack) {
        if (!HasSymbolsOf(entry, frame.dso)) frame.name = kUnknownName;
        compared.named += frame.name != kUnknownName;
      }
    }
    // Of a damaged one perf reads less; counters have no stacks.
    if (perf.size() != ours.size()) continue;
    SCOPED_TRACE(entry.id);
    FrameTally here, others_here;
    for (size_t i = 0; i < ours.size(); ++i) {
      CompareFrames(ours[i], perf[i], &here, &others_here);
    }
    for (const auto& [what, count] : here) {
      tally[what] += count;
      if (what != "equal" && what != "perf prints no frame") {
        std::printf("%s: %zu %s\n", entry.id.c_str(),
                    static_cast<size_t>(count), what.c_str());
      }
    }
    for (const auto& [what, count] : others_here) {
      std::printf("%s:   %zu %s\n", entry.id.c_str(),
                  static_cast<size_t>(count), what.c_str());
      others[what] += count;
    }
    ++compared.recordings;
  }
  uint64_t frames = 0;
  for (const auto& [what, count] : tally) {
    std::printf("all %d recordings: %zu %s\n", compared.recordings,
                static_cast<size_t>(count), what.c_str());
    if (what != "perf prints no frame" && what != "only ours") frames += count;
  }
  const uint64_t unexplained = tally["other"] + tally["only perf's"];
  EXPECT_LE(unexplained * 1000, frames);
  return compared;
}

// Frames in libraries and in the kernel have no names here.
TEST(CorpusStacksTest, FramesAreThoseOfPerf) {
  const Compared compared = CompareAll(OwnRecordings());
  EXPECT_GT(compared.recordings, 150);
  EXPECT_GT(compared.named, 100000u);
}

TEST(CorpusStacksTest, FramesInLibrariesAndKernelsAreThoseOfPerf) {
  if (FullCorpus().empty()) GTEST_SKIP() << NoCorpusMessage();
  const Compared compared = CompareAll(FullCorpus());
  EXPECT_GT(compared.recordings, 150);
}

}  // namespace
}  // namespace perf2x
