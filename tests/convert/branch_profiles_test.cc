// SPDX-License-Identifier: Apache-2.0

// Profiles for compilers, from a recording's bytes and the program's file.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "converter/convert/convert.h"
#include "converter/emit/registry.h"
#include "converter/input/input.h"
#include "converter/perf/records/kernel_records.h"
#include "converter/perf/records/wire.h"
#include "tests/support/perf_data_builder.h"
#include "tests/support/span_of.h"

namespace perf2x {
namespace {

constexpr uint64_t kProgramStart = 0x555555554000;  // of the program
constexpr uint64_t kLibraryStart = 0x7ffff7000000;
constexpr uint64_t kPredicted = 2, kMispredicted = 1;  // flags of a branch
constexpr uint64_t kWrongPath = uint64_t{1} << 24;

// A recording of tests/symbolize/data/gcc-dwarf5: _start at 0x280 calls plain_c
// at 0x270 from 0x286, which calls demo::Outer at 0x230 from 0x270. Outer
// returns from 0x26b, plain_c from 0x278; _start jumps back from 0x291.
class BranchProfilesTest : public testing::Test, private OutputFactory {
 protected:
  using Entries = std::vector<std::pair<uint64_t, uint64_t>>;

  BranchProfilesTest() {
    EventAttr& attr = recording_.AddSoftwareEvent(
        kSampleIp | kSampleTid | kSampleTime | kSampleBranchStack);
    attr.type = kTypeHardware;
    attr.branch_sample_type = kBranchAny | 1;
    attr.flags = kSampleIdAll;
    Map(kProgramStart, "tests/symbolize/data/gcc-dwarf5");
    Map(kLibraryStart, "/opt/lib.so");
  }

  void Map(uint64_t start, const std::string& path) {
    Mmap2Record map;
    map.pid = map.tid = 7;
    map.addr = start;
    map.len = 0x1000;
    const std::string name = std::filesystem::absolute(path).string();
    map.filename = name;
    recording_.Add(map, At(1));
  }
  static SampleId At(uint64_t time) {
    SampleId id;
    id.pid = id.tid = 7;
    id.time = time;
    return id;
  }
  static uint64_t RunTime(uint64_t address) {
    return address < 0x1000 ? address + kProgramStart : address;
  }
  // Adds a sample; its branches come the latest first.
  void Add(const Entries& entries, uint64_t flags = kPredicted) {
    std::vector<uint64_t> words;
    for (const auto& [from, to] : entries) {
      words.insert(words.end(), {RunTime(from), RunTime(to), flags});
    }
    SampleRecord sample;
    sample.pid = sample.tid = 7;
    sample.time = ++time_;
    sample.ip = entries.empty() ? RunTime(0x280) : RunTime(entries[0].second);
    sample.branch_nr = entries.size();
    sample.branches = SpanOf(words);
    recording_.Add(sample, {}, kMiscUser);
  }
  // Two rounds of the program's loop, and a call from a library.
  void AddRounds() {
    for (int i = 0; i < 2; ++i) {
      Add({{0x291, 0x280},
           {0x278, 0x28b},
           {0x26b, 0x275},
           {0x270, 0x230},
           {0x286, 0x270}});
    }
    Add({{kLibraryStart + 4, 0x230}}, kMispredicted);
    Add({{0x270, 0x230}}, kWrongPath);
  }

  absl::Status ConvertTo(absl::string_view format, absl::string_view dso) {
    text_.clear();
    ConvertOptions options;
    options.symbols.trust_host = true;
    EXPECT_TRUE(AddToFilter(FilterKey::kDso, dso, &options.filter).ok());
    ConvertReport report;
    const ByteVector bytes = AsFile(recording_);
    return perf2x::Convert(MemoryInput(bytes), *FindEmitter(format), *this,
                           options, &report);
  }
  std::string Convert(absl::string_view format) {
    const absl::Status status = ConvertTo(format, "gcc-dwarf5");
    EXPECT_TRUE(status.ok()) << status;
    return text_;
  }

 private:
  absl::StatusOr<std::unique_ptr<Output>> Open(absl::string_view) override {
    return MakeStringOutput(&text_);
  }
  Recording recording_;
  uint64_t time_ = 1;
  std::string text_;
};

TEST_F(BranchProfilesTest, Bolt) {
  AddRounds();
  EXPECT_EQ(Convert("bolt"),
            "B 0 230 1 1\n"
            "B 26b 275 2 0\n"
            "B 270 230 2 0\n"
            "B 278 28b 2 0\n"
            "B 286 270 2 0\n"
            "B 291 280 2 0\n"
            "f 230 26b 2\n"
            "f 270 270 2\n"
            "f 275 278 2\n"
            "f 28b 291 2\n");
}

TEST_F(BranchProfilesTest, Profgen) {
  AddRounds();
  EXPECT_EQ(Convert("profgen"),
            "4\n"
            "230-26b:2\n"
            "270-270:2\n"
            "275-278:2\n"
            "28b-291:2\n"
            "6\n"
            "1->230:1\n"
            "26b->275:2\n"
            "270->230:2\n"
            "278->28b:2\n"
            "286->270:2\n"
            "291->280:2\n");
}

TEST_F(BranchProfilesTest, Autofdo) {
  AddRounds();
  const std::string text = Convert("autofdo");
  EXPECT_EQ(text.substr(0, text.find('\n')), "_ZN4demo5OuterEi:120:3");
  EXPECT_NE(text.find("plain_c:18:2\n"), std::string::npos) << text;
  EXPECT_NE(text.find(" _ZN4demo5OuterEi:2\n"), std::string::npos) << text;
  EXPECT_NE(text.find("   1: 2\n"), std::string::npos) << text;
}

TEST_F(BranchProfilesTest, SeveralFilesAreRefused) {
  AddRounds();
  EXPECT_EQ(ConvertTo("bolt", "gcc-dwarf5,lib.so").message(),
            "bolt is about one file; name one with --dso, not 2");
}

}  // namespace
}  // namespace perf2x
