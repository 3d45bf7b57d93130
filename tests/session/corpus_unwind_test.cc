// Stacks of the corpus' recordings with DWARF call graphs, against those that
// perf unwound. perf's unwinders disagree; docs/unwinding.md says which of them
// is taken for true where, and what the differences are.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "converter/convert.h"
#include "tests/support/corpus.h"
#include "tests/support/counting_emitter.h"

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

std::vector<Stack>* collected = nullptr;

class StackCollector final : public Emitter {
 public:
  explicit StackCollector(ProfileTables& tables) : tables_(tables) {}
  absl::Status Begin(const ProfileInfo&) override { return absl::OkStatus(); }
  absl::Status OnSample(const Sample& sample) override {
    std::vector<FrameId> frames;
    tables_.FramesOf(sample.stack, &frames);
    Stack stack;
    for (FrameId id : frames) {
      const Frame& frame = tables_.frames()[id];
      const CodeFile& file = tables_.files()[frame.file];
      if (file.kind == CodeKind::kKernel ||
          file.kind == CodeKind::kKernelModule ||
          file.kind == CodeKind::kMarker) {
        continue;
      }
      stack.push_back({file.name, frame.address & kPage});
    }
    collected->push_back(std::move(stack));
    return absl::OkStatus();
  }
  absl::Status Finish(const ProfileSummary&) override {
    return absl::OkStatus();
  }

 private:
  ProfileTables& tables_;
};

std::vector<Stack> Unwind(const CorpusEntry& entry) {
  std::vector<Stack> stacks;
  collected = &stacks;
  EmitterInfo info = CountingEmitterInfo();
  info.make = [](const EmitterContext& context)
      -> absl::StatusOr<std::unique_ptr<Emitter>> {
    return std::make_unique<StackCollector>(context.tables);
  };
  auto input = OpenInput(RecordingOf(entry));
  if (!input.ok()) return stacks;
  NoOutputs outputs;
  ConvertOptions options;
  options.symbolize = false;
  options.symbols.binaries.symfs = SymfsOf(entry);
  ConvertReport report;
  const absl::Status status =
      Convert(*std::move(input), info, outputs, options, &report);
  EXPECT_TRUE(status.ok()) << status;
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

struct Tally {
  int samples = 0;
  int equal = 0;    // to one truth
  int deeper = 0;   // one truth, and more callers behind it
  int shorter = 0;  // the beginning of a truth
  int other = 0;
};

Tally Compare(const std::vector<Stack>& ours,
              const std::vector<std::vector<Stack>>& truths) {
  Tally tally;
  for (size_t i = 0; i < ours.size(); ++i) {
    ++tally.samples;
    bool equal = false, deeper = false, shorter = false;
    for (const std::vector<Stack>& truth : truths) {
      equal |= ours[i] == truth[i];
      deeper |= StartsWith(ours[i], truth[i]);
      shorter |= StartsWith(truth[i], ours[i]);
    }
    ++(equal     ? tally.equal
       : deeper  ? tally.deeper
       : shorter ? tally.shorter
                 : tally.other);
  }
  return tally;
}

struct Case {
  const char* id;
  std::vector<std::string> truths;
  int deeper;  // stacks that go on where perf stopped
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.id; }

class CorpusUnwindTest : public testing::TestWithParam<Case> {};

TEST_P(CorpusUnwindTest, StacksAreThoseOfPerf) {
  if (CorpusRoot().empty()) GTEST_SKIP() << NoCorpusMessage();
  const Case& c = GetParam();
  const auto entry =
      std::find_if(Corpus().begin(), Corpus().end(),
                   [&](const CorpusEntry& e) { return e.id == c.id; });
  ASSERT_NE(entry, Corpus().end());
  const std::vector<Stack> ours = Unwind(*entry);
  std::vector<std::vector<Stack>> truths;
  for (const std::string& name : c.truths) {
    truths.push_back(Truth(*entry, name));
    ASSERT_EQ(truths.back().size(), ours.size()) << name;
  }
  const Tally tally = Compare(ours, truths);
  RecordProperty("equal", tally.equal);
  EXPECT_GT(tally.samples, 0);
  EXPECT_EQ(tally.other, 0);
  EXPECT_EQ(tally.shorter, 0);
  EXPECT_EQ(tally.deeper, c.deeper);
}

INSTANTIATE_TEST_SUITE_P(
    Dwarf, CorpusUnwindTest,
    testing::Values(
        Case{"aarch64-dwarf", {"native.script", "script-7.3"}, 0},
        // perf reads no .ARM.exidx, so it ends at the first library.
        Case{"armv7l-dwarf", {"native.script", "script-7.3"}, 106},
        // perf ends at entries of the procedure linkage table.
        Case{"s390x-dwarf", {"native.script", "script-7.3"}, 14},
        // perf ends in the [vdso], of which neither has the image.
        Case{"vm-lost_dwarf", {"script", "script-7.3"}, 3},
        // perf ends at main, which aligns its stack.
        Case{"x86-compat32_dwarf", {"script-7.3"}, 78},
        Case{"x86-dwarf_clang5", {"script", "script-7.3"}, 0},
        Case{"x86-dwarf_inl", {"script", "script-7.3"}, 0},
        Case{"x86-p7_dwarf_z", {"script"}, 0},
        Case{"x86-zstd_dwarf", {"script", "script-7.3"}, 0}),
    [](const testing::TestParamInfo<Case>& info) {
      std::string name = info.param.id;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

}  // namespace
}  // namespace perf2x
