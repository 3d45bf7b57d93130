// SPDX-License-Identifier: Apache-2.0
#include "converter/session/stack_builder.h"

#include "tests/session/tracker_test.h"
#include "tests/support/span_of.h"

namespace perf2x {
namespace {

using Words = std::vector<uint64_t>;

class StackBuilderTest : public TrackerTest {
 protected:
  static WordSpan Span(const Words& words, ByteOrder order = kHostOrder) {
    return {reinterpret_cast<const uint8_t*>(words.data()), words.size(),
            order};
  }
  // The callchain that `builder` makes of a sample.
  Words Build(StackBuilder& builder, const SampleRecord& sample,
              uint16_t misc = kMiscUser, const EventAttr& attr = {},
              absl::Span<const uint64_t> deferred = {}) {
    QueuedSample queued;
    const SampleContext context = {Raw(kRecordSample, misc), 1, 0, attr,
                                   deferred};
    builder.SetStack(sample, context, threads_.table().GetProcess(7), &queued);
    EXPECT_TRUE(queued.hash == StackTable::HashOf(queued.sample.address_space,
                                                  queued.callchain));
    Words words;
    for (size_t at = 0; at < queued.callchain.size(); at += 8) {
      words.push_back(Load<uint64_t>(&queued.callchain[at], kHostOrder));
    }
    return words;
  }

  Budget budget_;
  WorkMeter work_{budget_};
  StackBuilder stacks_{tables_, spaces_, /*max_stack=*/0, work_};
};

TEST_F(StackBuilderTest, RecordedCallchainsStayAsTheyAre) {
  const Words ips = {kContextKernel, 0x9000, kContextUser, 0x1000, 0x2000};
  SampleRecord sample;
  sample.ips = Span(ips);
  EXPECT_EQ(Build(stacks_, sample), ips);
}

TEST_F(StackBuilderTest, AMarkerComesFirst) {
  const Words ips = {0x1000, 0x2000};
  SampleRecord sample;
  sample.ip = 0x3000;
  EXPECT_EQ(Build(stacks_, sample), (Words{kContextUser, 0x3000}));
  EXPECT_EQ(Build(stacks_, sample, kMiscKernel),
            (Words{kContextKernel, 0x3000}));
  sample.ips = Span(ips);
  EXPECT_EQ(Build(stacks_, sample, kMiscKernel),
            (Words{kContextKernel, 0x1000, 0x2000}));
}

TEST_F(StackBuilderTest, WordsAreInTheHostsOrder) {
  Words ips = {kContextUser, 0x1000};
  for (uint64_t& word : ips) word = __builtin_bswap64(word);
  SampleRecord sample;
  sample.ips = Span(ips, kHostOrder == ByteOrder::kLittle ? ByteOrder::kBig
                                                          : ByteOrder::kLittle);
  EXPECT_EQ(Build(stacks_, sample), (Words{kContextUser, 0x1000}));
}

TEST_F(StackBuilderTest, CutsToTheInnermostFrames) {
  StackBuilder cutting(tables_, spaces_, /*max_stack=*/2, work_);
  const Words ips = {kContextKernel, 0x9000, kContextUser, 0x1000, 0x2000};
  SampleRecord sample;
  sample.ips = Span(ips);
  EXPECT_EQ(Build(cutting, sample),
            (Words{kContextKernel, 0x9000, kContextUser, 0x1000}));
  EXPECT_TRUE(cutting.has_stack_limit());
  EXPECT_FALSE(stacks_.has_stack_limit());
}

TEST_F(StackBuilderTest, DeferredCallchainsComeAfterTheKernelsPart) {
  const Words ips = {kContextKernel, 0x9000, kContextUserDeferred, 42};
  const Words deferred = {kContextUser, 0x1000};
  SampleRecord sample;
  sample.ip = 0x9000;
  sample.ips = Span(ips);
  EXPECT_EQ(Build(stacks_, sample, kMiscKernel, {}, deferred),
            (Words{kContextKernel, 0x9000, kContextUser, 0x1000}));
  EXPECT_EQ(Build(stacks_, sample, kMiscKernel),
            (Words{kContextKernel, 0x9000}));
}

TEST_F(StackBuilderTest, DeferredCallchainsThatNeverCameAreCounted) {
  const Words ips = {kContextKernel, 0x9000, kContextUserDeferred, 42};
  const Words deferred = {kContextUser, 0x1000};
  SampleRecord sample;
  sample.ips = Span(ips);
  Build(stacks_, sample, kMiscKernel, {}, deferred);
  Build(stacks_, sample, kMiscKernel);
  Build(stacks_, sample, kMiscKernel);
  Diagnostics diagnostics;
  stacks_.EndUnwinding(&diagnostics);
  const auto& entries = diagnostics.entries();
  ASSERT_EQ(entries.count("deferred user callchain never came"), 1u);
  EXPECT_EQ(entries.begin()->second.count, 2u);
}

// As in perf; no kernel writes a user part before the cookie.
TEST_F(StackBuilderTest, DeferredCallchainsComeAfterAnyRecordedPart) {
  const Words ips = {kContextUser, 0, kContextUserDeferred, 42};
  const Words deferred = {kContextUser, 0x1000};
  SampleRecord sample;
  sample.ip = 0x9000;
  sample.ips = Span(ips);
  EXPECT_EQ(Build(stacks_, sample, kMiscKernel, {}, deferred),
            (Words{kContextUser, 0, kContextUser, 0x1000}));
  EXPECT_EQ(Build(stacks_, sample, kMiscKernel), (Words{kContextUser, 0}));
}

TEST_F(StackBuilderTest, ACookieIsNoPartOfAnUnwoundStack) {
  stacks_.SetUnwinding("none", nullptr);
  const Words ips = {kContextKernel, 0x9000, kContextUserDeferred, 42};
  const std::vector<uint8_t> stack(8);
  SampleRecord sample;
  sample.ips = Span(ips);
  sample.user_abi = 2;
  sample.stack_size = sample.stack_dyn_size = stack.size();
  sample.stack = stack;
  EXPECT_EQ(Build(stacks_, sample, kMiscKernel),
            (Words{kContextKernel, 0x9000}));
}

TEST_F(StackBuilderTest, TheProcessorsCallStack) {
  EventAttr attr;
  attr.branch_sample_type = kBranchCallStack;
  const Words branches = {0x1100, 0x2000, 0, 0x1200, 0x1100, 0};
  SampleRecord sample;
  sample.ip = 0x2010;
  sample.branches = Span(branches);
  EXPECT_EQ(Build(stacks_, sample, kMiscUser, attr),
            (Words{kContextUser, 0x2010, 0x1101, 0x1201}));
  EXPECT_GT(stacks_.memory(), 0u);
}

TEST_F(StackBuilderTest, DetailsOfBranchesAreForThoseWhoRequestThem) {
  const Words branches = LittleEndian({0x1000, 0x2000, 0x2 | 6 << 20});
  SampleRecord sample;
  sample.branches = Span(branches, ByteOrder::kLittle);
  QueuedSample queued;
  const ProcessState& process = threads_.table().GetProcess(7);
  stacks_.SetBranches(sample, process, {.branches = true}, &queued);
  EXPECT_FALSE(queued.sample.branches[0].details.predicted);
  stacks_.SetBranches(sample, process,
                      {.branches = true, .branch_details = true}, &queued);
  EXPECT_TRUE(queued.sample.branches[0].details.predicted);
  EXPECT_EQ(queued.sample.branches[0].details.kind, BranchKind::kReturn);
  EXPECT_EQ(queued.sample.branches[0].stack, kNoId);
}

TEST_F(StackBuilderTest, BranchesAreStacksOfTwo) {
  constexpr uint64_t kMarker = kContextUser;
  const Words branches =
      LittleEndian({0x1000, 0x2000, 0x1, 0, 0, 0, uint64_t{0xffff} << 48,
                    0x3000, 0, kMarker, 0x2000, 0, 0x1000, kMarker, 0});
  SampleRecord sample;
  sample.branches = Span(branches, ByteOrder::kLittle);
  QueuedSample queued;
  queued.sample.address_space =
      spaces_.CurrentIdOf(threads_.table().GetProcess(7));
  stacks_.SetBranches(sample, threads_.table().GetProcess(7),
                      {.branches = true, .branch_stacks = true}, &queued);
  ASSERT_EQ(queued.sample.branches.size(), 4u);
  EXPECT_TRUE(queued.sample.branches[0].mispredicted);
  EXPECT_EQ(queued.sample.branches[0].details.kind, BranchKind::kUnknown);
  const auto callchain = [&](size_t i) {
    Words room;
    const auto bytes =
        tables_.stacks.callchain(queued.sample.branches[i].stack, &room);
    Words words;
    for (size_t at = 0; at < bytes.size(); at += 8) {
      words.push_back(Load<uint64_t>(&bytes[at], kHostOrder));
    }
    return words;
  };
  EXPECT_EQ(callchain(0), (Words{kContextUser, 0x2000, kContextUser, 0x1000}));
  EXPECT_EQ(callchain(1), (Words{kContextUser, 0x3000, kContextKernel,
                                 uint64_t{0xffff} << 48}));
  // An address that is a context marker does not lose its place.
  EXPECT_EQ(callchain(2), (Words{kContextUser, 0x2000, kContextUser, 0}));
  EXPECT_EQ(callchain(3), (Words{kContextUser, 0, kContextUser, 0x1000}));
  EXPECT_EQ(queued.sample.branches[2].source, kMarker);
}

}  // namespace
}  // namespace perf2x
