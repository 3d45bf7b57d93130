// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "converter/emit/emitters.h"
#include "tests/emit/branch_profiles/branch_trace.h"

namespace perf2x {
namespace {

class AutofdoTest : public BranchTrace {
 protected:
  // main has 13 instructions of 4 bytes: two of line 1 at its start, then a
  // loop with two of `twice`, inlined at line 4. It calls leaf from line 3.
  void AddLoop() {
    AddBranches({{0x1120, 0x1108},
                 {0x1208, 0x1110},
                 {0x110c, 0x1200},
                 {0x1120, 0x1108},
                 {kLibrary, 0x1100}});
  }
};

TEST_F(AutofdoTest, LinesInlinedFunctionsCallsAndHeads) {
  ASSERT_TRUE(Begin(AutofdoEmitterInfo()).ok());
  AddLoop();
  ASSERT_TRUE(Finish().ok());
  // [0x1100, 0x1120] crosses the call at 0x110c, so it does not count.
  EXPECT_EQ(output(),
            "main:28:1\n"
            " 1: 0\n"
            " 3: 1 leaf:1\n"
            " 4.2: twice:8\n"
            "  1: 1\n"
            "leaf:12:1\n"
            " 1: 1\n");
}

// Reads the binary form as GCC 12 does, into text.
class GccProfile {
 public:
  explicit GccProfile(const std::string& bytes) : bytes_(bytes) {}

  std::string Text() {
    EXPECT_EQ(U32(), 0x67636461u);
    EXPECT_EQ(U32(), 2u);
    U32();
    for (uint32_t left = Section(0xaa000000); left > 0; --left) {
      const size_t size = U32();
      names_.push_back(bytes_.substr(at_, size - 1));
      EXPECT_EQ(bytes_.at(at_ + size - 1), '\0');
      at_ += size;
    }
    for (uint32_t left = Section(0xac000000); left > 0; --left) {
      const uint64_t head = U64();
      Function(absl::StrCat(":", head), "");
    }
    EXPECT_EQ(Section(0xae000000), 0u);
    EXPECT_EQ(at_, bytes_.size());
    return text_;
  }

 private:
  uint32_t U32() {
    uint32_t value = 0;
    for (int i = 0; i < 4; ++i) {
      value |= uint32_t{static_cast<uint8_t>(bytes_.at(at_++))} << (8 * i);
    }
    return value;
  }
  uint64_t U64() {
    const uint64_t low = U32();
    return low | uint64_t{U32()} << 32;
  }
  uint32_t Section(uint32_t tag) {
    EXPECT_EQ(U32(), tag);
    U32();
    return U32();
  }
  std::string Place() {
    const uint32_t place = U32();
    return absl::StrCat(place >> 16, ".", place & 0xffff);
  }
  void Function(const std::string& head, const std::string& indent) {
    absl::StrAppend(&text_, names_.at(U32()), head, "\n");
    const uint32_t lines = U32(), callees = U32();
    for (uint32_t i = 0; i < lines; ++i) {
      absl::StrAppend(&text_, indent, " ", Place(), ":");
      const uint32_t targets = U32();
      absl::StrAppend(&text_, " ", U64());
      for (uint32_t target = 0; target < targets; ++target) {
        U32();
        const uint64_t name = U64();
        absl::StrAppend(&text_, " ", names_.at(name), ":", U64());
      }
      text_ += "\n";
    }
    for (uint32_t i = 0; i < callees; ++i) {
      absl::StrAppend(&text_, indent, " ", Place(), ": ");
      Function("", indent + " ");
    }
  }

  const std::string bytes_;
  size_t at_ = 0;
  std::vector<std::string> names_;
  std::string text_;
};

TEST_F(AutofdoTest, GccHasPlainDiscriminatorsAndItsOwnNames) {
  ASSERT_TRUE(Begin(AutofdoEmitterInfo(), {{"autofdo-format", "gcc"}}).ok());
  AddLoop();
  ASSERT_TRUE(Finish().ok());
  EXPECT_EQ(GccProfile(output()).Text(),
            "leaf:1\n"
            " 1.0: 1\n"
            "main:1\n"
            " 1.0: 0\n"
            " 3.0: 1 leaf:1\n"
            " 4.4: twice\n"
            "  1.0: 1\n");
}

TEST_F(AutofdoTest, GccReadsAProfileWithoutFunctions) {
  app_code_ = nullptr;
  ASSERT_TRUE(Begin(AutofdoEmitterInfo(), {{"autofdo-format", "gcc"}}).ok());
  AddBranches({{0x1120, 0x1108}});
  ASSERT_TRUE(Finish().ok());
  EXPECT_EQ(GccProfile(output()).Text(), "");
  EXPECT_EQ(diagnostics_.entries().count(
                "the profile is empty: no sample or branch that counts is in a "
                "known function of /opt/app (a stripped file has none)"),
            1u);
}

TEST_F(AutofdoTest, ClangRefusesAProfileWithoutFunctions) {
  app_code_ = nullptr;
  ASSERT_TRUE(Begin(AutofdoEmitterInfo()).ok());
  AddBranches({{0x1120, 0x1108}});
  ASSERT_TRUE(Finish().ok());
  EXPECT_EQ(output(), "# no function with samples\n");
  EXPECT_EQ(diagnostics_.entries().count(
                "the profile is empty, and clang refuses empty ones: no "
                "function with samples has source lines"),
            1u);
}

TEST_F(AutofdoTest, UnknownFormsAreRefused) {
  EXPECT_FALSE(AutofdoEmitterInfo().check({{"autofdo-format", "yaml"}}).ok());
  EXPECT_FALSE(Begin(AutofdoEmitterInfo(), {{"autofdo-format", "yaml"}}).ok());
}

TEST_F(AutofdoTest, WithoutBranchesABlockRanAsOftenAsItsInstructions) {
  tables_.events[cycles_].kind = EventKind::kClock;
  ASSERT_TRUE(Begin(AutofdoEmitterInfo()).ok());
  AddIp(0x1100, 2);   // of 2 instructions
  AddIp(0x1108, 14);  // of 7
  AddIp(0x1114, 14);
  ASSERT_TRUE(Finish().ok());
  EXPECT_EQ(output(),
            "main:7680:64\n"
            " 1: 64\n"
            " 3: 256\n"
            " 4.2: twice:2048\n"
            "  1: 256\n");
}

TEST_F(AutofdoTest, WhatIsBeyondTheBudgetIsCounted) {
  Limit({{{1 << 20, 0}, {4, 0}, {1 << 20, 0}}});
  ASSERT_TRUE(Begin(AutofdoEmitterInfo()).ok());
  AddBranches({{0x1120, 0x1108}, {0x1208, 0x1110}, {0x110c, 0x1200}});
  ASSERT_TRUE(Finish().ok());
  EXPECT_GT(Skipped("range or branch beyond the limit on memory or work"), 0u);
}

TEST_F(AutofdoTest, CodeThatIsNotDecodedHasNoLines) {
  auto code = std::make_shared<TestCode>();
  code->decodes_ = false;
  app_code_ = code;
  ASSERT_TRUE(Begin(AutofdoEmitterInfo()).ok());
  AddBranches({{0x1120, 0x1108}});
  ASSERT_TRUE(Finish().ok());
  EXPECT_EQ(output(), "# no function with samples\n");
  EXPECT_EQ(diagnostics_.entries().count(
                "no sample profile was made: instructions of this machine are "
                "not decoded (x86 and AArch64 are)"),
            1u);
}

}  // namespace
}  // namespace perf2x
