// SPDX-License-Identifier: Apache-2.0

// Samples taken while a process replaces its program: their user part is of the
// program before.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "converter/perf/records/user_records.h"
#include "tests/convert/addresses.h"
#include "tests/support/mmap_record.h"
#include "tests/support/perf_data_builder.h"
#include "tests/support/read_recording.h"
#include "tests/support/span_of.h"

namespace perf2x {
namespace {

using testing::ElementsAre;

constexpr uint64_t kOld = 0x400000, kNew = 0x800000;

class ExecTest : public testing::Test {
 protected:
  explicit ExecTest(uint64_t more_types = kSampleCallchain) {
    EventAttr& attr = recording_.AddSoftwareEvent(
        kSampleIp | kSampleTid | kSampleTime | more_types, 1);
    attr.flags = kSampleIdAll;
    attr.sample_regs_user = 1 << 8;  // x86-64's ip
    attr.sample_stack_user = 16;
    recording_.SetArch("x86_64");
    Map(kOld, "/bin/old");
  }
  void Map(uint64_t start, const std::string& name) {
    recording_.Add(MmapOf(7, name, start), Now(), kMiscUser);
  }
  void Exec() {
    CommRecord comm;
    comm.pid = comm.tid = 7;
    comm.comm = "new";
    recording_.Add(comm, Now(), kMiscCommExec);
  }
  // A sample in the kernel, called from `user`.
  void InKernel(uint64_t user) {
    Add(kMiscKernel, {kContextKernel, kKernelCode, kContextUser, user});
  }
  void InUser(uint64_t user) { Add(kMiscUser, {kContextUser, user}); }

  // The files of the outermost frames, sample by sample.
  std::vector<std::string> Outermost() {
    std::vector<std::string> out;
    RecordingReader reader;
    reader.on_sample = [&](const Sample& sample, TraceTables& tables) {
      std::vector<FrameId> frames;
      tables.FramesOf(sample.stack, &frames);
      const Frame& frame = tables.frames()[frames.back()];
      out.push_back(tables.dsos()[frame.dso].name);
    };
    ConvertOptions options;
    options.symbolize = false;
    const ByteVector file = AsFile(recording_);
    const absl::Status status =
        ReadRecording(MemoryInput(file), options, reader);
    EXPECT_TRUE(status.ok()) << status;
    return out;
  }

  SampleId Now() {
    SampleId id;
    id.pid = id.tid = 7;
    id.time = ++time_;
    id.id = 1;
    return id;
  }
  Recording recording_;

 private:
  void Add(uint16_t mode, const std::vector<uint64_t>& chain) {
    const std::vector<uint64_t> registers = {chain.back()};
    const std::vector<uint8_t> stack(16);
    SampleRecord sample;
    sample.ip = chain[1];
    sample.pid = sample.tid = 7;
    sample.time = ++time_;
    sample.id = 1;
    if ((recording_.events[0].attr.sample_type & kSampleStackUser) != 0) {
      sample.user_abi = 2;
      sample.user_regs = SpanOf(registers);
      sample.stack_size = sample.stack_dyn_size = stack.size();
      sample.stack = stack;
    }
    const std::vector<uint64_t> recorded(
        chain.begin(), chain.end() - (sample.user_abi == 0 ? 0 : 2));
    sample.nr = recorded.size();
    sample.ips = SpanOf(recorded);
    recording_.Add(sample, {}, mode);
  }
  uint64_t time_ = 1000;
};

TEST_F(ExecTest, SamplesOfTheExecItselfReturnIntoTheOldProgram) {
  InUser(kOld + 4);
  Exec();
  InKernel(kOld + 8);
  Map(kNew, "/bin/new");
  InKernel(kOld + 8);
  InKernel(kNew + 8);
  InUser(kNew);
  EXPECT_THAT(Outermost(), ElementsAre("/bin/old", "/bin/old", "/bin/old",
                                       "/bin/new", "/bin/new"));
}

TEST_F(ExecTest, TheNewProgramComesFirst) {
  Exec();
  Map(kOld, "/bin/new");
  InKernel(kOld + 8);
  EXPECT_THAT(Outermost(), ElementsAre("/bin/new"));
}

TEST_F(ExecTest, TheOldProgramIsForgottenOnceTheNewOneRuns) {
  Exec();
  Map(kNew, "/bin/new");
  InUser(kNew);
  InKernel(kOld + 8);
  EXPECT_THAT(Outermost(), ElementsAre("/bin/new", "[unknown]"));
}

TEST_F(ExecTest, OnlyOneProgramIsKept) {
  Exec();
  Map(kNew, "/bin/new");
  Exec();
  InKernel(kNew + 8);
  InKernel(kOld + 8);
  EXPECT_THAT(Outermost(), ElementsAre("/bin/new", "[unknown]"));
}

TEST_F(ExecTest, AChildHasNoneOfIt) {
  Exec();
  ForkRecord fork;
  fork.pid = fork.tid = 8;
  fork.ppid = fork.ptid = 7;
  recording_.Add(fork, Now());
  SampleRecord sample;
  const std::vector<uint64_t> chain = {kContextUser, kOld + 8};
  sample.ip = kOld + 8;
  sample.pid = sample.tid = 8;
  sample.time = Now().time;
  sample.id = 1;
  sample.nr = chain.size();
  sample.ips = {reinterpret_cast<const uint8_t*>(chain.data()), chain.size(),
                kHostOrder};
  recording_.Add(sample, {}, kMiscUser);
  EXPECT_THAT(Outermost(), ElementsAre("[unknown]"));
}

// perf writes the sums of all sleeps at the end.
TEST_F(ExecTest, OffCpuSumsFindTheProgramThatSlept) {
  recording_.events[0].attr.config = 10;  // PERF_COUNT_SW_BPF_OUTPUT
  EventUpdateRecord name;
  name.kind = EventUpdateRecord::kNameText;
  name.id = 1;
  name.text = "offcpu-time";
  recording_.Add(name);
  Exec();
  Map(kNew, "/bin/new");
  InUser(kNew);
  InUser(kOld + 8);
  EXPECT_THAT(Outermost(), ElementsAre("/bin/new", "/bin/old"));
}

class UnwoundExecTest : public ExecTest {
 protected:
  UnwoundExecTest()
      : ExecTest(kSampleCallchain | kSampleRegsUser | kSampleStackUser) {}
};

TEST_F(UnwoundExecTest, TheInstructionInTheOldProgramIsAFrame) {
  Exec();
  InKernel(kOld + 8);
  InUser(kNew);  // nothing is there, neither now nor before
  EXPECT_THAT(Outermost(), ElementsAre("/bin/old", "[unknown]"));
}

}  // namespace
}  // namespace perf2x
