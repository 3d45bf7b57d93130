// SPDX-License-Identifier: Apache-2.0

// What frame pointers leave out of a callchain: the caller of a function that
// has not saved its return address, from the link register that perf on arm64
// records beside the callchain.

#include <dwarf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "converter/unwind/registers.h"
#include "tests/convert/addresses.h"
#include "tests/support/mmap_record.h"
#include "tests/support/perf_data_builder.h"
#include "tests/support/read_recording.h"
#include "tests/support/span_of.h"
#include "tests/support/temp_folder.h"
#include "tests/unwind/test_elf.h"

namespace perf2x {
namespace {

using testing::ElementsAre;

constexpr uint64_t kArmKernelCode = 0xffff800010000000;
// Places in the file. The function saves its return address by its second
// instruction; no table covers the linkage table.
constexpr uint64_t kFunction = 0x1000, kLinkage = 0x3000;
// Behind calls in the file, and not behind one.
constexpr uint64_t kCaller = 0x2004, kOuter = 0x2104, kNoCall = 0x2204;

std::string CodeBytes(std::initializer_list<int> bytes) {
  return std::string(bytes.begin(), bytes.end());
}

class LeafCallerTest : public testing::Test {
 protected:
  LeafCallerTest() {
    EventAttr& attr =
        recording_.AddSoftwareEvent(kSampleIp | kSampleTid | kSampleTime |
                                        kSampleCallchain | kSampleRegsUser,
                                    1);
    attr.sample_regs_user = 0x40000000;  // aarch64's lr
    recording_.SetArch("aarch64");
    recording_.Add(MmapOf(7, "/bin/leaf", kProgram, 0x10000), {}, kMiscUser);
    WriteProgram();
  }

  // The offsets of the frames of one sample, leaf first.
  std::vector<uint64_t> Frames(const std::vector<uint64_t>& chain,
                               uint64_t link) {
    const std::vector<uint64_t> registers = {link};
    SampleRecord sample;
    sample.ip = chain[1];
    sample.pid = sample.tid = 7;
    sample.time = 1;
    sample.nr = chain.size();
    sample.ips = SpanOf(chain);
    sample.user_abi = 2;
    sample.user_regs = SpanOf(registers);
    Recording recording = recording_;
    recording.Add(sample, {}, kMiscUser);
    ConvertOptions options;
    options.symbolize = false;
    options.symbols.binaries.symfs = folder_.path();
    std::vector<uint64_t> offsets;
    RecordingReader reader;
    reader.on_sample = [&](const Sample& s, TraceTables& tables) {
      std::vector<FrameId> frames;
      tables.FramesOf(s.stack, &frames);
      for (FrameId id : frames) offsets.push_back(tables.frames()[id].address);
    };
    const ByteVector file = AsFile(recording);
    const absl::Status status =
        ReadRecording(MemoryInput(file), options, reader);
    EXPECT_TRUE(status.ok()) << status;
    return offsets;
  }

 private:
  void WriteProgram() {
    const Machine& machine = *MachineOf("aarch64", 2);
    const std::string call = CodeBytes({0, 0, 0, 0x94});
    const std::string image = TestElf(
        machine,
        {{".caller", kCaller - 4, call},
         {".outer", kOuter - 4, call},
         {".plt", kLinkage, std::string(16, 0)},
         {".eh_frame", 0x4000,
          // Four bytes on: CFA 16 bytes higher, x29 and x30 saved.
          TestEhFrame(
              machine, 0x4000, 30, CodeBytes({DW_CFA_def_cfa, 31, 0}),
              kFunction, 0x100,
              CodeBytes({DW_CFA_advance_loc | 4, DW_CFA_def_cfa_offset, 16,
                         DW_CFA_offset | 29, 2, DW_CFA_offset | 30, 1}))}});
    std::filesystem::create_directory(folder_.File("bin"));
    std::ofstream(folder_.File("bin/leaf")) << image;
  }

  const TempFolder folder_;
  Recording recording_;
};

constexpr uint64_t InProgram(uint64_t offset) { return kProgram + offset; }

TEST_F(LeafCallerTest, LinkRegisterHasTheCallerUntilItIsSaved) {
  EXPECT_THAT(Frames({kContextUser, InProgram(kFunction), InProgram(kOuter)},
                     InProgram(kCaller)),
              ElementsAre(kFunction, kCaller - 1, kOuter - 1));
  EXPECT_THAT(
      Frames({kContextUser, InProgram(kFunction + 4), InProgram(kOuter)},
             InProgram(kCaller)),
      ElementsAre(kFunction + 4, kOuter - 1));
  // A function that calls itself has the same caller twice.
  EXPECT_THAT(Frames({kContextUser, InProgram(kFunction), InProgram(kOuter)},
                     InProgram(kOuter)),
              ElementsAre(kFunction, kOuter - 1, kOuter - 1));
}

TEST_F(LeafCallerTest, FollowsTheKernelsPart) {
  EXPECT_THAT(Frames({kContextKernel, kArmKernelCode, kArmKernelCode + 0x10,
                      kContextUser, InProgram(kFunction), InProgram(kOuter)},
                     InProgram(kCaller)),
              ElementsAre(kArmKernelCode, kArmKernelCode + 0xf, kFunction,
                          kCaller - 1, kOuter - 1));
}

TEST_F(LeafCallerTest, SignedAddressesAreTakenPlain) {
  EXPECT_THAT(Frames({kContextUser, InProgram(kFunction), InProgram(kOuter)},
                     InProgram(kCaller) | uint64_t{0xa5} << 48),
              ElementsAre(kFunction, kCaller - 1, kOuter - 1));
}

TEST_F(LeafCallerTest, WithoutATableItHasToLieBehindACall) {
  EXPECT_THAT(Frames({kContextUser, InProgram(kLinkage), InProgram(kOuter)},
                     InProgram(kCaller)),
              ElementsAre(kLinkage, kCaller - 1, kOuter - 1));
  EXPECT_THAT(Frames({kContextUser, InProgram(kLinkage), InProgram(kOuter)},
                     InProgram(kNoCall)),
              ElementsAre(kLinkage, kOuter - 1));
  EXPECT_THAT(Frames({kContextUser, InProgram(kLinkage), InProgram(kOuter)},
                     InProgram(kOuter)),
              ElementsAre(kLinkage, kOuter - 1));
}

// As perf: where frame pointers lead nowhere, the register is not asked.
TEST_F(LeafCallerTest, NothingIsAddedToALeafAlone) {
  EXPECT_THAT(Frames({kContextUser, InProgram(kFunction)}, InProgram(kCaller)),
              ElementsAre(kFunction));
  EXPECT_THAT(
      Frames({kContextUser, InProgram(kFunction), InProgram(kOuter)}, 0),
      ElementsAre(kFunction, kOuter - 1));
  EXPECT_THAT(
      Frames({kContextUser, InProgram(kFunction), InProgram(kOuter)}, 0x10),
      ElementsAre(kFunction, kOuter - 1));
}

}  // namespace
}  // namespace perf2x
