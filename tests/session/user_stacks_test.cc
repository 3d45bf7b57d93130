// SPDX-License-Identifier: Apache-2.0

// User stacks that are put together from something else than a callchain.

#include "converter/session/user_stacks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "converter/session/deferred_stacks.h"
#include "converter/session/lbr_stacks.h"
#include "tests/support/span_of.h"

namespace perf2x {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Words as they lie in a record.
class LbrStacksTest : public testing::Test {
 protected:
  // Calls as pairs of from and to, innermost first.
  std::vector<uint64_t> Stack(uint64_t index,
                              const std::vector<std::pair<int, int>>& calls,
                              uint64_t ip = 7, int32_t tid = 1) {
    std::vector<uint64_t> words;
    for (auto [from, to] : calls) {
      words.push_back(static_cast<uint64_t>(from));
      words.push_back(static_cast<uint64_t>(to));
      words.push_back(0);  // flags
    }
    SampleRecord sample;
    sample.tid = tid;
    sample.branch_hw_index = index;
    sample.branches = SpanOf(words);
    std::vector<uint64_t> chain;
    stacks_.Append(sample, ip, &chain);
    return chain;
  }
  LbrStacks stacks_;
};

// The words behind the leaf are return addresses: one byte behind the calls, as
// they are looked up one byte back.
TEST_F(LbrStacksTest, CallsBecomeReturnAddresses) {
  EXPECT_THAT(Stack(1, {{20, 30}, {10, 20}}),
              ElementsAre(kContextUser, 7, 21, 11));
  EXPECT_THAT(Stack(1, {{20, 30}, {10, 20}}, /*ip=*/0),
              ElementsAre(kContextUser, 30, 21, 11));
}

TEST_F(LbrStacksTest, TakesOverWhatTheRingLost) {
  // Four slots, full; then two more calls overwrite the two outermost.
  Stack(3, {{40, 0}, {30, 0}, {20, 0}, {10, 0}});
  EXPECT_THAT(Stack(5, {{60, 0}, {50, 0}, {40, 0}, {30, 0}}),
              ElementsAre(kContextUser, 7, 61, 51, 41, 31, 21, 11));
  // And again: what was taken over once stays.
  EXPECT_THAT(Stack(6, {{70, 0}, {60, 0}, {50, 0}, {40, 0}}),
              ElementsAre(kContextUser, 7, 71, 61, 51, 41, 31, 21, 11));
}

TEST_F(LbrStacksTest, DoesNotStitchWhatIsNotTheSame) {
  const std::vector<std::pair<int, int>> full = {
      {40, 0}, {30, 0}, {20, 0}, {10, 0}};
  const std::vector<std::pair<int, int>> next = {
      {60, 0}, {50, 0}, {40, 0}, {30, 0}};
  const auto alone = ElementsAre(kContextUser, 7, 61, 51, 41, 31);
  Stack(3, full, 7, /*tid=*/2);
  EXPECT_THAT(Stack(5, next), alone);  // another thread
  Stack(3, full);
  EXPECT_THAT(Stack(6, next), alone);  // other slots
  Stack(~uint64_t{0}, full);
  EXPECT_THAT(Stack(5, next), alone);  // no index
  Stack(3, full);
  EXPECT_THAT(Stack(4, {{50, 0}, {20, 0}}),  // another call in that slot
              ElementsAre(kContextUser, 7, 51, 21));
}

class DeferredUserStacksTest : public testing::Test {
 protected:
  DeferredUserStacksTest() : block_(std::make_unique<MemoryBlock>(8)) {}
  void Hold(uint64_t id, std::optional<uint64_t> cookie = {}, int32_t tid = 1) {
    RawRecord record;
    record.offset = id;
    record.block = &block_;
    stacks_.Hold(record, {}, cookie, tid);
  }
  std::vector<uint64_t> Release(bool all = false) {
    std::vector<uint64_t> released;
    const absl::Status status = stacks_.Release(
        all, [&](const RawRecord& record, std::optional<uint64_t>,
                 absl::Span<const uint64_t> user) {
          released.push_back(record.offset);
          users_.emplace_back(user.begin(), user.end());
          return absl::OkStatus();
        });
    EXPECT_TRUE(status.ok());
    return released;
  }
  DeferredStacks stacks_;
  BlockRef block_;
  std::vector<std::vector<uint64_t>> users_;
};

TEST_F(DeferredUserStacksTest, KnowsTheCookie) {
  EXPECT_EQ(DeferredStacks::CookieOf(
                SpanOf({kContextKernel, 1, kContextUserDeferred, 99})),
            99);
  EXPECT_EQ(DeferredStacks::CookieOf(SpanOf({kContextUser, 1, 2})),
            std::nullopt);
  EXPECT_EQ(DeferredStacks::CookieOf(SpanOf({99})), std::nullopt);
}

TEST_F(DeferredUserStacksTest, KeepsTheOrderOfRecords) {
  Hold(1, 99);
  Hold(2);
  Hold(3, 98);
  EXPECT_THAT(Release(), IsEmpty());
  const std::vector<uint64_t> chain = {10, 11};
  stacks_.Resolve(98, 1, SpanOf(chain));
  EXPECT_THAT(Release(), IsEmpty());
  stacks_.Resolve(99, 2, SpanOf(chain));  // of another thread
  EXPECT_THAT(Release(), IsEmpty());
  stacks_.Resolve(99, 1, SpanOf(chain));
  EXPECT_THAT(Release(), ElementsAre(1, 2, 3));
  EXPECT_THAT(users_, ElementsAre(ElementsAre(kContextUser, 10, 11), IsEmpty(),
                                  ElementsAre(kContextUser, 10, 11)));
  EXPECT_TRUE(stacks_.idle());
  EXPECT_EQ(stacks_.unused(), 1);
}

TEST_F(DeferredUserStacksTest, LetsGoOfWhatNeverCame) {
  Hold(1, 99);
  EXPECT_THAT(Release(/*all=*/true), ElementsAre(1));
  // Nor does it wait for ever.
  Hold(2, 99);
  for (uint64_t i = 0; i < 70000; ++i) Hold(3);
  EXPECT_GT(Release().size(), 1);
}

}  // namespace
}  // namespace perf2x
