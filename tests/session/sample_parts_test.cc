// SPDX-License-Identifier: Apache-2.0
#include "converter/session/sample_parts.h"

#include <iterator>
#include <string>
#include <variant>

#include "tests/session/tracker_test.h"
#include "tests/support/span_of.h"

namespace perf2x {
namespace {

class SamplePartsTest : public TrackerTest {
 protected:
  explicit SamplePartsTest(
      EmitterRequirements requirements = {.fields = true,
                                          .branches = true,
                                          .accesses = true})
      : TrackerTest(requirements) {}

  static SampleRecord Record() {
    SampleRecord record;
    record.ip = 0x1000;
    record.addr = 0x7008;
    record.weight = 5;
    record.branch_nr = 2;
    record.branches = SpanOf(kBranches);
    return record;
  }
  // Sets the parts of one more sample of the current record.
  const Sample& Set(const SampleRecord& record) {
    queued_ = QueuedSample();
    queued_.pending = waits_ ? &pending_ : nullptr;
    const SampleContext context = {Encoded(record, attr_, kMiscUser), 1, 0,
                                   attr_, /*deferred=*/{}};
    must_emit_ = parts_.Set(record, context, /*format=*/nullptr,
                            threads_.table().GetProcess(7), &queued_);
    return queued_.sample;
  }
  static std::string Text(Fields fields) {
    std::string text;
    for (const Field& field : fields) {
      absl::StrAppend(&text, text.empty() ? "" : " ", field.name, "=");
      if (const auto* hex = std::get_if<Field::Hex>(&field.value)) {
        absl::StrAppend(&text, absl::Hex(hex->value));
      } else if (const auto* string =
                     std::get_if<absl::string_view>(&field.value)) {
        absl::StrAppend(&text, *string);
      } else {
        absl::StrAppend(&text, std::get<uint64_t>(field.value));
      }
    }
    return text;
  }

  static constexpr uint64_t kBranches[] = {0x1000, 0x2000, 0,
                                           0x3000, 0x4000, 0};
  Budget budget_;
  WorkMeter work_{budget_};
  EventTracker events_{attrs_, tables_, /*selector=*/nullptr, diagnostics_,
                       budget_};
  StackBuilder stacks_{tables_, spaces_, /*max_stack=*/0, work_};
  SampleParts parts_{events_, stacks_, sink_, work_, diagnostics_};
  EventAttr attr_;
  bool waits_ = false;  // samples may be left for later
  PendingStack pending_;
  QueuedSample queued_;
  bool must_emit_ = false;
};

TEST_F(SamplePartsTest, SamplesOfASharedRecordHaveItsPartsAndTheirAddresses) {
  attr_.sample_type = kSampleAddr | kSampleWeight | kSampleBranchStack;
  SampleRecord record = Record();
  parts_.BeginRecord(/*shared=*/true);
  const Sample first = Set(record);
  const Hash128 hash = queued_.hash;
  EXPECT_FALSE(queued_.callchain.empty());
  EXPECT_EQ(Text(first.fields).substr(0, 9), "addr=7008");
  EXPECT_EQ(first.branches.size(), 2u);
  EXPECT_EQ(first.access->address, 0x7008u);

  record.addr = 0x8010;
  const Sample second = Set(record);
  EXPECT_TRUE(queued_.hash == hash);
  EXPECT_TRUE(queued_.callchain.empty());
  EXPECT_EQ(second.address_space, first.address_space);
  EXPECT_EQ(Text(second.fields).substr(0, 9), "addr=8010");
  EXPECT_EQ(second.branches.data(), first.branches.data());
  EXPECT_EQ(second.branches.size(), 2u);
  EXPECT_EQ(second.access->address, 0x8010u);
  // Both samples become text.
  work_.Flush();
  EXPECT_GE(budget_.used(Budget::kWork), 2 * 2 * std::size(kBranches));
}

TEST_F(SamplePartsTest, EachRecordHasPartsOfItsOwn) {
  attr_.sample_type = kSampleWeight | kSampleBranchStack;
  const SampleRecord record = Record();
  for (const bool shared : {true, false}) {
    parts_.BeginRecord(shared);
    Set(record);
    SampleRecord other;
    other.ip = 0x3000;
    other.weight = 6;
    parts_.BeginRecord(shared);
    const Sample& sample = Set(other);
    EXPECT_FALSE(queued_.callchain.empty());
    EXPECT_EQ(Text(sample.fields).substr(0, 8), "weight=6");
    EXPECT_TRUE(sample.branches.empty());
  }
}

TEST_F(SamplePartsTest, AreNeededIfTheEmitterRequiresThem) {
  const auto needs = [this](EmitterRequirements requirements,
                            uint64_t sample_type) {
    RecordingEmitter emitter(tables_, requirements);
    const TraceSink sink(emitter, {});
    SampleParts parts(events_, stacks_, sink, work_, diagnostics_);
    return parts.MayHaveRequestedParts({.sample_type = sample_type});
  };
  EXPECT_FALSE(needs({}, kSampleAddr | kSampleRaw));
  EXPECT_FALSE(needs({.fields = true}, kSampleIp | kSampleIdentifier));
  EXPECT_TRUE(needs({.fields = true}, kSampleAddr));
  EXPECT_TRUE(needs({.fields = true}, kSampleRaw));
  EXPECT_FALSE(needs({.accesses = true}, kSampleIp));
  EXPECT_TRUE(needs({.accesses = true}, kSampleAddr));
  EXPECT_TRUE(needs({.branches = true}, kSampleIp));
}

TEST_F(SamplePartsTest, AnAccessHasTheNumberOfItsRecord) {
  attr_.sample_type = kSampleAddr;
  SampleRecord record;
  record.addr = 0x7008;
  parts_.BeginRecord(/*shared=*/false);
  EXPECT_EQ(Set(record).access->number, 1u);
  parts_.BeginRecord(/*shared=*/true);
  EXPECT_EQ(Set(record).access->number, 2u);
  EXPECT_EQ(Set(record).access->number, 2u);
  parts_.BeginRecord(/*shared=*/false);  // of no sample
  parts_.BeginRecord(/*shared=*/false);
  record.addr = 0;
  EXPECT_EQ(Set(record).access, nullptr);
  record.addr = 0x7010;
  EXPECT_EQ(Set(record).access->number, 4u);
}

TEST_F(SamplePartsTest, CgroupsHaveThePathOfTheirRecord) {
  attr_.sample_type = kSampleCgroup;
  SampleRecord record;
  record.cgroup = 12;
  const uint64_t before = parts_.memory();
  parts_.BeginRecord(/*shared=*/false);
  EXPECT_EQ(Text(Set(record).fields), "cgroup=12");
  const CgroupRecord cgroup = {.id = 12, .path = "/user"};
  ASSERT_TRUE(parts_.Apply(cgroup, At(1, cgroup)).ok());
  parts_.BeginRecord(/*shared=*/false);
  EXPECT_EQ(Text(Set(record).fields), "cgroup=/user");
  EXPECT_GT(parts_.memory(), before);
}

class StackOnlyTest : public SamplePartsTest {
 protected:
  StackOnlyTest() : SamplePartsTest(EmitterRequirements()) {}
};

TEST_F(StackOnlyTest, WhatIsNotRequiredIsNotSet) {
  attr_.sample_type = kSampleAddr | kSampleBranchStack;
  EXPECT_TRUE(parts_.format_allows_delay());
  parts_.BeginRecord(/*shared=*/false);
  const Sample& sample = Set(Record());
  EXPECT_FALSE(must_emit_);
  EXPECT_FALSE(queued_.callchain.empty());
  EXPECT_TRUE(sample.fields.empty());
  EXPECT_TRUE(sample.branches.empty());
  EXPECT_EQ(sample.access, nullptr);
}

// Other threads may unwind the stack of a record that becomes one sample.
TEST_F(StackOnlyTest, TheStackOfASharedRecordIsNotLeftForLater) {
  waits_ = true;
  stacks_.SetUnwinding("none", nullptr);
  attr_.sample_type = kSampleRegsUser | kSampleStackUser;
  const std::vector<uint8_t> dump(8);
  SampleRecord record;
  record.ip = 0x1000;
  record.user_abi = 2;
  record.stack_size = record.stack_dyn_size = dump.size();
  record.stack = dump;
  parts_.BeginRecord(/*shared=*/false);
  Set(record);
  EXPECT_TRUE(queued_.callchain.empty());
  parts_.BeginRecord(/*shared=*/true);
  Set(record);
  EXPECT_FALSE(queued_.callchain.empty());
}

class PostponedFieldsTest : public SamplePartsTest {
 protected:
  PostponedFieldsTest() : SamplePartsTest({.fields = true}) {
    waits_ = true;
    attr_.sample_type = kSampleIp | kSampleAddr | kSampleCgroup;
    AddEvent(attr_);
  }
};

TEST_F(PostponedFieldsTest, AreSetWhenTheSampleIsEmitted) {
  EXPECT_TRUE(parts_.format_allows_delay());
  SampleRecord record = Record();
  record.cgroup = 12;
  parts_.BeginRecord(/*shared=*/false);
  EXPECT_TRUE(Set(record).fields.empty());
  EXPECT_FALSE(must_emit_);
  const QueuedSample first = queued_;
  record.addr = 0x8008;
  parts_.BeginRecord(/*shared=*/false);
  Set(record);
  QueuedSample earlier = first;
  parts_.SetPostponed(&earlier);
  EXPECT_EQ(Text(earlier.sample.fields), "addr=7008 cgroup=12");
  parts_.SetPostponed(&queued_);
  EXPECT_EQ(Text(queued_.sample.fields), "addr=8008 cgroup=12");
}

// Other samples of the record need what Set has decoded.
TEST_F(PostponedFieldsTest, AreNotThoseOfASharedRecord) {
  parts_.BeginRecord(/*shared=*/true);
  EXPECT_EQ(Text(Set(Record()).fields), "addr=7008 cgroup=0");
  EXPECT_TRUE(must_emit_);
  waits_ = false;
  SampleRecord other = Record();
  other.addr = 0x9008;
  EXPECT_EQ(Text(Set(other).fields), "addr=9008 cgroup=0");
}

// The mapped file has changed meanwhile.
TEST_F(PostponedFieldsTest, AreAbsentIfTheRecordCannotBeDecodedAnyMore) {
  parts_.BeginRecord(/*shared=*/false);
  Set(Record());
  queued_.postponed.body.remove_suffix(8);
  parts_.SetPostponed(&queued_);
  EXPECT_TRUE(queued_.sample.fields.empty());
}

TEST_F(PostponedFieldsTest, DoNotWaitBesideBranchesOrAccesses) {
  for (const EmitterRequirements& requirements :
       {EmitterRequirements{.fields = true, .branches = true},
        EmitterRequirements{.fields = true, .accesses = true}}) {
    RecordingEmitter emitter(tables_, requirements);
    const TraceSink sink(emitter, {});
    EXPECT_FALSE(SampleParts(events_, stacks_, sink, work_, diagnostics_)
                     .format_allows_delay());
  }
}

}  // namespace
}  // namespace perf2x
