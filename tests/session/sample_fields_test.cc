// SPDX-License-Identifier: Apache-2.0
#include "converter/session/sample_fields.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "converter/perf/records/wire.h"

namespace perf2x {
namespace {

std::string Text(Fields fields) {
  return absl::StrJoin(fields, " ", [](std::string* out, const Field& field) {
    absl::StrAppend(out, field.name, "=");
    if (const auto* text = std::get_if<absl::string_view>(&field.value)) {
      absl::StrAppend(out, *text);
    } else if (const auto* hex = std::get_if<Field::Hex>(&field.value)) {
      absl::StrAppend(out, "0x", absl::Hex(hex->value));
    } else {
      absl::StrAppend(out, std::get<uint64_t>(field.value));
    }
  });
}

std::string Decoded(uint64_t sample_type, const SampleRecord& sample,
                    uint64_t read_format = 0) {
  EventAttr attr;
  attr.sample_type = sample_type;
  attr.read_format = read_format;
  SampleFields fields;
  return Text(fields.Decode(sample, attr));
}

TEST(SampleFieldsTest, FollowTheTablesOrderAndKinds) {
  SampleRecord sample;
  sample.id = 7;
  sample.addr = 0x10;
  sample.phys_addr = 0x20;
  sample.data_page_size = 4096;
  sample.code_page_size = 8192;
  sample.weight = 5;
  sample.transaction = 3;
  EXPECT_EQ(Decoded(kSampleIdentifier | kSampleAddr | kSamplePhysAddr |
                        kSampleDataPageSize | kSampleCodePageSize |
                        kSampleWeight | kSampleTransaction,
                    sample),
            "addr=0x10 phys_addr=0x20 data_page_size=4096 code_page_size=8192 "
            "weight=5 transaction=0x3 id=7");
  EXPECT_EQ(Decoded(kSampleIp | kSampleTid | kSampleTime | kSampleCpu |
                        kSamplePeriod | kSampleStreamId,
                    sample),
            "");
}

TEST(SampleFieldsTest, AnEventHasOneIdHoweverItIsRecorded) {
  SampleRecord sample;
  sample.id = 7;
  EXPECT_EQ(Decoded(kSampleId, sample), "id=7");
  EXPECT_EQ(Decoded(kSampleId | kSampleIdentifier, sample), "id=7");
}

TEST(SampleFieldsTest, SomeEventsHaveNoFieldsButTheirIds) {
  SampleFields fields;
  const auto has_more = [&fields](uint64_t sample_type) {
    return fields.HasMoreThanEventId({.sample_type = sample_type});
  };
  const uint64_t plain = kSampleIp | kSampleTid | kSampleTime | kSampleCpu |
                         kSamplePeriod | kSampleCallchain | kSampleId |
                         kSampleStreamId | kSampleIdentifier;
  EXPECT_FALSE(has_more(plain));
  for (const uint64_t more :
       {kSampleAddr, kSamplePhysAddr, kSampleWeight, kSampleWeightStruct,
        kSampleDataSrc, kSampleTransaction, kSampleCgroup, kSampleDataPageSize,
        kSampleCodePageSize, kSampleBranchStack, kSampleRegsUser,
        kSampleRegsIntr, kSampleRead}) {
    EXPECT_TRUE(has_more(plain | more)) << more;
  }
  EXPECT_EQ(Text({{SampleFields::EventId(7)}}), "id=7");
}

TEST(SampleFieldsTest, AWeightMayHaveThreeParts) {
  SampleRecord sample;
  sample.weight = 0x0003'0002'0000'0001;
  EXPECT_EQ(Decoded(kSampleWeightStruct, sample),
            "weight=1 weight2=2 weight3=3");
  EXPECT_EQ(Decoded(kSampleWeight, sample),
            absl::StrCat("weight=", sample.weight));
}

TEST(SampleFieldsTest, ReadingsAreOneFieldAndTheirIdIsNotTheSamples) {
  SampleRecord sample;
  sample.read.id = 9;
  sample.read.value = 100;
  sample.read.time_enabled = 5;
  EXPECT_EQ(Decoded(kSampleRead, sample, kReadId | kReadTotalTimeEnabled),
            "read=9=100 enabled=5");
}

TEST(SampleFieldsTest, CgroupsHaveTheirPathWhereItIsKnown) {
  SampleRecord sample;
  sample.cgroup = 12;
  EventAttr attr;
  attr.sample_type = kSampleCgroup;
  SampleFields fields;
  EXPECT_EQ(Text(fields.Decode(sample, attr)), "cgroup=12");
  fields.AddCgroup(12, "/user");
  EXPECT_EQ(Text(fields.Decode(sample, attr)), "cgroup=/user");
}

// Every line of the table is made of something.
TEST(SampleFieldsTest, AllFieldsOfTheTableAreDecoded) {
  SampleRecord sample;
  sample.user_abi = sample.intr_abi = kAbi64;
  const std::string all =
      Decoded(kSampleKnown & ~kSampleWeight, sample, kReadId);
  for (const SampleField& field : SampleFieldTable()) {
    if (field.is_tag) continue;  // a stage adds those
    EXPECT_NE(absl::StrCat(" ", all).find(absl::StrCat(" ", field.name, "=")),
              std::string::npos)
        << field.name << " is not in " << all;
  }
}

}  // namespace
}  // namespace perf2x
