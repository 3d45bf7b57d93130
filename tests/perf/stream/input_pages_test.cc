// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/stream/input_pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/support/wire.h"

namespace perf2x {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr size_t kMiB = 1 << 20, kKept = 56 * kMiB;

// Zeros that note what is done to their pages, in MiB: "+0-4" for loaded,
// "-0-4" for released.
class NotedBlock final : public Block {
 public:
  NotedBlock(size_t size, std::string* notes) : Block(true), notes_(notes) {
    void* memory = mmap(nullptr, size, PROT_READ,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    EXPECT_NE(memory, MAP_FAILED);
    bytes_ = {static_cast<const uint8_t*>(memory), size};
  }
  ~NotedBlock() override {
    munmap(const_cast<uint8_t*>(bytes_.data()), bytes_.size());
  }
  void Populate(absl::Span<const uint8_t> part) const override {
    Note("+", part);
  }
  void Release(absl::Span<const uint8_t> part) const override {
    Note("-", part);
  }

 private:
  void Note(const char* what, absl::Span<const uint8_t> part) const {
    const auto begin = static_cast<size_t>(part.data() - bytes_.data());
    absl::StrAppend(notes_, notes_->empty() ? "" : " ", what, begin / kMiB, "-",
                    (begin + part.size()) / kMiB);
  }
  std::string* const notes_;
};

class InputPagesTest : public testing::Test {
 protected:
  // Reads a sample of `sample_type` at each MiB of `size`; returns the notes.
  std::string Read(uint64_t sample_type, size_t size, bool releases) {
    EventAttr attr;
    attr.size = kAttrSizeVer0;
    attr.sample_type = sample_type;
    const std::vector<uint8_t> bytes = EncodeAttr(attr, kHostOrder);
    RawRecord event;
    event.type = kRecordHeaderAttr;
    event.body = bytes;
    AttrTable attrs(&diagnostics_);
    attrs.Observe(event);

    std::string notes;
    const BlockRef block(std::make_unique<NotedBlock>(size, &notes));
    InputPages pages(releases, kKept);
    for (size_t at = 0; at < size; at += kMiB) {
      RawRecord sample;
      sample.type = kRecordSample;
      sample.block = &block;
      sample.body = block->bytes().subspan(at, 64);
      pages.BeforeSample(sample, attrs);
    }
    return notes;
  }

 private:
  Diagnostics diagnostics_;
};

TEST_F(InputPagesTest, LoadsAFewMegabytesAtATime) {
  EXPECT_EQ(Read(kSampleIp, 10 * kMiB + 64, true), "+0-4 +4-8 +8-10");
}

TEST_F(InputPagesTest, ReleasesWhatIsFarBehind) {
  const std::string notes =
      "+0-4 +4-8 +8-12 +12-16 +16-20 +20-24 +24-28 +28-32 +32-36 +36-40 "
      "+40-44 +44-48 +48-52 +52-56 +56-60 +60-64 -0-4 +64-66 -4-8";
  EXPECT_EQ(Read(kSampleIp, 66 * kMiB, true), notes);
  EXPECT_EQ(
      Read(kSampleIp | kSampleCallchain | kSampleStackUser, 66 * kMiB, true),
      notes);
}

TEST_F(InputPagesTest, KeepsWhatIsReadAgain) {
  EXPECT_THAT(Read(kSampleIp, 66 * kMiB, false), Not(HasSubstr(" -")));
  EXPECT_THAT(Read(kSampleIp | kSampleCallchain, 66 * kMiB, true),
              Not(HasSubstr(" -")));
}

TEST_F(InputPagesTest, HandlesTheFirstFileOnly) {
  std::string first_notes;
  std::string second_notes;
  const BlockRef first(std::make_unique<NotedBlock>(kMiB, &first_notes));
  const BlockRef second(std::make_unique<NotedBlock>(kMiB, &second_notes));
  Diagnostics diagnostics;
  const AttrTable attrs(&diagnostics);
  InputPages pages(true, kKept);
  for (const BlockRef* block : {&first, &second, &first}) {
    RawRecord sample;
    sample.type = kRecordSample;
    sample.block = block;
    sample.body = (*block)->bytes();
    pages.BeforeSample(sample, attrs);
  }
  EXPECT_EQ(first_notes, "+0-1");
  EXPECT_EQ(second_notes, "");
}

}  // namespace
}  // namespace perf2x
