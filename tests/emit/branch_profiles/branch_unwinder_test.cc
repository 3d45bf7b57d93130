// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/branch_profiles/branch_unwinder.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace perf2x {
namespace {

// A megabyte of instructions of one byte, without functions and lines.
class NopCode final : public CodeImage {
 public:
  static constexpr uint64_t kStart = 0x1000, kEnd = kStart + (1 << 20);

  std::optional<uint64_t> AddressOf(uint64_t frame_address) const override {
    return frame_address;
  }
  uint64_t code_start() const override { return kStart; }
  bool is_position_independent() const override { return true; }
  std::optional<Function> FunctionAt(uint64_t) const override {
    return std::nullopt;
  }
  bool can_decode() const override { return true; }
  uint32_t InstructionSize(uint64_t address) override {
    return address >= kStart && address < kEnd ? 1 : 0;
  }
  std::optional<uint64_t> NextInstruction(uint64_t address,
                                          uint64_t end) override {
    ++asked_;
    return address < end ? std::optional(address) : std::nullopt;
  }
  std::optional<uint64_t> PreviousInstruction(uint64_t address) override {
    return address - 1;
  }
  Transfer TransferAt(uint64_t) override { return Transfer::kNone; }
  bool RunsThrough(uint64_t, uint64_t) override { return true; }
  Block BlockAt(uint64_t) override { return {}; }
  void AppendLines(uint64_t, std::vector<CodeLine>*) override {}
  void AppendRanges(uint64_t, std::vector<Range>*) override {}

  uint64_t asked_ = 0;
};

// Each of a thousand runs in one sample has a million instructions.
TEST(BranchUnwinderTest, LongRunsAreWork) {
  constexpr uint64_t kWork = 1 << 20;
  Budget budget({{{1 << 20, 0}, {kWork, 0}, {1 << 20, 0}}});
  NopCode code;
  BranchUnwinder unwinder(code, budget);
  std::vector<BranchUnwinder::Jump> jumps;
  for (uint64_t i = 0; i < 1000; ++i) {
    jumps.push_back({NopCode::kEnd - 1, NopCode::kStart + i});
  }
  const uint64_t sample[] = {NopCode::kStart + 5000};
  unwinder.Add(sample, jumps, 3);
  unwinder.Add(sample, jumps, 4);
  EXPECT_EQ(unwinder.dropped().budget, 7u);
  EXPECT_LT(code.asked_, kWork);
  EXPECT_STRNE(budget.exhausted_name(), "");
}

// Runs that are known are cut no more, but each part is counted.
TEST(BranchUnwinderTest, PartsOfKnownRunsAreWork) {
  Budget budget;
  NopCode code;
  BranchUnwinder unwinder(code, budget);
  const std::vector<BranchUnwinder::Jump> jumps(
      3, {NopCode::kStart + 20'000, NopCode::kStart});
  const uint64_t sample[] = {NopCode::kStart + 5000};
  unwinder.Add(sample, jumps, 1);
  const uint64_t asked = code.asked_, before = budget.used(Budget::kWork);
  for (int i = 0; i < 10; ++i) unwinder.Add(sample, jumps, 1);
  EXPECT_EQ(unwinder.dropped().budget, 0u);
  EXPECT_LT(code.asked_, asked + 100);
  EXPECT_GE(budget.used(Budget::kWork), before + 10 * 2 * 20'000);
}

}  // namespace
}  // namespace perf2x
