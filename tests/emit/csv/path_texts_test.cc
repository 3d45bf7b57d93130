// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/csv/path_texts.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/frame_places.h"

namespace perf2x {
namespace {

// Stacks of functions that each have one frame.
class PathTextsTest : public ::testing::Test,
                      public FrameSource,
                      public Symbolizer {
 protected:
  PathTextsTest() : tables_(this) {
    tables_.set_frame_source(this);
    Dso file;
    file.kind = DsoKind::kFile;
    file.name = "/opt/app";
    app_ = tables_.AddDso(file);
    mapping_ = tables_.AddMapping({app_, 0x1000, 0x9000, 0});
  }

  // Returns the text of the path of a stack with these functions, leaf first.
  std::string TextOf(const std::vector<std::string>& functions) {
    std::vector<FrameId>& frames = stacks_.emplace_back();
    for (const std::string& name : functions) {
      names_.push_back(name);
      frames.push_back(InternFrame(app_, mapping_, names_.size() - 1, tables_));
    }
    const std::string bytes = std::to_string(stacks_.size());
    const absl::Span<const uint8_t> chain(
        reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
    const StackId stack = tables_.stacks.Intern(StackTable::HashOf(0, chain), 0,
                                                chain, /*stable=*/false);
    return Written(numbers_.PathOf(stack).number);
  }
  std::string Written(uint32_t path) {
    const PathTexts::Text text = texts_.TextOf(path);
    std::string out(text.size + 1, '?');
    EXPECT_EQ(texts_.Write(text, out.data()), out.data() + text.size);
    EXPECT_EQ(out.back(), '?');
    out.pop_back();
    return out;
  }
  uint64_t cut() const {
    Diagnostics diagnostics;
    texts_.Report(&diagnostics);
    return diagnostics.entries().empty()
               ? 0
               : diagnostics.entries().begin()->second.count;
  }

  void AppendPlaces(StackId stack, FramePlaces* places) override {
    AppendPlacesOf(stacks_[stack], tables_, places);
  }
  void Resolve(const Dso&, absl::Span<const uint64_t> addresses,
               Found found) override {
    for (size_t i = 0; i < addresses.size(); ++i) {
      Symbol symbol;
      symbol.name = symbol.system_name = names_[addresses[i]];
      found(i, {&symbol, 1});
    }
  }

  TraceTables tables_;
  DsoId app_ = 0;
  MappingId mapping_ = 0;
  std::vector<std::string> names_;  // by address
  std::vector<std::vector<FrameId>> stacks_;
  Budget budget_;
  StackFunctions functions_{tables_, budget_, nullptr};
  PathNumbers numbers_{tables_, functions_, budget_,
                       /*equal_paths_share=*/false};
  PathTexts texts_{tables_, numbers_, budget_};
};

TEST_F(PathTextsTest, NamesAreFromTheRootToTheLeaf) {
  EXPECT_EQ(TextOf({"leaf", "caller", "main"}), "main;caller;leaf");
  EXPECT_EQ(TextOf({"main"}), "main");
  EXPECT_EQ(TextOf({"a;b", "x\ny"}), "x\\x0ay;a:b");
}

TEST_F(PathTextsTest, ANameMayRequireQuotesOrAnApostrophe) {
  EXPECT_EQ(TextOf({"f(int, char)", "main"}), "\"main;f(int, char)\"");
  EXPECT_EQ(TextOf({"operator\"\"_s", "main"}), "\"main;operator\"\"\"\"_s\"");
  EXPECT_EQ(TextOf({"f", "=cmd"}), "'=cmd;f");
  EXPECT_EQ(TextOf({"f(a, b)", "-x"}), "\"'-x;f(a, b)\"");
  EXPECT_EQ(TextOf({"-x", "main"}), "main;-x");
}

TEST_F(PathTextsTest, ManyPathsHaveTheirTexts) {
  std::vector<std::string> expected;
  for (int i = 0; i < 3000; ++i) {
    const std::string leaf = "f" + std::to_string(i);
    expected.push_back("main;" + leaf);
    ASSERT_EQ(TextOf({leaf, "main"}), expected.back());
  }
  for (uint32_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(Written(i), expected[i]);
  }
  EXPECT_GT(budget_.used(Budget::kMemory), 3000 * sizeof(PathTexts::Text));
}

TEST_F(PathTextsTest, TheInnermostNamesOfAVeryLongTextAreKept) {
  const std::string name(1 << 20, 'x');
  EXPECT_EQ(TextOf({name, name, name}), name + ";" + name + ";" + name);
  EXPECT_EQ(cut(), 0u);
  EXPECT_EQ(TextOf(std::vector<std::string>(10, name)),
            name + ";" + name + ";" + name);
  EXPECT_EQ(Written(1), name + ";" + name + ";" + name);
  EXPECT_EQ(cut(), 2u);
  const std::string leaf(5 << 20, 'y');
  EXPECT_EQ(TextOf({leaf, "main"}), leaf);
}

}  // namespace
}  // namespace perf2x
