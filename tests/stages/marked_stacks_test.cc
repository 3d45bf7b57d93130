// SPDX-License-Identifier: Apache-2.0
#include "converter/stages/marked_stacks.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "converter/base/byte_order.h"

namespace perf2x {
namespace {

// Every word of a callchain is an address in one DSO.
class MarkedStacksTest : public testing::Test, public FrameSource {
 protected:
  MarkedStacksTest() {
    tables_.set_frame_source(this);
    Dso dso;
    dso.name = "app";
    tables_.AddDso(dso);
    tables_.AddMapping({});
  }
  void AppendPlaces(StackId stack, FramePlaces* places) override {
    std::vector<uint64_t> room;
    AppendPlacesOfChain(0, tables_.stacks.callchain(stack, &room), places);
  }
  void AppendPlacesOfChain(AddressSpaceId, absl::Span<const uint8_t> chain,
                           FramePlaces* places) override {
    for (size_t at = 0; at + 8 <= chain.size(); at += 8) {
      const uint64_t address = Load<uint64_t>(&chain[at], kHostOrder);
      places->push_back({FrameTable::HashOf(0, address), address, 0, 0});
    }
  }
  StackId Stack(const std::vector<uint64_t>& words) {
    const absl::Span<const uint8_t> bytes(
        reinterpret_cast<const uint8_t*>(words.data()), words.size() * 8);
    return tables_.stacks.Intern(StackTable::HashOf(3, bytes), 3, bytes, false);
  }
  // The names of DSOs and the addresses in the stack's frames.
  std::string Frames(StackId stack) {
    std::vector<FrameId> frames;
    tables_.FramesOf(stack, &frames);
    std::string out;
    for (const FrameId id : frames) {
      const Frame& frame = tables_.frames()[id];
      out += tables_.dsos()[frame.dso].name;
      if (frame.dso == 0) out += std::to_string(frame.address);
      out += ";";
    }
    return out;
  }

  TraceTables tables_;
  Budget budget_;
};

TEST_F(MarkedStacksTest, MarksAreTheInnermostFrames) {
  const StackId plain = Stack({11, 12});
  MarkedStacks marked(tables_, budget_);
  const auto marks = marked.InternMarks({"[sleeping]", "[last sample]"});
  const StackId stack = marked.WithMarks(marks, plain);
  EXPECT_EQ(Frames(stack), "[sleeping];[last sample];app11;app12;");
  EXPECT_EQ(Frames(plain), "app11;app12;");
  EXPECT_EQ(tables_.stacks.address_space(stack), 3u);
  EXPECT_EQ(marked.WithMarks(marks, plain), stack);
  EXPECT_EQ(marked.InternMarks({"[sleeping]", "[last sample]"}), marks);
}

TEST_F(MarkedStacksTest, AMarkMayStandAlone) {
  MarkedStacks marked(tables_, budget_);
  EXPECT_EQ(Frames(marked.WithMarks(marked.InternMarks({"[disk]"}), kNoId)),
            "[disk];");
}

TEST_F(MarkedStacksTest, ARecordedStackMayHaveTheSameWords) {
  MarkedStacks marked(tables_, budget_);
  const StackId stack =
      marked.WithMarks(marked.InternMarks({"[disk]"}), Stack({11}));
  EXPECT_EQ(Stack({1, 0, 11}), stack);
  const StackId hostile = Stack({7, 99, 11});  // no mark is called so
  EXPECT_EQ(Frames(hostile), "app7;app99;app11;");
}

TEST_F(MarkedStacksTest, CopiesOfStacksAreWork) {
  MarkedStacks marked(tables_, budget_);
  const StackId plain = Stack(std::vector<uint64_t>(100, 11));
  const auto sleeping = marked.InternMarks({"[sleeping]"});
  const StackId before = marked.WithMarks(sleeping, plain);
  EXPECT_GE(budget_.used(Budget::kWork), 100u);
  budget_.Spend(Budget::kWork, uint64_t{1} << 40);
  EXPECT_EQ(marked.WithMarks(sleeping, plain), before);
  const auto disk = marked.InternMarks({"[disk]"});
  EXPECT_EQ(Frames(marked.WithMarks(disk, plain)), "[disk];");
  Diagnostics diagnostics;
  marked.ReportSkipped(&diagnostics);
  ASSERT_EQ(diagnostics.entries().size(), 1u);
  EXPECT_EQ(diagnostics.entries().begin()->second.count, 1u);
  EXPECT_NE(diagnostics.entries().begin()->first.find("the work that"),
            std::string::npos);
}

// A few threads that wake each other make many lists.
TEST_F(MarkedStacksTest, ListsOfMarksAreMemory) {
  MarkedStacks marked(tables_, budget_);
  const auto text = [](int i) { return "[" + std::to_string(i) + "]"; };
  for (int i = 0; i < 10; ++i) marked.InternMarks({text(i)});
  const uint64_t before = marked.memory();
  for (int i = 0; i < 1000; ++i) {
    marked.InternMarks({text(i % 10), text(i / 10 % 10), text(i / 100)});
  }
  EXPECT_GE(marked.memory(), before + 100'000);
}

TEST_F(MarkedStacksTest, TheFormerSourceIsRestored) {
  { MarkedStacks marked(tables_, budget_); }
  EXPECT_EQ(tables_.frame_source(), this);
}

}  // namespace
}  // namespace perf2x
