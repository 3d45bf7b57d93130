// SPDX-License-Identifier: Apache-2.0

// Stacks of the corpus' recordings with DWARF call graphs, against those that
// perf unwound. perf's unwinders disagree; docs/unwinding.md says which of them
// is taken for true where, and what the differences are.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tests/convert/unwound_stacks.h"

namespace perf2x {
namespace {

// A frame in user space. perf 6.1 prints offsets in files and perf 7.3 run-time
// addresses: what they have in common is the place in the page.
struct Place {
  std::string file;
  uint64_t in_page = 0;
  friend bool operator==(const Place&, const Place&) = default;
};
using Stack = std::vector<Place>;  // leaf first

constexpr uint64_t kPage = 0xfff;

std::vector<Stack> Unwind(const CorpusEntry& entry) {
  std::vector<Stack> stacks;
  for (const UserStack& frames : UnwindRecording(entry)) {
    Stack& stack = stacks.emplace_back();
    for (const UserFrame& frame : frames) {
      stack.push_back({frame.file, frame.address & kPage});
    }
  }
  return stacks;
}

// "\t    1c1b demo::shape_phase+0x13b (/opt/demo/bin/inl)"; false for the
// kernel's.
bool ParsePlace(absl::string_view line, Place* place) {
  const size_t open = line.rfind('(');
  if (open == absl::string_view::npos || line.back() != ')') return false;
  place->file = std::string(line.substr(open + 1, line.size() - open - 2));
  const std::vector<absl::string_view> words =
      absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty());
  uint64_t address = 0;
  if (!absl::SimpleHexAtoi(words[0], &address)) return false;
  place->in_page = address & kPage;
  return !absl::StrContains(place->file, "[kernel") &&
         !absl::EndsWith(place->file, ".ko");
}

std::vector<Stack> Truth(const CorpusEntry& entry, const std::string& name) {
  std::vector<Stack> stacks;
  bool ended = false;
  for (absl::string_view line :
       absl::StrSplit(TruthOf(entry, name), '\n', absl::SkipEmpty())) {
    Place place;
    if (line[0] != '\t') {
      // A sample begins with "comm pid time: … event:"; all else is chatter.
      if (absl::EndsWith(line, ": ")) {
        stacks.emplace_back();
        ended = false;
      }
    } else if (!stacks.empty() && ParsePlace(line, &place)) {
      // No code, so no frame, nor what follows: perf 7.3 reads the stacks of
      // 32-bit tasks as words of 64 bits.
      ended |= place.file == "[unknown]";
      if (!ended) stacks.back().push_back(place);
    }
  }
  return stacks;
}

bool StartsWith(const Stack& stack, const Stack& start) {
  return stack.size() >= start.size() &&
         std::equal(start.begin(), start.end(), stack.begin());
}

// Counts of stacks by how they compare with perf's.
using StackTally = std::map<std::string, int>;

std::string FileNameOf(const Place& place) {
  return place.file.substr(place.file.rfind('/') + 1);
}

// "equal" to a truth; else "shorter" than one; else "on from FILE", in which
// the longest truth ends that ours begins with.
std::string CompareStacks(const Stack& ours,
                          const std::vector<const Stack*>& truths) {
  const Stack* longest = nullptr;
  bool equal = false, shorter = false;
  for (const Stack* truth : truths) {
    equal |= ours == *truth;
    shorter |= truth->size() > ours.size() && StartsWith(*truth, ours);
    if (StartsWith(ours, *truth) &&
        (longest == nullptr || truth->size() > longest->size())) {
      longest = truth;
    }
  }
  if (equal) return "equal";
  if (shorter) return absl::StrCat("shorter, in ", FileNameOf(ours.back()));
  if (longest == nullptr) return "other";
  if (longest->empty()) return "on from nothing";
  return absl::StrCat("on from ", FileNameOf(longest->back()));
}

struct UnwindCase {
  const char* id;
  std::vector<std::string> truths;
  StackTally tally;
};

void PrintTo(const UnwindCase& c, std::ostream* out) { *out << c.id; }

class CorpusUnwindTest : public testing::TestWithParam<UnwindCase> {};

std::vector<std::vector<Stack>> TruthsOf(const UnwindCase& c,
                                         const CorpusEntry& entry) {
  std::vector<std::vector<Stack>> truths;
  for (const std::string& name : c.truths) {
    truths.push_back(Truth(entry, name));
  }
  return truths;
}

TEST_P(CorpusUnwindTest, StacksAreThoseOfPerf) {
  if (FullCorpus().empty()) GTEST_SKIP() << NoCorpusMessage();
  const UnwindCase& c = GetParam();
  const CorpusEntry* entry = FindRecording(FullCorpus(), c.id);
  ASSERT_NE(entry, nullptr);
  const std::vector<Stack> ours = Unwind(*entry);
  const std::vector<std::vector<Stack>> truths = TruthsOf(c, *entry);
  StackTally tally;
  for (size_t i = 0; i < ours.size(); ++i) {
    std::vector<const Stack*> those;
    for (const std::vector<Stack>& truth : truths) {
      ASSERT_EQ(truth.size(), ours.size());
      those.push_back(&truth[i]);
    }
    ++tally[CompareStacks(ours[i], those)];
  }
  for (const auto& [what, count] : tally) {
    std::printf("%s: %d of %zu %s\n", c.id, count, ours.size(), what.c_str());
  }
  EXPECT_EQ(tally, c.tally);
}

// The stack from the leaf to its first frame in a file that the corpus lacks,
// from which call frame information does not lead on.
Stack UpToLibraries(const CorpusEntry& entry, const Stack& stack) {
  Stack start;
  for (const Place& place : stack) {
    start.push_back(place);
    if (!HasSymbolsOf(entry, place.file)) break;
  }
  return start;
}

TEST_P(CorpusUnwindTest, StacksAreThoseOfPerfUpToLibraries) {
  const UnwindCase& c = GetParam();
  const CorpusEntry* entry = FindRecording(OwnRecordings(), c.id);
  ASSERT_NE(entry, nullptr);
  const std::vector<Stack> ours = Unwind(*entry);
  const std::vector<std::vector<Stack>> truths = TruthsOf(c, *entry);
  size_t same = 0, callers = 0;
  for (size_t i = 0; i < ours.size(); ++i) {
    size_t longest = 0;
    for (const std::vector<Stack>& truth : truths) {
      ASSERT_EQ(truth.size(), ours.size());
      const Stack start = UpToLibraries(*entry, truth[i]);
      if (StartsWith(ours[i], start)) longest = std::max(longest, start.size());
    }
    same += longest > 0 || ours[i].empty();
    callers += longest > 1 ? longest - 1 : 0;
  }
  std::printf("%s: %zu of %zu stacks, %zu callers\n", c.id, same, ours.size(),
              callers);
  EXPECT_EQ(same, ours.size());
  // The 32-bit program has a C library linked into it: testdata/corpus lacks
  // it.
  if (c.id != std::string("x86-compat32_dwarf")) {
    EXPECT_GT(callers, ours.size() / 10);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Dwarf, CorpusUnwindTest,
    testing::Values(
        UnwindCase{
            "aarch64-dwarf", {"native.script", "script-7.3"}, {{"equal", 262}}},
        // perf reads no .ARM.exidx and ends at code that has nothing else: the
        // libraries, and procedure linkage tables.
        UnwindCase{"armv7l-dwarf",
                   {"native.script", "script-7.3"},
                   {{"equal", 92},
                    {"on from inl", 23},
                    {"on from ld-linux-armhf.so.3", 3},
                    {"on from libc.so.6", 105},
                    {"on from libm.so.6", 17},
                    {"on from libstdc++.so.6.0.30", 12}}},
        // perf ends at entries of the procedure linkage table.
        UnwindCase{"s390x-dwarf",
                   {"native.script", "script-7.3"},
                   {{"equal", 247},
                    {"on from inl", 7},
                    {"on from libstdc++.so.6.0.30", 2}}},
        // perf ends in the [vdso], of which neither has the image.
        UnwindCase{"vm-lost_dwarf",
                   {"script", "script-7.3"},
                   {{"equal", 1426}, {"on from [vdso]", 3}}},
        // perf ends at main, which aligns its stack.
        UnwindCase{"x86-compat32_dwarf",
                   {"script-7.3"},
                   {{"equal", 1}, {"on from inl", 78}}},
        UnwindCase{
            "x86-dwarf_clang5", {"script", "script-7.3"}, {{"equal", 160}}},
        UnwindCase{"x86-dwarf_inl", {"script", "script-7.3"}, {{"equal", 200}}},
        UnwindCase{"x86-p7_dwarf_z", {"script"}, {{"equal", 180}}},
        UnwindCase{
            "x86-zstd_dwarf", {"script", "script-7.3"}, {{"equal", 500}}}),
    [](const testing::TestParamInfo<UnwindCase>& test) {
      std::string name = test.param.id;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

}  // namespace
}  // namespace perf2x
