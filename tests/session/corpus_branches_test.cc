// Branches of real recordings, against what `perf script -F brstack` lists.

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>

#include "tests/session/unwound_stacks.h"

namespace perf2x {
namespace {

struct Sums {
  uint64_t branches = 0, mispredicted = 0, cycles = 0;
  friend bool operator==(const Sums&, const Sums&) = default;
};

void PrintTo(const Sums& s, std::ostream* out) {
  *out << s.branches << " branches, " << s.mispredicted << " mispredicted, "
       << s.cycles << " cycles";
}

Sums* counted = nullptr;

class BranchCounter final : public Emitter {
 public:
  explicit BranchCounter(ProfileTables& tables) : tables_(tables) {}
  EmitterNeeds needs() const override { return {.branches = true}; }
  absl::Status Begin(const ProfileInfo&) override { return absl::OkStatus(); }
  absl::Status OnSample(const Sample& sample) override {
    for (const Branch& branch : sample.branches) {
      ++counted->branches;
      counted->mispredicted += branch.mispredicted;
      counted->cycles += branch.cycles;
      std::vector<FrameId> frames;
      tables_.FramesOf(branch.stack, &frames);
      EXPECT_EQ(frames.size(), 2);
    }
    return absl::OkStatus();
  }
  absl::Status Finish(const ProfileSummary&) override {
    return absl::OkStatus();
  }

 private:
  ProfileTables& tables_;
};

TEST(CorpusBranchesTest, AreThoseThatPerfLists) {
  if (CorpusRoot().empty()) GTEST_SKIP() << NoCorpusMessage();
  const std::pair<const char*, Sums> kRecordings[] = {
      {"autofdo-test.lbr", {147712, 9319, 0}},
      {"quipper_hist-perf.data.branch", {14704, 899, 0}},
      {"quipper-perf.data.branch-4.14", {387, 21, 50938}},
  };
  for (const auto& [id, expected] : kRecordings) {
    const CorpusEntry* entry = RecordingNamed(id);
    ASSERT_NE(entry, nullptr) << id;
    Sums sums;
    counted = &sums;
    EmitterInfo info = CountingEmitterInfo();
    info.make = [](const EmitterContext& context)
        -> absl::StatusOr<std::unique_ptr<Emitter>> {
      return std::make_unique<BranchCounter>(context.tables);
    };
    auto input = OpenInput(RecordingOf(*entry));
    ASSERT_TRUE(input.ok()) << id;
    NoOutputs outputs;
    ConvertOptions options;
    options.symbolize = false;
    ConvertReport report;
    ASSERT_TRUE(
        Convert(*std::move(input), info, outputs, options, &report).ok());
    EXPECT_EQ(sums, expected) << id;
  }
}

}  // namespace
}  // namespace perf2x
