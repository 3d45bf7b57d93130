// SPDX-License-Identifier: Apache-2.0

// CoreSight traces through code that is in no file of a program: the kernel's
// memory, and functions in jitdumps.

#include <elf.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/convert/etm_trace_fixture.h"
#include "tests/support/etm_writer.h"
#include "tests/support/hardware_trace.h"
#include "tests/support/jit_dump.h"
#include "tests/support/kernel_core.h"
#include "tests/support/write_bytes.h"

namespace perf2x {
namespace {

class EtmCodeTest : public EtmTraceTest {
 protected:
  static std::string Countdown() {
    const std::vector<uint32_t>& words = CountdownProgram();
    return std::string(reinterpret_cast<const char*>(words.data()),
                       4 * words.size());
  }
  void Write(const std::string& file, const std::string& bytes) {
    const std::filesystem::path path = folder_.File(file);
    std::filesystem::create_directories(path.parent_path());
    WriteBytes(path.string(), ByteVector(bytes.begin(), bytes.end()));
  }
};

TEST_F(EtmCodeTest, TheKernelsMemoryIsInTheRecording) {
  constexpr uint64_t kModule = 0xffff80007a000000;
  EtmWriter writer;
  writer.Sync().TraceOn().Context(kModule + 0x40, 7).Atoms("EEN");
  const ByteVector trace = writer.bytes();
  Recording recording = Program();
  AddAux({.size = trace.size(), .flags = 0x100}, At(100), &recording);
  AddTrace({.bytes = trace}, &recording);
  WriteDirectory(recording, folder_.File("perf.data"));
  const auto branches = [&] {
    auto input = OpenInput(folder_.File("perf.data"));
    EXPECT_TRUE(input.ok()) << input.status();
    return SamplesOf(*std::move(input)).size();
  };
  EXPECT_EQ(branches(), 0u);
  EXPECT_GT(Counted("place in a CoreSight trace whose code was not found"), 0u);
  Write("perf.data/kcore_dir/kcore",
        KernelCore({{kModule, std::string(0x40, '\0') + Countdown()}},
                   EM_AARCH64));
  report_ = ConvertReport();
  EXPECT_EQ(branches(), 2u);
  EXPECT_EQ(Counted("place in a CoreSight trace whose code was not found"), 0u);
}

TEST_F(EtmCodeTest, FunctionsInJitdumps) {
  constexpr uint64_t kFunction = 0x7f0000001000;
  Write("jit-100.dump", JitDumpOf(EM_AARCH64, 100) +
                            JitLoad(50, 100, kFunction, 1, Countdown()));
  options_.symbols.perf_map_dirs = {folder_.path()};
  EtmWriter writer;
  writer.Sync().TraceOn().Context(kFunction, kThread).Atoms("EENEE");
  writer.Address(kFunction + 0x10).Atoms("E");
  const ByteVector trace = writer.bytes();
  Recording recording = Program();
  MmapRecord mmap;
  mmap.pid = 100;
  mmap.tid = kThread;
  mmap.addr = 0x7e0000000000;
  mmap.len = 0x1000;
  mmap.filename = "/tmp/jit-100.dump";
  recording.Add(mmap, At(40), kMiscUser);
  AddAux({.size = trace.size(), .flags = 0x100}, At(100), &recording);
  AddTrace({.bytes = trace}, &recording);
  EXPECT_EQ(SamplesOf(AsFile(recording)).size(), 4u);
  EXPECT_EQ(Counted("place in a CoreSight trace whose code was not found"), 0u);
}

}  // namespace
}  // namespace perf2x
