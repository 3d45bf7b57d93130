// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/html/call_tree.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "converter/emit/html/stack_frames.h"

namespace perf2x {
namespace {

// Frames of which each has 1000 functions.
class CallTreeTest : public testing::Test, public Symbolizer {
 protected:
  static constexpr uint64_t kFunctions = 1000;

  CallTreeTest() : tables_(this) {
    Dso dso;
    dso.kind = DsoKind::kFile;
    dso.name = "app";
    tables_.AddDso(dso);
    tables_.AddMapping({});
  }
  void Resolve(const Dso&, absl::Span<const uint64_t> addresses,
               Found found) override {
    std::vector<std::string> names;
    for (uint64_t i = 0; i < kFunctions; ++i) {
      names.push_back("f" + std::to_string(i));
    }
    for (size_t at = 0; at < addresses.size(); ++at) {
      std::vector<Symbol> symbols;
      for (const std::string& name : names) {
        symbols.push_back({name, name, "", 0, 0});
      }
      found(at, symbols);
    }
  }
  // Returns a stack of `count` frames.
  std::vector<FrameId> Frames(uint64_t count) {
    FramePlaces places;
    for (uint64_t i = 0; i < count; ++i) {
      places.push_back({FrameTable::HashOf(0, i), i, 0, 0});
    }
    std::vector<FrameId> frames;
    tables_.InternFrames(places, &frames);
    return frames;
  }
  // Returns the number of frames that the budget left out.
  uint64_t AddTo(CallTree* tree, StackId stacks,
                 const std::vector<FrameId>& frames, Budget& budget) {
    StackFrames list(Budget::Unlimited());
    for (StackId id = 0; id < stacks; ++id) list.Add({id, frames});
    std::vector<CallTree::NodeId> node_of(stacks);
    uint64_t skipped = 0;
    tree->Add(&list, tables_, budget, &node_of, &skipped);
    return skipped;
  }

  TraceTables tables_;
};

TEST_F(CallTreeTest, NodesOfOneStackAreCharged) {
  const std::vector<FrameId> frames = Frames(100);
  CallTree all(false), some(false);
  EXPECT_EQ(AddTo(&all, 1, frames, Budget::Unlimited()), 0u);
  EXPECT_EQ(all.nodes().size(), 1 + 100 * kFunctions);
  Budget budget({{{2 << 20, 0}, {1 << 30, 0}, {1 << 30, 0}}});
  EXPECT_GT(AddTo(&some, 1, frames, budget), 30u);
  EXPECT_LT(some.nodes().size(), 70 * kFunctions);
  EXPECT_STREQ(budget.exhausted_name(), "memory");
}

// They need no memory, as their nodes are there.
TEST_F(CallTreeTest, StacksThatShareNodesAreWork) {
  const std::vector<FrameId> frames = Frames(10);
  CallTree tree(false);
  Budget budget({{{1 << 30, 0}, {1 << 20, 0}, {1 << 30, 0}}});
  EXPECT_GT(AddTo(&tree, 200, frames, budget), 100u * 10);
  EXPECT_EQ(tree.nodes().size(), 1 + 10 * kFunctions);
  EXPECT_STREQ(budget.exhausted_name(), "work");
}

}  // namespace
}  // namespace perf2x
