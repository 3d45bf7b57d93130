// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/stream/header_replay.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "converter/base/byte_order.h"
#include "converter/perf/records/wire.h"

namespace perf2x {
namespace {

using ::testing::ElementsAre;

// A file of attrs (64 bytes and a section of ids), names of event types, a
// feature table and what these point at.
class HeaderReplayTest : public testing::Test {
 protected:
  static constexpr uint64_t kAttr = 64, kSection = 16, kEventType = 72;

  HeaderReplayTest() {
    header_.order = ByteOrder::kLittle;
    header_.attr_size = kAttr + kSection;
    header_.attrs = {0, header_.attr_size};
    header_.event_types = {header_.attr_size, kEventType};
    header_.data = {header_.attr_size + kEventType, 8};
    header_.features = {kFeatureHostname};
    file_.resize(header_.data.offset + header_.data.size + kSection);
  }
  uint64_t end_of_data() const {
    return header_.data.offset + header_.data.size;
  }
  void PutSection(uint64_t at, uint64_t offset, uint64_t size) {
    Store(offset, &file_[at], header_.order);
    Store(size, &file_[at + 8], header_.order);
  }
  // "type at offset: size of the body" of each record.
  std::vector<std::string> Records() {
    std::vector<std::string> records;
    while (!replay_.empty()) {
      RawRecord record;
      replay_.Next(&record);
      EXPECT_TRUE(record.replayed);
      records.push_back(absl::StrCat(record.type, " at ", record.offset, ": ",
                                     record.body.size()));
    }
    return records;
  }

  FileHeader header_;
  std::vector<uint8_t> file_;
  Diagnostics diagnostics_;
  HeaderReplay replay_{&diagnostics_};
};

TEST_F(HeaderReplayTest, MakesTheRecordsOfAPipeStream) {
  PutSection(kAttr, header_.data.offset, 8);  // one id
  PutSection(end_of_data(), header_.data.offset, 5);
  replay_.AddAttrs(header_, file_);
  replay_.AddEventTypes(header_, file_);
  replay_.AddFeatures(header_, file_);
  // A HEADER_FEATURE record begins with the feature's number.
  EXPECT_THAT(Records(),
              ElementsAre("64 at 0: 72", "65 at 80: 72", "80 at 152: 13"));
  EXPECT_TRUE(diagnostics_.entries().empty());
}

TEST_F(HeaderReplayTest, KeepsOnlyWhatLiesWithinTheFile) {
  PutSection(kAttr, file_.size() - 8, 800);
  PutSection(end_of_data(), file_.size() - 3, 300);
  replay_.AddAttrs(header_, file_);
  replay_.AddFeatures(header_, file_);
  EXPECT_THAT(Records(), ElementsAre("64 at 0: 72", "80 at 173: 11"));
  EXPECT_EQ(diagnostics_.entries().size(), 2u);
  EXPECT_EQ(diagnostics_.entries()
                .at("ids of an event lie outside of the file")
                .bytes,
            792u);
}

TEST_F(HeaderReplayTest, AFeatureTableThatEndsEarlyIsDamage) {
  file_.resize(end_of_data() + 15);
  replay_.AddFeatures(header_, file_);
  EXPECT_TRUE(replay_.empty());
  EXPECT_TRUE(diagnostics_.lossy());
}

}  // namespace
}  // namespace perf2x
