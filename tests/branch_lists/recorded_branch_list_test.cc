// SPDX-License-Identifier: Apache-2.0

// Recordings with a branch list, as `simpleperf record --decode-etm` makes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "converter/convert/merge.h"
#include "converter/perf/records/kernel_records.h"
#include "tests/branch_lists/branch_list_fixture.h"
#include "tests/support/compressed_file.h"
#include "tests/support/perf_data_builder.h"

namespace perf2x {
namespace {

using testing::HasSubstr;
using Bytes = std::vector<uint8_t>;

class RecordedBranchListTest : public BranchListFixture {
 protected:
  // Returns a recording that has `list` and the features around it.
  static Recording With(Bytes list, uint64_t sample_type = 0) {
    Recording recording;
    recording.AddSoftwareEvent(sample_type);
    recording.SetArch("aarch64");
    CommRecord comm;
    comm.pid = comm.tid = 1;
    comm.comm = "count";
    recording.Add(comm);
    const std::string meta("simpleperf_version\0001.build\0", 27);
    recording.features.push_back(
        {kFeatureSimpleperfMetaInfo, {meta.begin(), meta.end()}});
    recording.features.push_back(
        {kFeatureSimpleperfEtmBranchList, std::move(list)});
    recording.features.push_back({kFeatureSimpleperfInitMap, {}});
    return recording;
  }
};

TEST_F(RecordedBranchListTest, CountsAsAFileDoes) {
  const Bytes message = BytesOf(Countdown(7));
  for (const Bytes& list :
       {message, FramedBranchLists({Zstded(message)}, true)}) {
    const Bytes file = AsFile(With(list));
    EXPECT_EQ(Sorted(BoltOf(file)), kBolt);
    EXPECT_FALSE(report_.diagnostics.lossy());
    EXPECT_EQ(report_.bytes.data, list.size());
    ASSERT_EQ(report_.events.size(), 1u);
    EXPECT_EQ(report_.events[0].period, 21u);
    EXPECT_EQ(Sorted(BoltOf(Gzipped(file))), kBolt);
  }
}

TEST_F(RecordedBranchListTest, ItsSamplesDoNotCount) {
  constexpr char kNote[] =
      "the profile is of the recording's branch list alone (simpleperf record "
      "--decode-etm), not of its samples";
  const Bytes list = BytesOf(Countdown(7));
  EXPECT_EQ(Sorted(BoltOf(AsFile(With(list, kSampleIp | kSampleBranchStack)))),
            kBolt);
  EXPECT_EQ(Counted(kNote), 1u);
  BoltOf(AsFile(With(list, kSampleIp)));
  EXPECT_EQ(Counted(kNote), 0u);
}

TEST_F(RecordedBranchListTest, OptionsAreThoseOfLists) {
  const Bytes file = AsFile(With(BytesOf(Countdown(7))));
  ASSERT_TRUE(AddToFilter(FilterKey::kDso, "count", &options_.filter).ok());
  EXPECT_EQ(Sorted(BoltOf(file)), kBolt);
  ASSERT_TRUE(AddToFilter(FilterKey::kComm, "sh", &options_.filter).ok());
  EXPECT_THAT(std::string(ConvertTo("bolt", file).message()),
              HasSubstr("cannot be filtered"));
}

TEST_F(RecordedBranchListTest, OtherFormatsSayWhereItGoes) {
  ASSERT_TRUE(ConvertTo("folded", AsFile(With(BytesOf(Countdown(7))))).ok());
  EXPECT_EQ(text_, "");
  ASSERT_EQ(report_.findings.size(), 1u);
  EXPECT_EQ(report_.findings[0].message,
            "no samples: the recording has a branch list in place of its trace "
            "(simpleperf record --decode-etm)");
  EXPECT_EQ(report_.findings[0].next_step,
            "--to autofdo, bolt and profgen read it from a file");
}

TEST_F(RecordedBranchListTest, DamageIsCounted) {
  const Bytes message = BytesOf(Countdown(7));
  const Bytes framed = FramedBranchLists({message, message}, false);
  Recording recording = With(framed);
  recording.features.pop_back();
  const Bytes whole = AsFile(recording);
  Bytes cut = whole;
  cut.resize(cut.size() - 10);
  EXPECT_EQ(Sorted(BoltOf(cut)), kBolt);
  EXPECT_EQ(Counted("the branch list runs past the end of the file"), 1u);
  const auto& damage = report_.diagnostics.entries().find(
      "the branch list ends within a message");
  ASSERT_NE(damage, report_.diagnostics.entries().end());
  // The second message, in the file.
  EXPECT_EQ(damage->second.first_offset, whole.size() - message.size() - 4);
  for (size_t size = 0; size < whole.size(); ++size) {
    (void)ConvertTo("bolt", Bytes(whole.begin(), whole.begin() + size));
  }
  EXPECT_EQ(BoltOf(AsFile(With(Bytes(40, 'x')))), "no_lbr\n");
  EXPECT_EQ(Counted("the recording's branch list is none"), 1u);
}

TEST_F(RecordedBranchListTest, ListsAreNotMerged) {
  const std::string recording = folder_.File("rec.data");
  WriteBytes(recording, AsFile(With(BytesOf(Countdown(7)))));
  WriteBytes(folder_.File("list"), BytesOf(Countdown(7)));
  for (const std::string& other : {recording, folder_.File("list")}) {
    std::vector<ConvertReport> reports;
    const absl::Status status =
        Merge({InputIdentity::FromPath(recording, true),
               InputIdentity::FromPath(other, true)},
              *FindEmitter("bolt"), outputs(), options_, &reports);
    EXPECT_THAT(std::string(status.message()), HasSubstr("is not merged"));
  }
}

TEST_F(RecordedBranchListTest, PipesHaveNone) {
  EXPECT_EQ(BoltOf(AsPipe(With(BytesOf(Countdown(7))))), "no_lbr\n");
}

}  // namespace
}  // namespace perf2x
