// SPDX-License-Identifier: Apache-2.0

// Recordings whose stacks do not fit into --max-memory: the profile has the
// same samples as without that limit.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "converter/convert/convert.h"
#include "converter/emit/registry.h"
#include "profile.pb.h"
#include "tests/support/mmap_record.h"
#include "tests/support/perf_data_builder.h"
#include "tests/support/small_trace.h"
#include "tests/support/span_of.h"
#include "tests/support/temp_folder.h"
#include "tests/support/text_output.h"

namespace perf2x {
namespace {

namespace pb = perftools::profiles;

constexpr uint64_t kBase = 0x400000, kOtherBase = 0x7f0000000000;
constexpr uint64_t kCode = 1 << 20;  // bytes of a program
constexpr uint64_t kLeastLimit = 2 << 20;

class SpillTest : public testing::Test {
 protected:
  SpillTest() {
    EventAttr& attr = recording_.AddSoftwareEvent(
        kSampleIp | kSampleTid | kSampleTime | kSampleCallchain | kSamplePeriod,
        1);
    attr.flags = kSampleIdAll;
    for (const int32_t pid : {7, 8}) {
      recording_.Add(MmapOf(pid, "/bin/a", kBase, kCode), At(pid), kMiscUser);
    }
  }

  SampleId At(int32_t pid) {
    SampleId id;
    id.pid = id.tid = pid;
    id.time = ++time_;
    id.id = 1;
    return id;
  }
  uint64_t Random(uint64_t below) {
    random_ = random_ * 6364136223846793005 + 1442695040888963407;
    return (random_ >> 33) % below;
  }
  // Adds samples of so many stacks, some of them often. Half of the way, the
  // processes map more code: equal stacks are then of several address spaces.
  void AddSamples(int count, uint64_t stacks) {
    for (int i = 0; i < count; ++i) {
      if (i == count / 2) {
        for (const int32_t pid : {7, 8}) {
          recording_.Add(MmapOf(pid, "/bin/b", kOtherBase, kCode), At(pid),
                         kMiscUser);
        }
      }
      if (i % 1000 == 0) {  // no records wait for long
        recording_.records.push_back({kRecordFinishedRound, 0, {}, {}, 0});
      }
      const uint64_t stack = Random(3) == 0 ? Random(50) : Random(stacks);
      std::vector<uint64_t> chain = {kContextUser};
      for (uint64_t depth = 0; depth <= stack % 9; ++depth) {
        chain.push_back(kBase + (stack * 8191 + depth * 127) % kCode);
      }
      SampleRecord sample;
      sample.pid = sample.tid = static_cast<int32_t>(7 + stack % 2);
      sample.ip = chain[1];
      sample.period = 1 + Random(1000);
      sample.nr = chain.size();
      sample.ips = SpanOf(chain);
      const SampleId id = At(sample.pid);
      sample.time = id.time;
      recording_.Add(sample, id, kMiscUser);
    }
  }

  // Adds samples with readings of three counters, each of which becomes three
  // samples of one stack, and with dumps of the user stack.
  void AddGroupsWithDumps(int count) {
    recording_ = Recording();
    for (int event = 0; event < 3; ++event) {
      EventAttr& attr = recording_.AddSoftwareEvent(
          kSampleIdentifier | kSampleIp | kSampleTid | kSampleTime |
              kSampleRead | kSampleRegsUser | kSampleStackUser,
          1);
      attr.flags = kSampleIdAll;
      attr.read_format = kReadId | kReadGroup;
      attr.sample_regs_user = 1 << 7 | 1 << 8;  // x86-64's sp and ip
      attr.sample_stack_user = 64;
    }
    recording_.Add(MmapOf(7, "/bin/a", kBase, kCode), At(7), kMiscUser);
    recording_.SetArch("x86_64");
    const std::vector<uint64_t> words(8, 0);
    for (int i = 1; i <= count; ++i) {
      const uint64_t place = kBase + Random(kCode);
      const std::vector<uint64_t> registers = {0x7ffe0000, place};
      const auto value = static_cast<uint64_t>(i);
      const std::vector<uint64_t> members = {5 * value, 1,     7 * value,
                                             2,         value, 3};
      SampleRecord sample;
      sample.pid = sample.tid = 7;
      sample.id = 1;
      sample.ip = place;
      sample.read.nr = 3;
      sample.read.members = SpanOf(members);
      sample.user_abi = 2;
      sample.user_regs = SpanOf(registers);
      sample.stack_size = sample.stack_dyn_size = words.size() * 8;
      sample.stack = {reinterpret_cast<const uint8_t*>(words.data()),
                      words.size() * 8};
      const SampleId id = At(7);
      sample.time = id.time;
      recording_.Add(sample, id, kMiscUser);
    }
  }

  std::string Convert(const ByteVector& bytes, int threads,
                      std::optional<uint64_t> max_memory) {
    ConvertOptions options;
    options.symbolize = false;
    options.threads = threads;
    options.max_memory = max_memory;
    TextOutput out;
    report_ = ConvertReport();
    const absl::Status status = perf2x::Convert(
        MemoryInput(bytes), *FindEmitter("pprof"), out, options, &report_);
    EXPECT_TRUE(status.ok()) << status;
    return out.text;
  }
  // Each sample of a profile as text, sorted, and all else.
  static std::vector<std::string> Contents(const std::string& packed) {
    pb::Profile profile;
    EXPECT_TRUE(profile.ParseFromString(Gunzip(packed)));
    EXPECT_GT(profile.sample_size(), 0);
    std::vector<std::string> out;
    for (const auto& sample : profile.sample()) {
      out.push_back(sample.SerializeAsString());
    }
    std::sort(out.begin(), out.end());
    profile.clear_sample();
    out.push_back(profile.SerializeAsString());
    return out;
  }
  std::string Notes() const {
    std::string notes;
    for (const auto& [message, entry] : report_.diagnostics.entries()) {
      absl::StrAppend(&notes, message, "\n");
    }
    return notes;
  }

  Recording recording_;
  ConvertReport report_;

 private:
  uint64_t time_ = 0, random_ = 1;
};

TEST_F(SpillTest, HasTheSameSamples) {
  AddSamples(200'000, 60'000);
  const Recording compressed = Compressed(recording_, kRecordCompressed, 50000);
  for (const ByteVector& bytes :
       {AsFile(recording_), AsPipe(recording_), AsFile(compressed)}) {
    const std::string in_memory = Convert(bytes, 1, std::nullopt);
    const std::string spilled = Convert(bytes, 1, kLeastLimit);
    // Stacks come in another order.
    ASSERT_NE(spilled, in_memory);
    ASSERT_EQ(Contents(spilled), Contents(in_memory));
    EXPECT_EQ(Notes(), "");
    // An estimate; there are 200,000.
    EXPECT_GT(report_.facts.stacks.samples(), 100'000u);
    EXPECT_LT(report_.facts.stacks.samples(), 400'000u);
    for (const int threads : {2, 3, 5}) {
      EXPECT_EQ(Convert(bytes, threads, kLeastLimit), spilled) << threads;
    }
  }
}

TEST_F(SpillTest, SamplesOfOneRecordKeepItsStack) {
  AddGroupsWithDumps(60'000);
  const ByteVector bytes = AsFile(recording_);
  const std::string in_memory = Convert(bytes, 1, std::nullopt);
  const std::string spilled = Convert(bytes, 1, kLeastLimit);
  ASSERT_NE(spilled, in_memory);
  EXPECT_EQ(Contents(spilled), Contents(in_memory));
  EXPECT_EQ(Convert(bytes, 2, kLeastLimit), spilled);
}

TEST_F(SpillTest, FewStacksStayInMemory) {
  AddSamples(50'000, 500);
  const ByteVector bytes = AsFile(recording_);
  EXPECT_EQ(Convert(bytes, 1, kLeastLimit), Convert(bytes, 1, std::nullopt));
}

TEST_F(SpillTest, WithoutATemporaryFileNothingIsLost) {
  AddSamples(200'000, 60'000);
  const ByteVector bytes = AsFile(recording_);
  const std::string in_memory = Convert(bytes, 1, std::nullopt);
  const char* const folder = std::getenv("TMPDIR");
  const std::string before = folder == nullptr ? "" : folder;
  setenv("TMPDIR", "/nonexistent", 1);
  const std::string spilled = Convert(bytes, 1, kLeastLimit);
  if (folder == nullptr) {
    unsetenv("TMPDIR");
  } else {
    setenv("TMPDIR", before.c_str(), 1);
  }
  EXPECT_EQ(Contents(spilled), Contents(in_memory));
  EXPECT_NE(Notes().find("--max-memory was exceeded: cannot make a temporary "
                         "file /nonexistent/"),
            std::string::npos)
      << Notes();
}

}  // namespace
}  // namespace perf2x
