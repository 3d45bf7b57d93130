// SPDX-License-Identifier: Apache-2.0
#include "converter/session/mapping_tracker.h"

#include "converter/perf/records/wire.h"
#include "converter/symbolize/recorded_symbols.h"
#include "tests/session/tracker_test.h"
#include "tests/support/mmap_record.h"

namespace perf2x {
namespace {

class MappingTrackerTest : public TrackerTest {
 protected:
  static MmapRecord Mmap(int32_t pid, uint64_t start, uint64_t size,
                         absl::string_view name) {
    return MmapOf(pid, name, start, size);
  }
  absl::Status Apply(const MmapRecord& mmap, uint16_t misc = kMiscUser) {
    return mappings_.Apply(mmap, At(1, mmap, misc));
  }
  std::string NameAt(const AddressMap& map, uint64_t address) {
    const MapEntry* entry = map.Find(address);
    return entry == nullptr ? "" : tables_.dsos()[entry->dso].name;
  }

  HeaderFeatures features_;
  Budget budget_;
  WorkMeter work_{budget_};
  MappingTracker mappings_{{.tables = tables_,
                            .dsos = dsos_,
                            .spaces = spaces_,
                            .threads = threads_,
                            .sink = sink_,
                            .features = features_,
                            .environment = environment_,
                            .diagnostics = diagnostics_,
                            .work = work_}};
};

TEST_F(MappingTrackerTest, MapsFilesOfProcesses) {
  ASSERT_TRUE(Apply(Mmap(7, 0x1000, 0x2000, "/bin/a")).ok());
  ASSERT_TRUE(
      Apply(Mmap(7, 0x8000, 0x1000, "[heap]"), kMiscUser | kMiscMmapData).ok());
  EXPECT_EQ(Take(), (Lines{"thread 7/7 :7 @1", "map :7/bin/a 1000+2000 0 @1"}));
  const ProcessState& process = threads_.table().GetProcess(7);
  EXPECT_EQ(NameAt(process.map, 0x2fff), "/bin/a");
  EXPECT_EQ(NameAt(process.map, 0x8000), "[heap]");
  EXPECT_EQ(tables_.dsos()[process.executable].name, "/bin/a");
}

// simpleperf stores JIT'd code in a file, but maps it where it found it.
TEST_F(MappingTrackerTest, RecordedJitCode) {
  RecordedSymbols symbols;
  RecordedSymbols::File file_of_code;
  file_of_code.path = "/jit_app_cache:0-64";
  const auto file = symbols.AddFile(file_of_code);
  symbols.AddSymbol(file, 0x5010, 0x10, "Hot.run");
  environment_.symbols = &symbols;
  features_.present = {kFeatureSimpleperfMetaInfo};
  Mmap2Record mmap;
  mmap.pid = mmap.tid = 7;
  mmap.addr = 0x5000;
  mmap.len = 0x100;
  mmap.pgoff = 0x40;
  mmap.prot = 0x4000;
  mmap.filename = "/jit_app_cache:0-64";
  ASSERT_TRUE(mappings_.Apply(mmap, At(1, mmap, kMiscUser)).ok());
  const ProcessState& process = threads_.table().GetProcess(7);
  EXPECT_EQ(NameAt(process.map, 0x500f), "/jit_app_cache:0-64");
  EXPECT_EQ(NameAt(process.map, 0x5010), "Hot.run");
  EXPECT_EQ(NameAt(process.map, 0x5020), "/jit_app_cache:0-64");
  EXPECT_EQ(process.executable, kNoId);
}

// The code of a perf map lies in memory that no record maps.
TEST_F(MappingTrackerTest, RecordedPerfMap) {
  RecordedSymbols symbols;
  RecordedSymbols::File map;
  map.path = "perf-7.map";
  map.addresses = RecordedSymbols::Addresses::kRunTime;
  symbols.AddSymbol(symbols.AddFile(map), 0x9000, 0x10, "generated");
  environment_.symbols = &symbols;
  features_.present = {kFeatureSimpleperfMetaInfo};
  ASSERT_TRUE(Apply(Mmap(7, 0x1000, 0x2000, "/bin/a")).ok());
  ASSERT_TRUE(Apply(Mmap(8, 0x1000, 0x2000, "/bin/a")).ok());
  EXPECT_EQ(NameAt(threads_.table().GetProcess(7).map, 0x900f), "generated");
  EXPECT_EQ(NameAt(threads_.table().GetProcess(8).map, 0x900f), "");
}

TEST_F(MappingTrackerTest, RangesThatWrapAreSkipped) {
  ASSERT_TRUE(Apply(Mmap(7, 0x1000, 0, "/bin/a")).ok());
  ASSERT_TRUE(Apply(Mmap(7, ~uint64_t{0}, 0x1000, "/bin/a")).ok());
  EXPECT_TRUE(Take().empty());
  EXPECT_EQ(Diagnosed(),
            (Lines{"2 x MMAP record with an empty or inverted address range"}));
}

TEST_F(MappingTrackerTest, TheKernelsMapNamesItsReferenceSymbol) {
  ASSERT_TRUE(Apply(Mmap(-1, uint64_t{0xffff} << 48, uint64_t{0xffff} << 48,
                         "[kernel.kallsyms]_text"),
                    kMiscKernel)
                  .ok());
  EXPECT_TRUE(mappings_.has_kernel());
  const MapEntry* entry = spaces_.mutable_kernel_map().Find(~uint64_t{0} - 1);
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(tables_.dsos()[entry->dso].name, "[kernel.kallsyms]");
  EXPECT_EQ(tables_.dsos()[entry->dso].reference_symbol, "_text");
  EXPECT_EQ(Take().size(), 1u);
}

TEST_F(MappingTrackerTest, AGuestsKernelIsNotTheHosts) {
  ASSERT_TRUE(Apply(Mmap(7, 0xf000, 0x1000, "[guest.kernel.kallsyms.7]_stext"),
                    kMiscGuestKernel)
                  .ok());
  ASSERT_TRUE(Apply(Mmap(0, 0xe000, 0x1000, "[guest.kernel.kallsyms]"),
                    kMiscGuestKernel)
                  .ok());
  EXPECT_EQ(NameAt(threads_.table().GetProcess(7).guest_map, 0xf000),
            "[guest.kernel.kallsyms.7]");
  EXPECT_EQ(NameAt(spaces_.mutable_guest_map(nullptr), 0xe000),
            "[guest.kernel.kallsyms]");
  EXPECT_EQ(spaces_.mutable_kernel_map().Find(0xf000), nullptr);
  EXPECT_FALSE(mappings_.has_kernel());
  ASSERT_TRUE(Apply(Mmap(7, 0x1000, 0x1000, "/bin/a"), kMiscGuestUser).ok());
  EXPECT_EQ(Diagnosed().size(), 1u);
}

TEST_F(MappingTrackerTest, KernelFunctionsComeAndGo) {
  KsymbolRecord ksymbol;
  ksymbol.addr = 0x1000;
  ksymbol.len = 0x100;
  ksymbol.name = "bpf_prog_1";
  ASSERT_TRUE(mappings_.Apply(ksymbol, At(1, ksymbol)).ok());
  const MapEntry* entry = spaces_.mutable_kernel_map().Find(0x1080);
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(tables_.dsos()[entry->dso].symbol, "bpf_prog_1");
  ksymbol.flags = KsymbolRecord::kUnregister;
  ASSERT_TRUE(mappings_.Apply(ksymbol, At(2, ksymbol)).ok());
  EXPECT_EQ(spaces_.mutable_kernel_map().Find(0x1080), nullptr);
}

TEST_F(MappingTrackerTest, AJitDumpIsOpenedOnceForEachProcess) {
  for (const int32_t pid : {7, 7, 8}) {
    ASSERT_TRUE(Apply(Mmap(pid, 0x1000, 0x1000, "/tmp/jit-7.dump")).ok());
  }
  EXPECT_EQ(environment_.calls,
            (Lines{"jitdump /tmp/jit-7.dump", "jitdump /tmp/jit-7.dump"}));
  EXPECT_FALSE(mappings_.has_pending_code());
  EXPECT_EQ(Diagnosed().size(), 1u);
}

TEST_F(MappingTrackerTest, AJitDumpHasOneSpelling) {
  for (const char* name : {"/tmp/jit-7.dump", "/tmp/./jit-7.dump",
                           "/tmp//jit-7.dump", "/tmp/x/../jit-7.dump"}) {
    ASSERT_TRUE(Apply(Mmap(7, 0x1000, 0x1000, name)).ok());
  }
  EXPECT_EQ(environment_.calls, (Lines{"jitdump /tmp/jit-7.dump"}));
  ASSERT_TRUE(Apply(Mmap(7, 0x1000, 0x1000, "/tmp/jit-8.dump")).ok());
  EXPECT_EQ(environment_.calls.size(), 2u);
}

}  // namespace
}  // namespace perf2x
