// SPDX-License-Identifier: Apache-2.0

// Stacks of virtual machines and hypervisors, from a recording's bytes to every
// format.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "converter/convert/convert.h"
#include "converter/emit/registry.h"
#include "tests/convert/addresses.h"
#include "tests/support/html_page.h"
#include "tests/support/mmap_record.h"
#include "tests/support/parquet_file.h"
#include "tests/support/perf_data_builder.h"
#include "tests/support/perfetto_trace.h"
#include "tests/support/small_trace.h"
#include "tests/support/span_of.h"
#include "tests/support/temp_folder.h"
#include "tests/unwind/test_elf.h"

namespace perf2x {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr uint64_t kGuestCode = 0xffffffff82000000;

// One program that runs a virtual machine.
class GuestStacksTest : public testing::Test {
 protected:
  explicit GuestStacksTest(uint64_t more_types = 0) {
    EventAttr& attr = recording_.AddSoftwareEvent(
        kSampleIp | kSampleTid | kSampleTime | kSampleCallchain | more_types,
        1);
    attr.sample_regs_user = 1 << 7 | 1 << 8;  // x86-64's sp and ip
    attr.sample_stack_user = 16;
    recording_.SetArch("x86_64");
    CommRecord comm;
    comm.pid = comm.tid = 7;
    comm.comm = "qemu";
    recording_.Add(comm);
    recording_.Add(MmapOf(7, "/opt/qemu", kProgram), {}, kMiscUser);
  }

  void Add(uint16_t mode, uint64_t ip, const std::vector<uint64_t>& chain,
           uint64_t user_pc = 0) {
    SampleRecord sample;
    sample.ip = ip;
    sample.pid = sample.tid = 7;
    sample.time = ++time_;
    sample.nr = chain.size();
    sample.ips = SpanOf(chain);
    const std::vector<uint64_t> registers = {0x7ffe0000, user_pc};
    const std::vector<uint8_t> stack(16);
    if (user_pc != 0) {
      sample.user_abi = 2;
      sample.user_regs = SpanOf(registers);
      sample.stack_size = sample.stack_dyn_size = stack.size();
      sample.stack = stack;
    }
    recording_.Add(sample, {}, mode);
  }

  // Of the kernel of the machine that `pid` runs, 0: of any.
  void MapGuest(int32_t pid, const std::string& name, uint64_t start,
                uint64_t length, uint64_t pgoff, uint16_t mode) {
    MmapRecord mmap;
    mmap.pid = pid;
    mmap.addr = start;
    mmap.len = length;
    mmap.pgoff = pgoff;
    mmap.filename = name;
    recording_.Add(mmap, {}, mode);
  }

  // All that `format` writes, with names from the guest's kallsyms.
  // `table`: the one that formats with tables write.
  std::string Convert(const std::string& format,
                      const std::string& table = "") {
    const TempFolder folder;
    const std::string kallsyms = folder.File("guest-kallsyms");
    std::ofstream(kallsyms) << "ffffffff82000000 T guest_entry\n"
                               "ffffffff82000100 T guest_work\n"
                               "ffffffff82001000 T guest_end\n";
    ConvertOptions options;
    options.symbols.guest_kallsyms = kallsyms;
    if (!table.empty()) options.emitter_options["tables"] = table;
    Outputs outputs;
    ConvertReport report;
    const ByteVector file = AsFile(recording_);
    const absl::Status status = perf2x::Convert(
        MemoryInput(file), *FindEmitter(format), outputs, options, &report);
    EXPECT_TRUE(status.ok()) << status;
    notes_.clear();
    for (const auto& entry : report.diagnostics.entries()) {
      notes_.push_back(entry.first);
    }
    return outputs.text();
  }

  Recording recording_;
  std::vector<std::string> notes_;  // of the last conversion

 private:
  class Outputs final : public OutputFactory {
   public:
    absl::StatusOr<std::unique_ptr<Output>> Open(absl::string_view) override {
      return MakeStringOutput(&files_.emplace_back());
    }
    std::string text() const {
      std::string all;
      for (const std::string& file : files_) {
        const std::string unpacked = Gunzip(file);
        all += unpacked.empty() ? file : unpacked;
      }
      return all;
    }

   private:
    std::deque<std::string> files_;
  };

  uint64_t time_ = 1000;
};

// As kernels record them that leave the callchain to the host's side, which has
// none; and as those might that walk the guest's stack.
TEST_F(GuestStacksTest, EveryFormatShowsWhereAGuestWas) {
  Add(kMiscGuestKernel, kGuestCode + 0x110, {kContextKernel, kContextUser});
  Add(kMiscGuestKernel, kGuestCode + 0x10, {});
  Add(kMiscGuestUser, 0x1234, {});
  Add(kMiscGuestUser, 0x1234,
      {kContextGuestUser, 0x1234, 0x1244, kContextKernel, kKernelCode + 1});
  Add(kMiscGuestKernel, kGuestCode + 0x110,
      {kContextGuestKernel, kGuestCode + 0x110, kGuestCode + 0x20,
       kContextGuestUser, 0x1234});
  Add(kMiscKernel, kKernelCode,
      {kContextKernel, kKernelCode, kContextGuest, kGuestCode + 0x110});
  Add(kMiscHypervisor, 0x5000,
      {kContextHypervisor, 0x5000, 0x5010, kContextUser, kProgram + 0x20});
  Add(kMiscHypervisor, 0x5000, {});
  EXPECT_EQ(Convert("folded"),
            "qemu;[guest] 1\n"
            "qemu;[guest];guest_entry;guest_work 1\n"
            "qemu;[hypervisor] 1\n"
            "qemu;[kernel.kallsyms];[guest];[guest] 1\n"
            "qemu;[qemu];[hypervisor];[hypervisor] 1\n"
            "qemu;guest_entry 1\n"
            "qemu;guest_work 1\n"
            "qemu;guest_work;[kernel.kallsyms] 1\n");
  for (const EmitterInfo& format : Emitters()) {
    // Those are about one file, and about places in it.
    if (format.is_about_one_dso) continue;
    const absl::string_view name = format.name;
    const bool has_tables = name == "parquet";
    std::string text = Convert(format.name, has_tables ? "results" : "");
    if (name == "html") {  // its strings are compressed
      const auto page = ReadPage(text);
      ASSERT_TRUE(page.ok()) << page.status();
      text = absl::StrJoin(StringsOf(page->at("perf2x-profile")), "\n");
    }
    if (name == "parquet") text = DumpParquet(text);
    if (name == "perfetto") {
      perfetto::protos::Trace trace;
      ASSERT_TRUE(ReadPerfettoTrace(text, &trace));
      text = trace.DebugString();
    }
    EXPECT_THAT(text, AllOf(HasSubstr("guest_entry"), HasSubstr("guest_work"),
                            HasSubstr("[guest]"), HasSubstr("[hypervisor]")))
        << format.name;
  }
}

TEST_F(GuestStacksTest, MapsOfAGuestsKernelAreOfItsFramesOnly) {
  constexpr uint64_t kShift = 0x300000, kModule = 0xffffffffc0000000,
                     kHostModule = 0xffffffffc0100000;
  // The guest has booted anew since its kallsyms was read.
  MapGuest(0, "[guest.kernel.kallsyms]guest_entry", kGuestCode + kShift,
           0x100000, kGuestCode + kShift, kMiscGuestKernel);
  MapGuest(0, "[virtio]", kModule, 0x4000, 0, kMiscGuestKernel);
  MapGuest(-1, "[kvm]", kHostModule, 0x4000, 0, kMiscKernel);
  Add(kMiscGuestKernel, kModule + 0x10, {});
  Add(kMiscGuestKernel, kModule + 0x20,
      {kContextGuestKernel, kModule + 0x20, kGuestCode + kShift + 0x110});
  Add(kMiscGuestKernel, kHostModule + 0x10, {});
  Add(kMiscKernel, kModule + 0x10, {kContextKernel, kModule + 0x10});
  Add(kMiscKernel, kHostModule + 0x10, {kContextKernel, kHostModule + 0x10});
  EXPECT_EQ(Convert("folded"),
            "qemu;[guest.kernel.kallsyms] 1\n"
            "qemu;[kernel.kallsyms] 1\n"
            "qemu;[kvm] 1\n"
            "qemu;[virtio] 1\n"
            "qemu;guest_work;[virtio] 1\n");
  EXPECT_TRUE(notes_.empty());
}

TEST_F(GuestStacksTest, AMachineOfItsOwnHasMapsOfItsOwn) {
  MapGuest(0, "[guest.kernel.kallsyms]", kGuestCode, 0x100000, 0,
           kMiscGuestKernel);
  MapGuest(0, "[virtio]", kGuestCode + 0x200000, 0x1000, 0, kMiscGuestKernel);
  MapGuest(7, "[guest.kernel.kallsyms.7]", kGuestCode + 0x200000, 0x1000, 0,
           kMiscGuestKernel);
  Add(kMiscGuestKernel, kGuestCode + 0x200010, {});
  // Programs of the guest are in none of the host's, nor in each other's.
  MapGuest(7, "/usr/bin/inside", 0x1000, 0x1000, 0, kMiscGuestUser);
  Add(kMiscGuestUser, 0x1234, {});
  EXPECT_EQ(Convert("folded"),
            "qemu;[guest.kernel.kallsyms.7] 1\n"
            "qemu;[guest] 1\n");
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("program in a virtual machine")));
  EXPECT_THAT(Convert("pprof"), HasSubstr("[guest.kernel.kallsyms.7]"));
}

TEST_F(GuestStacksTest, BuildIdsOfAGuestAreNotTheHosts) {
  // The host has the module that the guest has, and the program.
  Bytes ids;
  const auto add = [&ids](uint16_t mode, char id, const std::string& name) {
    ids.U32(0).U16(mode).U16(8 + 4 + 24 + 16).U32(0);
    ids.Add(std::string(20, id)).U32(0);
    ids.Add(name + std::string(16 - name.size(), '\0'));
  };
  add(kMiscGuestKernel, 'g', "[kvm]");
  add(kMiscUser, 'h', "/opt/qemu");
  const std::string bytes = ids.str();
  recording_.features.push_back(
      {kFeatureBuildId, ByteVector(bytes.begin(), bytes.end())});
  MapGuest(-1, "[kvm]", kKernelCode, 0x4000, 0, kMiscKernel);
  Add(kMiscKernel, kKernelCode + 0x10,
      {kContextKernel, kKernelCode + 0x10, kContextUser, kProgram + 0x10});
  const std::string profile = Convert("pprof");
  EXPECT_THAT(profile, HasSubstr("[kvm]"));
  EXPECT_THAT(profile, HasSubstr("68686868"));
  EXPECT_THAT(profile, testing::Not(HasSubstr("67676767")));
}

class GuestUserStacksTest : public GuestStacksTest {
 protected:
  GuestUserStacksTest() : GuestStacksTest(kSampleRegsUser | kSampleStackUser) {}
};

// The registers and the stack are those of the program that runs the guest.
TEST_F(GuestUserStacksTest, TheGuestComesBeforeTheHostsUserStack) {
  Add(kMiscGuestKernel, kGuestCode + 0x110, {kContextKernel, kContextUser},
      kProgram + 0x20);
  EXPECT_EQ(Convert("folded"), "qemu;[qemu];guest_work 1\n");
}

}  // namespace
}  // namespace perf2x
