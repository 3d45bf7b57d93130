// SPDX-License-Identifier: Apache-2.0
#include "converter/session/queued_sample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "converter/perf/records/wire.h"
#include "tests/support/span_of.h"

namespace perf2x {
namespace {

using testing::ElementsAre;

// Unwinds each dump to these words.
struct FakeStacks {
  bool knows = true;
  std::vector<uint64_t> words;
  bool Append(const DumpedStack&, std::vector<uint64_t>* chain,
              UnwindOutcome* how) {
    chain->insert(chain->end(), words.begin(), words.end());
    *how = {UnwindStop::kLoop, 7};
    return knows;
  }
};

class PendingStackTest : public testing::Test {
 protected:
  void SetRecorded(const std::vector<uint64_t>& words) {
    recorded_ = words;
    stack_.recorded = SpanOf(recorded_);
  }
  FakeStacks stacks_;
  std::vector<uint64_t> recorded_;
  PendingStack stack_;
};

TEST_F(PendingStackTest, TheUserPartComesAfterTheKernels) {
  stack_.words = {kContextKernel, 1};
  stacks_.words = {kContextUser, 2, 3};
  EXPECT_EQ(stack_.Unwind(stacks_), 0u);
  EXPECT_THAT(stack_.words, ElementsAre(kContextKernel, 1, kContextUser, 2, 3));
  EXPECT_EQ(stack_.unwound->stop, UnwindStop::kLoop);
  EXPECT_EQ(stack_.unwound->work, 7u);
}

TEST_F(PendingStackTest, StaysAsItIsIfItCannotBeUnwound) {
  stack_.words = {kContextKernel, 1};
  stacks_.words = {kContextUser, 2, 3};
  stacks_.knows = false;
  EXPECT_EQ(stack_.Unwind(stacks_), 7u + 3u);
  EXPECT_THAT(stack_.words, ElementsAre(kContextKernel, 1));
  EXPECT_FALSE(stack_.unwound.has_value());
}

TEST_F(PendingStackTest, TheLongerUserPartIsUsed) {
  SetRecorded({kContextKernel, 1, kContextUser, 7, 8});
  stack_.user = 2;
  stacks_.words = {kContextUser, 2};
  stack_.words = {kContextKernel, 1};
  stack_.Unwind(stacks_);
  EXPECT_THAT(stack_.words, ElementsAre(kContextKernel, 1, kContextUser, 7, 8));
  stacks_.words = {kContextUser, 2, 3};
  stack_.words = {kContextKernel, 1};
  stack_.Unwind(stacks_);
  EXPECT_THAT(stack_.words, ElementsAre(kContextKernel, 1, kContextUser, 2, 3));
}

TEST_F(PendingStackTest, HasAnAddress) {
  stack_.marker = kContextUser;
  stack_.ip = 9;
  stack_.words = {kContextKernel};
  stack_.Unwind(stacks_);
  EXPECT_THAT(stack_.words, ElementsAre(kContextUser, 9));
}

}  // namespace
}  // namespace perf2x
