// SPDX-License-Identifier: Apache-2.0

// One recording in every container and byte order: the same profile, and the
// same records of the kernel.

#include <gtest/gtest.h>

#include "converter/convert/convert.h"
#include "converter/emit/registry.h"
#include "converter/inspect/inspect.h"
#include "tests/support/compressed_file.h"
#include "tests/support/other_order.h"
#include "tests/support/perf_data_builder.h"
#include "tests/support/temp_folder.h"
#include "tests/support/text_output.h"

namespace perf2x {
namespace {

std::string Profile(Input input) {
  TextOutput outputs;
  ConvertOptions options;
  options.symbolize = false;
  ConvertReport report;
  const EmitterInfo* pprof = FindEmitter("pprof");
  EXPECT_NE(pprof, nullptr);
  const absl::Status status =
      Convert(std::move(input), *pprof, outputs, options, &report);
  EXPECT_TRUE(status.ok()) << status;
  for (const auto& [what, entry] : report.diagnostics.entries()) {
    EXPECT_EQ(entry.severity, Diagnostics::Severity::kNote) << what;
  }
  const ByteAccount& b = report.bytes;
  EXPECT_EQ(b.record_bytes + b.payload + b.damaged,
            b.data - b.compressed + b.decompressed);
  EXPECT_FALSE(outputs.text.empty());
  return outputs.text;
}

// Branch flags are left out: as words they differ between byte orders.
std::string Records(Input input) {
  std::string text;
  auto output = MakeStringOutput(&text);
  Diagnostics diagnostics;
  DumpOptions options;
  options.sorted = true;
  options.container = false;
  options.callchain = options.regs = options.raw = options.stack = true;
  const absl::Status status =
      WriteDump(std::move(input), options, *output, &diagnostics);
  EXPECT_TRUE(status.ok()) << status;
  return text;
}

class ContainersTest : public testing::TestWithParam<const char*> {
 protected:
  ContainersTest() : recording_(TakeApart(OpenTestdata(GetParam()))) {
    const ByteVector file = AsFile(recording_);
    profile_ = Profile(MemoryInput(file));
    records_ = Records(MemoryInput(file));
  }
  void ExpectSame(const char* how, const ByteVector& bytes) {
    SCOPED_TRACE(how);
    EXPECT_EQ(Records(MemoryInput(bytes)), records_);
    EXPECT_TRUE(Profile(MemoryInput(bytes)) == profile_);
  }

  Recording recording_;
  std::string profile_, records_;
};

TEST_P(ContainersTest, TheBuilderKeepsTheRecording) {
  EXPECT_EQ(Records(OpenTestdata(GetParam())), records_);
  EXPECT_GT(records_.size(), 1000u);
}

TEST_P(ContainersTest, SameInEveryContainerAndByteOrder) {
  for (const bool other : {false, true}) {
    SCOPED_TRACE(other ? "other byte order" : "own byte order");
    const Recording r = other ? InOtherOrder(recording_) : recording_;
    const ByteVector file = AsFile(r);
    ExpectSame("file", file);
    ExpectSame("gzip", Gzipped(file));
    ExpectSame("bzip2", Bzip2ed(file));
    ExpectSame("xz", Xzed(file));
    ExpectSame("zstd", Zstded(file));
    ExpectSame("pipe", AsPipe(r));
    for (const uint32_t type : {kRecordCompressed, kRecordCompressed2}) {
      SCOPED_TRACE(type);
      const Recording packed = Compressed(r, type);
      ExpectSame("compressed file", AsFile(packed));
      ExpectSame("compressed pipe", AsPipe(packed));
      // One byte a slice: every record lies across many.
      ExpectSame("compressed, finely sliced",
                 AsPipe(Compressed(r, type, 100, 1)));
    }
    const TempFolder temp;
    const std::string folder = temp.File("directory.data");
    WriteDirectory(r, folder);
    auto directory = OpenInput(folder);
    ASSERT_TRUE(directory.ok()) << directory.status();
    EXPECT_EQ(Records(*std::move(directory)), records_);
    directory = OpenInput(folder);
    EXPECT_TRUE(Profile(*std::move(directory)) == profile_);
  }
}

INSTANTIATE_TEST_SUITE_P(Testdata, ContainersTest,
                         testing::Values("callgraph.data", "dwarf.data",
                                         "fields.data", "tasks.data",
                                         "sched.data", "switch.data"),
                         [](const auto& test) {
                           const std::string name = test.param;
                           return name.substr(0, name.find('.'));
                         });

// The first version has names in a section of their own, and no features.
TEST(FirstVersionTest, SameRecordsNamesAndProfile) {
  const Recording recording = TakeApart(OpenTestdata("callgraph.data"));
  Recording bare = recording;
  bare.features.clear();
  const std::string records = Records(OpenTestdata("callgraph.data"));
  // With names, and no other feature, the second version has the same profile.
  Recording named = recording;
  std::erase_if(named.features, [](const auto& feature) {
    return feature.number != kFeatureEventDesc;
  });
  const ByteVector second = AsFile(named);
  const std::string profile = Profile(MemoryInput(second));
  EXPECT_GT(profile.size(), 100u);
  for (const Recording& r : {bare, InOtherOrder(bare)}) {
    const ByteVector first = AsFirstVersion(r);
    EXPECT_EQ(Records(MemoryInput(first)), records);
    EXPECT_TRUE(Profile(MemoryInput(first)) == profile);
  }
}

}  // namespace
}  // namespace perf2x
