// SPDX-License-Identifier: Apache-2.0
#include "converter/session/deferred_stacks.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "converter/perf/records/encode.h"
#include "converter/perf/records/kernel_records.h"
#include "converter/perf/records/sample.h"
#include "tests/support/span_of.h"

namespace perf2x {
namespace {

class DeferredStacksTest : public testing::Test {
 protected:
  DeferredStacksTest() : block_(std::make_unique<MemoryBlock>(8)) {}

  void Hold(uint64_t index, std::optional<uint64_t> cookie = std::nullopt,
            int32_t tid = 7) {
    RawRecord record;
    record.index = index;
    record.block = &block_;
    record.body = {room_.data(), 16};
    stacks_.Hold(record, std::nullopt, cookie, tid);
  }
  void Resolve(uint64_t cookie, const std::vector<uint64_t>& words,
               int32_t tid = 7) {
    stacks_.Resolve(cookie, tid, SpanOf(words));
  }
  // Index and number of words of what is released.
  std::vector<std::pair<uint64_t, size_t>> Release(bool all) {
    std::vector<std::pair<uint64_t, size_t>> out;
    EXPECT_TRUE(
        stacks_
            .Release(all,
                     [&](const RawRecord& record, std::optional<uint64_t>,
                         absl::Span<const uint64_t> user) {
                       out.emplace_back(record.index, user.size());
                       return absl::OkStatus();
                     })
            .ok());
    return out;
  }

  const std::vector<uint8_t> room_ = std::vector<uint8_t>(16);
  BlockRef block_;
  DeferredStacks stacks_;
};

using Released = std::vector<std::pair<uint64_t, size_t>>;

TEST_F(DeferredStacksTest, RecordsKeepTheirOrder) {
  Hold(1, 10);
  Hold(2);
  Hold(3, 11);
  Hold(4, 10);
  EXPECT_TRUE(Release(false).empty());
  Resolve(10, {kContextUser, 0x1000});
  EXPECT_EQ(Release(false), (Released{{1, 2}, {2, 0}}));
  Resolve(11, {0x1000, 0x2000}, 8);  // another thread's
  EXPECT_TRUE(Release(false).empty());
  Resolve(11, {0x1000, 0x2000});
  // A marker is put before words that have none.
  EXPECT_EQ(Release(false), (Released{{3, 3}, {4, 2}}));
  EXPECT_TRUE(stacks_.idle());
  EXPECT_EQ(stacks_.unused(), 1u);
}

TEST_F(DeferredStacksTest, WhatNeverCameIsNotWaitedForAtTheEnd) {
  Hold(1, 10);
  Hold(2, 10);
  EXPECT_EQ(Release(true), (Released{{1, 0}, {2, 0}}));
  Hold(3, 10);
  Resolve(10, {0x1000});
  EXPECT_EQ(Release(false), (Released{{3, 2}}));
}

// One callchain for all that wait costs no more than for one of them.
TEST_F(DeferredStacksTest, ManySamplesShareOneCallchain) {
  constexpr uint64_t kSamples = 60'000;
  for (uint64_t i = 0; i < kSamples; ++i) Hold(i, 10);
  const uint64_t before = stacks_.memory();
  Resolve(10, std::vector<uint64_t>(8000, 0x1000));
  EXPECT_LE(stacks_.memory(), before);
  std::vector<const uint64_t*> words;
  ASSERT_TRUE(stacks_
                  .Release(false,
                           [&](const RawRecord&, std::optional<uint64_t>,
                               absl::Span<const uint64_t> user) {
                             EXPECT_EQ(user.size(), 8001u);
                             words.push_back(user.data());
                             return absl::OkStatus();
                           })
                  .ok());
  ASSERT_EQ(words.size(), kSamples);
  EXPECT_EQ(words.front(), words.back());
}

// Each cookie that is waited for takes memory.
TEST_F(DeferredStacksTest, ManyCookiesAreNoLessThanTheyTake) {
  DeferredStacks one;
  std::swap(one, stacks_);
  for (uint64_t i = 0; i < 1000; ++i) Hold(i, 10);
  std::swap(one, stacks_);
  for (uint64_t i = 0; i < 1000; ++i) Hold(i, i);
  EXPECT_GE(stacks_.memory(), one.memory() + 999 * 64);
  for (uint64_t i = 0; i < 1000; ++i) Resolve(i, {0x1000});
  Release(false);
  EXPECT_EQ(stacks_.memory(), 0u);
}

TEST_F(DeferredStacksTest, TheRestOfThoseThatWaitedTooLongGetTheirCallchain) {
  for (uint64_t i = 0; i < 65'539; ++i) Hold(i, i % 2);
  // Three are beyond the limit: two wait for 0, one for 1.
  EXPECT_EQ(Release(false), (Released{{0, 0}, {1, 0}, {2, 0}}));
  Resolve(1, {0x1000});
  EXPECT_EQ(Release(false), (Released{{3, 2}}));
  Resolve(0, {0x1000});
  const Released rest = Release(false);
  ASSERT_EQ(rest.size(), 65'535u);
  for (const auto& [index, words] : rest) ASSERT_EQ(words, 2u) << index;
  EXPECT_EQ(stacks_.memory(), 0u);
}

// Samples and the records with their callchains, as they are on the wire.
TEST_F(DeferredStacksTest, PushFindsCookiesInRecords) {
  Diagnostics diagnostics;
  AttrTable attrs(&diagnostics);
  EventAttr attr;
  attr.size = kAttrSizeVer0;
  attr.sample_type = kSampleTid | kSampleCallchain;
  attr.flags = uint64_t{1} << 18;  // sample_id_all
  RawRecord record;
  record.type = kRecordHeaderAttr;
  const std::vector<uint8_t> header = EncodeAttr(attr, kHostOrder);
  record.body = header;
  attrs.Observe(record);

  const uint64_t ips[] = {kContextUserDeferred, 10};
  SampleRecord sample;
  sample.tid = 7;
  sample.nr = 2;
  sample.ips = {reinterpret_cast<const uint8_t*>(ips), 2, kHostOrder};
  const std::vector<uint8_t> body = Encode(sample, kHostOrder, 0, attr);
  record.type = kRecordSample;
  record.block = &block_;
  record.body = body;
  stacks_.Push(record, 1, attrs);
  EXPECT_TRUE(Release(false).empty());

  const uint64_t user[] = {0x1000, 0x2000};
  CallchainDeferredRecord callchain;
  callchain.cookie = 10;
  callchain.nr = 2;
  callchain.ips = {reinterpret_cast<const uint8_t*>(user), 2, kHostOrder};
  SampleId id;
  id.pid = id.tid = 7;
  std::vector<uint8_t> chain = Encode(callchain, kHostOrder, 0, attr);
  const std::vector<uint8_t> trailer = Encode(id, kHostOrder, 0, attr);
  chain.insert(chain.end(), trailer.begin(), trailer.end());
  record.type = kRecordCallchainDeferred;
  record.body = chain;
  stacks_.Push(record, 2, attrs);
  EXPECT_EQ(Release(false), (Released{{0, 3}, {0, 0}}));
}

TEST_F(DeferredStacksTest, NoThreadHoldsUpTheTraceForLong) {
  size_t released = 0;
  for (uint64_t i = 0; i < 100'000; ++i) {
    Hold(i, i);
    released += Release(false).size();
  }
  EXPECT_EQ(released, 100'000u - (1 << 16));
}

}  // namespace
}  // namespace perf2x
