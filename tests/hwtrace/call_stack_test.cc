// SPDX-License-Identifier: Apache-2.0
#include "converter/hwtrace/call_stack.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace perf2x {
namespace {

constexpr uint64_t kKernel = 0xffffffff81000000;

PtStep Branch(PtStep::Branch branch, uint64_t ip, bool is_far = false) {
  PtStep step;
  step.kind = PtStep::Kind::kInstruction;
  step.branch = branch;
  step.ip = ip;
  step.size = 5;
  step.is_far = is_far;
  return step;
}
PtStep CallAt(uint64_t ip, bool is_far = false) {
  return Branch(PtStep::Branch::kCall, ip, is_far);
}
PtStep ReturnAt(uint64_t ip, bool is_far = false) {
  return Branch(PtStep::Branch::kReturn, ip, is_far);
}

class CallStackTest : public testing::Test {
 protected:
  CallStackTest() { stack_.OnInstruction(0x1000); }
  // "depth" of a change, with the function that begins.
  static std::string Text(const CallStack::Change& change) {
    if (!change.has_value()) return "";
    if (!change->begins) return absl::StrCat(change->depth);
    return absl::StrCat(change->depth, " ", absl::Hex(change->function));
  }
  std::string Call(uint64_t ip, uint64_t to) {
    return Text(stack_.OnBranch(CallAt(ip), to));
  }
  std::string Return(uint64_t to) {
    return Text(stack_.OnBranch(ReturnAt(0x9999), to));
  }
  std::string FarCall(uint64_t ip, uint64_t to) {
    return Text(stack_.OnBranch(CallAt(ip, true), to));
  }
  std::string FarReturn(uint64_t to) {
    return Text(stack_.OnBranch(ReturnAt(0x9999, true), to));
  }
  CallStack stack_;
};

TEST_F(CallStackTest, CallsNest) {
  EXPECT_EQ(Text(stack_.OnInstruction(0x1001)), "");
  EXPECT_EQ(Call(0x1100, 0x2000), "1 2000");
  EXPECT_EQ(Call(0x2010, 0x3000), "2 3000");
  EXPECT_EQ(Return(0x2015), "2");
  EXPECT_EQ(Call(0x2020, 0x4000), "2 4000");
  EXPECT_EQ(Return(0x2025), "2");
  EXPECT_EQ(Return(0x1105), "1");
  EXPECT_EQ(stack_.frames().size(), 1u);
  // Back in a caller from before the trace.
  EXPECT_EQ(Return(0x800), "0 800");
}

TEST_F(CallStackTest, OtherBranchesAreNoCalls) {
  EXPECT_EQ(
      Text(stack_.OnBranch(Branch(PtStep::Branch::kJump, 0x1000), 0x2000)), "");
  EXPECT_EQ(Text(stack_.OnBranch(Branch(PtStep::Branch::kConditional, 0x1000),
                                 0x2000)),
            "");
  EXPECT_EQ(Call(0x1100, 0x1105), "");  // loads its address
}

TEST_F(CallStackTest, ReturnsMayLeaveOutCallers) {
  Call(0x1100, 0x2000);
  Call(0x2010, 0x3000);
  Call(0x3010, 0x4000);
  EXPECT_EQ(Return(0x1105), "1");  // longjmp
  Call(0x1110, 0x2000);
  Call(0x2010, 0x3000);
  EXPECT_EQ(Return(0x7000), "0 7000");  // another stack
}

TEST_F(CallStackTest, ARetpolineIsAJump) {
  Call(0x1100, 0x2000);
  EXPECT_EQ(Call(0x2000, 0x200c), "2 200c");
  EXPECT_EQ(Return(0x5000), "1 5000");
  EXPECT_EQ(Return(0x1105), "1");
}

TEST_F(CallStackTest, ATailCallReturnsForItsCaller) {
  Call(0x1100, 0x2000);
  EXPECT_EQ(Text(stack_.OnTailCall(0x900000)), "1 900000");
  EXPECT_EQ(Call(0x900010, 0x900100), "2 900100");
  EXPECT_EQ(Return(0x900015), "2");
  EXPECT_EQ(Return(0x1105), "1");
}

TEST_F(CallStackTest, TheKernelIsEnteredAndLeft) {
  Call(0x1100, 0x2000);
  EXPECT_EQ(FarCall(0x2010, kKernel), "2 ffffffff81000000");
  Call(kKernel + 0x10, kKernel + 0x1000);
  Return(kKernel + 0x15);
  EXPECT_EQ(FarReturn(0x2015), "2");
  EXPECT_EQ(Text(stack_.OnInterrupt(0x2020, kKernel + 0x500)),
            "2 ffffffff81000500");
  // What the kernel does on another stack leaves the program alone.
  EXPECT_EQ(Return(kKernel + 0x7000), "3 ffffffff81007000");
  EXPECT_EQ(Return(kKernel + 0x7100), "3 ffffffff81007100");
  EXPECT_EQ(FarReturn(0x2020), "2");
  EXPECT_EQ(Return(0x1105), "1");
  // The call is made again after a signal.
  FarCall(0x1110, kKernel);
  EXPECT_EQ(FarReturn(0x1110), "1");
}

TEST_F(CallStackTest, SignalHandlersEndWhereTheSignalCame) {
  Call(0x1100, 0x2000);
  FarCall(0x2010, kKernel);
  EXPECT_EQ(FarReturn(0x6000), "2 6000");
  Call(0x6010, 0x6100);
  EXPECT_EQ(Return(0x6015), "3");
  // To the restorer, which the kernel put on the stack.
  EXPECT_EQ(Return(0x7f00), "3 7f00");
  FarCall(0x7f00, kKernel);
  EXPECT_EQ(FarReturn(0x2015), "2");
  EXPECT_EQ(Return(0x1105), "1");
}

TEST_F(CallStackTest, SignalsOfProgramsTracedAlone) {
  Call(0x1100, 0x2000);
  EXPECT_EQ(Text(stack_.OnDisabled(PtStep(), 0x2010)), "");
  EXPECT_EQ(Text(stack_.OnEnabled(0x6000)), "2 6000");
  EXPECT_EQ(Return(0x7f00), "3 7f00");
  EXPECT_EQ(Text(stack_.OnDisabled(CallAt(0x7f00, true), 0)), "");
  EXPECT_EQ(Text(stack_.OnEnabled(0x2010)), "2");
  EXPECT_EQ(Return(0x1105), "1");
}

TEST_F(CallStackTest, SystemCallsOfProgramsTracedAloneArePartsOfCallers) {
  Call(0x1100, 0x2000);
  EXPECT_EQ(Text(stack_.OnDisabled(CallAt(0x2010, true), 0)), "");
  EXPECT_EQ(Text(stack_.OnEnabled(0x2015)), "");
  EXPECT_EQ(Text(stack_.OnDisabled(PtStep(), 0x2020)), "");
  EXPECT_EQ(Text(stack_.OnEnabled(0x2020)), "");
  EXPECT_EQ(Return(0x1105), "1");
}

// Only the function at 0x1000 is traced.
TEST_F(CallStackTest, AddressFilters) {
  EXPECT_EQ(Text(stack_.OnDisabled(CallAt(0x1010), 0)), "");
  EXPECT_EQ(Text(stack_.OnEnabled(0x1015)), "");
  EXPECT_EQ(Text(stack_.OnDisabled(ReturnAt(0x1020), 0)), "0");
  EXPECT_EQ(Text(stack_.OnEnabled(0x1000)), "");
  EXPECT_EQ(Text(stack_.OnInstruction(0x1000)), "0 1000");
  EXPECT_EQ(Text(stack_.OnDisabled(CallAt(0x1010), 0)), "");
  EXPECT_EQ(Text(stack_.OnEnabled(0x1000)), "0 1000");
}

TEST_F(CallStackTest, GapsEndAllCalls) {
  Call(0x1100, 0x2000);
  EXPECT_EQ(Text(stack_.OnGap()), "0");
  EXPECT_EQ(Text(stack_.OnGap()), "");
  EXPECT_EQ(Text(stack_.OnInstruction(0x2200)), "0 2200");
}

TEST_F(CallStackTest, DeepCallsAreNotKept) {
  constexpr uint64_t kDepth = 10'000;
  for (uint64_t i = 0; i < kDepth; ++i) Call(0x1000 + i, 0x100000);
  EXPECT_EQ(stack_.frames().size(), CallStack::kMaxDepth);
  EXPECT_LT(stack_.memory(), 300'000u);
  for (uint64_t i = kDepth; i-- > 0;) {
    const std::string change = Return(0x1005 + i);
    if (i + 1 >= CallStack::kMaxDepth) {
      EXPECT_EQ(change, "");
    } else {
      EXPECT_EQ(change, absl::StrCat(i + 1));
    }
  }
  EXPECT_EQ(stack_.frames().size(), 1u);
}

TEST_F(CallStackTest, LookingThroughCallsIsWork) {
  for (uint64_t i = 0; i < 1000; ++i) Call(0x1000 + i, 0x100000);
  EXPECT_EQ(stack_.TakeWork(), 0u);
  Return(0x1005);
  EXPECT_GE(stack_.TakeWork(), 200u);
}

}  // namespace
}  // namespace perf2x
