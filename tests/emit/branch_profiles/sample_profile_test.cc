// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/branch_profiles/sample_profile.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "converter/base/output.h"

namespace perf2x {
namespace {

// Values from LLVM's encodeDiscriminator() of DebugInfoMetadata.cpp: 5 bits of
// a component after a 0, or 12 bits with a mark; an empty one is a 1.
TEST(DiscriminatorTest, HasABaseAndANumberOfCopies) {
  const auto decode = [](uint32_t encoded) {
    const Discriminator d = Discriminator::Decode(encoded);
    return std::make_pair(d.base, d.duplication);
  };
  EXPECT_EQ(decode(0), std::make_pair(0u, 1u));
  EXPECT_EQ(decode(2 << 1), std::make_pair(2u, 1u));
  EXPECT_EQ(decode(4 << 2 | 1), std::make_pair(0u, 4u));  // no base
  EXPECT_EQ(decode(3 << 1 | 8 << 8), std::make_pair(3u, 8u));
  // 33: low bits 1, the mark, high bits 1.
  EXPECT_EQ(decode((1 | 0x20 | 1 << 6) << 1), std::make_pair(33u, 1u));
  EXPECT_EQ(decode((1 | 0x20 | 1 << 6) << 1 | 4 << 15),
            std::make_pair(33u, 4u));
}

TEST(DiscriminatorTest, OfAProbeIsItsBaseOrElseItsNumber) {
  const auto base = [](uint32_t encoded) {
    return Discriminator::Decode(encoded).base;
  };
  EXPECT_EQ(base(15), 1u);
  EXPECT_EQ(base(0x1234 << 3 | 7), 0x1234u);
  EXPECT_EQ(base(1 << 28 | 5 << 16 | 9 << 3 | 7), 5u);
  EXPECT_EQ(base(1 << 28 | 9 << 3 | 7), 0u);
  EXPECT_EQ(base(~uint32_t{0}), 0u);  // of no probe
}

TEST(CanonicalNameTest, OmitsSuffixesOfCopies) {
  EXPECT_EQ(CanonicalName("f.llvm.123"), "f");
  EXPECT_EQ(CanonicalName("f.part.0"), "f");
  EXPECT_EQ(CanonicalName("f.part.0.llvm.9"), "f");
  EXPECT_EQ(CanonicalName("f.llvm.9.cold"), "f.llvm.9.cold");
  EXPECT_EQ(CanonicalName("f.__uniq.77"), "f.__uniq.77");
}

TEST(NameForGccTest, EndsBeforeTheFirstDot) {
  EXPECT_EQ(NameForGcc("f.part.0.cold"), "f");
  EXPECT_EQ(NameForGcc("f.__uniq.77"), "f");
  EXPECT_EQ(NameForGcc("f"), "f");
  EXPECT_EQ(NameForGcc(".f"), ".f");
}

class SampleProfileTest : public ::testing::Test {
 protected:
  std::string Text() {
    std::string text;
    EXPECT_TRUE(profile_.Write(*MakeStringOutput(&text)).ok());
    return text;
  }
  SampleProfile profile_{Budget::Unlimited()};
};

TEST_F(SampleProfileTest, ALineHasItsLargestCountTimesItsCopies) {
  const std::vector<CodeLine> once = {{"f", 3, 0}};
  const std::vector<CodeLine> unrolled = {{"f", 4, 4 << 8}};
  profile_.AddInstruction(once, 10, 4);
  profile_.AddInstruction(once, 7, 2);
  profile_.AddInstruction(unrolled, 5, 1);
  EXPECT_EQ(Text(), "f:59:0\n 3: 10\n 4: 20\n");
}

TEST_F(SampleProfileTest, CallsAreOrderedByCountThenName) {
  const std::vector<CodeLine> call = {{"f", 3, 0}};
  profile_.AddCall(call, "b", 2);
  profile_.AddCall(call, "c", 9);
  profile_.AddCall(call, "a", 2);
  profile_.AddHead("f", 5);
  EXPECT_EQ(Text(), "f:0:5\n 3: 13 c:9 a:2 b:2\n");
}

TEST_F(SampleProfileTest, FunctionsWithMostSamplesComeFirst) {
  profile_.AddInstruction({{"a", 1, 0}}, 1, 1);
  profile_.AddInstruction({{"b", 1, 0}}, 5, 1);
  profile_.AddInstruction({{"__cxx_global_var_init.1", 1, 0}}, 9, 1);
  profile_.AddInstruction({{"od\nd", 1, 0}}, 1, 1);
  EXPECT_EQ(Text(), "b:5:0\n 1: 5\na:1:0\n 1: 1\nod?d:1:0\n 1: 1\n");
}

TEST_F(SampleProfileTest, AKnownCallIsNoNewPart) {
  Budget budget({{{1, 0}, {1, 0}, {1, 0}}});
  budget.AddInput(1);
  budget.ReleaseReserve();
  SampleProfile profile(budget);
  const std::vector<CodeLine> call = {{"f", 3, 0}};
  profile.AddCall(call, "a", 2);
  budget.Spend(Budget::kMemory, 2);
  ASSERT_TRUE(budget.exhausted());
  profile.AddCall(call, "a", 3);
  profile.AddCall(call, "b", 7);
  std::string text;
  ASSERT_TRUE(profile.Write(*MakeStringOutput(&text)).ok());
  EXPECT_EQ(text, "f:0:0\n 3: 5 a:5\n");
}

// Counts what is written through it, as the outputs of a conversion do.
class CountedOutput final : public Output {
 public:
  explicit CountedOutput(Budget& budget) : budget_(budget) {}
  absl::Status Write(absl::string_view data) override {
    budget_.Spend(Budget::kOutput, data.size());
    return absl::OkStatus();
  }
  absl::Status Close() override { return absl::OkStatus(); }

 private:
  Budget& budget_;
};

TEST_F(SampleProfileTest, StopsWhenTheOutputIsUsedUp) {
  constexpr uint64_t kLimit = 4 << 20;
  constexpr uint32_t kCalls = 100;
  Budget budget({{{uint64_t{1} << 30, 0}, {1 << 20, 0}, {kLimit, 0}}});
  budget.AddInput(1);
  budget.ReleaseReserve();
  SampleProfile profile(budget);
  const std::string name(1 << 20, 'n');
  for (uint32_t i = 0; i < kCalls; ++i) {
    profile.AddCall({{"f", i, 0}}, name, 1);
    profile.AddInstruction({{"f", i, 0}, {name, 1, 0}}, 1, 1);
  }
  CountedOutput output(budget);
  ASSERT_TRUE(profile.Write(output).ok());
  EXPECT_EQ(profile.skipped(), 0u);
  EXPECT_GE(budget.used(Budget::kOutput), kLimit);
  EXPECT_LT(budget.used(Budget::kOutput), 2 * kLimit);
  EXPECT_GT(profile.unwritten(), kCalls);
}

// A name may be as long as all lines that have it.
TEST_F(SampleProfileTest, ALongNameIsWorkOnce) {
  Budget budget;
  SampleProfile profile(budget);
  const std::string name = std::string(1 << 20, 'n') + ".llvm.7";
  for (uint32_t i = 0; i < 100; ++i) {
    profile.AddInstruction({{"f", i, 0}, {name, 1, 0}}, 1, 1);
    profile.AddCall({{"f", i, 0}}, name, 1);
    profile.AddHead(name, 1);
  }
  EXPECT_EQ(budget.used(Budget::kWork), name.size() / 2);
}

TEST_F(SampleProfileTest, ANameAtTwoPlacesIsOne) {
  const std::string one = "f.part.0", other = "f";
  profile_.AddHead(one, 1);
  profile_.AddHead(other, 2);
  profile_.AddHead("e", 2);
  EXPECT_EQ(Text(), "e:0:2\nf:0:3\n");
}

TEST_F(SampleProfileTest, LinesBeyondTheBudgetAreCounted) {
  Budget budget({{{1, 0}, {1, 0}, {1, 0}}});
  budget.AddInput(1);
  budget.ReleaseReserve();
  budget.Spend(Budget::kMemory, 2);
  SampleProfile profile(budget);
  profile.AddInstruction({{"a", 1, 0}}, 1, 1);
  EXPECT_EQ(profile.skipped(), 1u);
}

}  // namespace
}  // namespace perf2x
