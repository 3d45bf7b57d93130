// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "absl/strings/str_split.h"
#include "converter/emit/emitters.h"
#include "tests/support/small_trace.h"

namespace perf2x {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kCachelinesHeader[] =
    "address,size,dso,offset,symbol,pid,process,samples,loads,stores,"
    "hitm_local,hitm_remote,peer_local,peer_remote,llc_misses,tlb_misses,"
    "weight,processes,threads,cpus,offsets,function,function_dso,"
    "function_samples";

class CacheLinesTableTest : public SmallTrace {
 protected:
  CacheLinesTableTest() {
    AddEvent("loads");
    AddEvent("stores");
    AddThread(10, 10, "app", "app");
    AddThread(10, 11, "app", "worker");
    AddThread(20, 20, "other", "other");
    info_.cache_line_size = 64;
  }
  void Start() {
    ASSERT_TRUE(Begin(CsvEmitterInfo(), {{"table", "cachelines"}}).ok());
  }
  // An access of its own record.
  void Access(uint64_t address, const DataAccess& access, ThreadId thread = 0,
              const std::string& function = "main", uint64_t weight = 0) {
    MemoryAccess memory;
    memory.number = ++number_;
    memory.address = address;
    memory.weight = weight;
    memory.access = access;
    Sample sample;
    sample.thread = thread;
    sample.cpu = static_cast<int32_t>(thread);
    sample.stack = Stack({function});
    sample.access = &memory;
    ASSERT_TRUE(emitter().OnSample(sample).ok());
  }
  // The rows without the header.
  std::vector<std::string> Rows() {
    std::vector<std::string> rows =
        absl::StrSplit(output(), "\r\n", absl::SkipEmpty());
    if (rows.empty()) return rows;
    EXPECT_EQ(rows[0], kCachelinesHeader);
    rows.erase(rows.begin());
    return rows;
  }

  uint64_t number_ = 0;
};

const DataAccess kLoad = {.load = true};
const DataAccess kStore = {.store = true};
const DataAccess kHitm = {.load = true, .hitm_local = true};

TEST_F(CacheLinesTableTest, SumTheAccessesOfALine) {
  Start();
  EXPECT_TRUE(emitter().requirements().accesses);
  Access(0x10008, kLoad, 0, "main", 30);
  Access(0x1003f, kStore, 1, "memcpy");
  Access(0x10008, {.load = true, .llc_miss = true, .tlb_miss = true}, 1,
         "memcpy", 400);
  Access(0x10040, kLoad, 0, "main", 5);
  ASSERT_TRUE(Finish().ok());
  EXPECT_THAT(
      Rows(),
      ElementsAre("0x10000,64,,,,10,app,3,2,1,0,0,0,0,1,1,430,1,2,2,2,memcpy,"
                  "/opt/lib.so,2",
                  "0x10040,64,,,,10,app,1,1,0,0,0,0,0,0,0,5,1,1,1,1,main,"
                  "/opt/app,1"));
  EXPECT_THAT(diagnostics_.entries(), IsEmpty());
}

TEST_F(CacheLinesTableTest, TheMostContendedComesFirst) {
  Start();
  for (int i = 0; i < 3; ++i) Access(0x10000, kLoad);
  Access(0x20000, kHitm);
  Access(0x30000, {.load = true, .peer_remote = true});
  Access(0x30000, {.load = true, .hitm_remote = true, .llc_miss = true});
  ASSERT_TRUE(Finish().ok());
  EXPECT_THAT(
      Rows(),
      ElementsAre(
          "0x30000,64,,,,10,app,2,2,0,0,1,0,1,1,0,0,1,1,1,1,main,/opt/app,2",
          "0x20000,64,,,,10,app,1,1,0,1,0,0,0,0,0,0,1,1,1,1,main,/opt/app,1",
          "0x10000,64,,,,10,app,3,3,0,0,0,0,0,0,0,0,1,1,1,1,main,/opt/app,3"));
}

// Memory of a file and of the kernel is one for all processes, other memory is
// not.
TEST_F(CacheLinesTableTest, ProcessesShareFilesAndTheKernel) {
  Start();
  for (const ThreadId thread : {0, 2}) {
    Access(0x7f0000000004, kLoad, thread);
    Access(0x10000, kLoad, thread);
    Access(0xffffffff81000014, kLoad, thread);
    Access(0xffff888000000000, kLoad, thread);
  }
  ASSERT_TRUE(Finish().ok());
  EXPECT_THAT(
      Rows(),
      ElementsAre(
          "0x7f0000000000,64,/opt/lib.so,0x1000,,,,2,2,0,0,0,0,0,0,0,0,2,2,2,1,"
          "main,/opt/app,2",
          "0xffff888000000000,64,,,,,,2,2,0,0,0,0,0,0,0,0,2,2,2,1,main,"
          "/opt/app,2",
          "0xffffffff81000000,64,[kernel.kallsyms],,sys_read,,,2,2,0,0,0,0,0,0,"
          "0,0,2,2,2,1,main,/opt/app,2",
          "0x10000,64,,,,10,app,1,1,0,0,0,0,0,0,0,0,1,1,1,1,main,/opt/app,1",
          "0x10000,64,,,,20,other,1,1,0,0,0,0,0,0,0,0,1,1,1,1,main,/opt/app,"
          "1"));
}

// After a fork, the child has the DSO that its parent's mapping is of.
TEST_F(CacheLinesTableTest, ProcessesDoNotShareAnonymousMemory) {
  Dso heap;
  heap.kind = DsoKind::kAnonymous;
  heap.name = "[heap]";
  heap.pid = 10;
  const DsoId dso = tables_.AddDso(heap);
  tables_.AddMapping({dso, 0x900000, 0x901000, 0});
  Start();
  Access(0x900000, kLoad, 0);
  Access(0x900000, kLoad, 2);
  ASSERT_TRUE(Finish().ok());
  EXPECT_THAT(
      Rows(),
      ElementsAre("0x900000,64,[heap],,,10,app,1,1,0,0,0,0,0,0,0,0,1,1,1,1,"
                  "main,/opt/app,1",
                  "0x900000,64,[heap],,,20,other,1,1,0,0,0,0,0,0,0,0,1,1,1,1,"
                  "main,/opt/app,1"));
}

TEST_F(CacheLinesTableTest, CountARecordOnce) {
  Start();
  Access(0x10000, kLoad);
  --number_;  // the next sample is of another event of the same record
  Access(0x10000, kLoad);
  Add(0, 0, Stack({"main"}));  // without an access
  ASSERT_TRUE(Finish().ok());
  ASSERT_EQ(Rows().size(), 1u);
  EXPECT_THAT(Rows()[0], HasSubstr(",10,app,1,1,0,"));
}

TEST_F(CacheLinesTableTest, SizesAreThoseOfTheRecording) {
  info_.cache_line_size = 256;  // s390x
  Start();
  Access(0x10008, kLoad);
  Access(0x100f8, kLoad);
  ASSERT_TRUE(Finish().ok());
  EXPECT_THAT(Rows(), ElementsAre("0x10000,256,,,,10,app,2,2,0,0,0,0,0,0,0,0,1,"
                                  "1,1,2,main,/opt/app,2"));
}

TEST_F(CacheLinesTableTest, AnUnknownSizeIsSaid) {
  for (const uint32_t size : {0, 48, 1 << 20}) {
    SCOPED_TRACE(size);
    info_.cache_line_size = size;
    diagnostics_ = Diagnostics();
    outputs_.clear();
    Start();
    Access(0x10008, kLoad);
    ASSERT_TRUE(Finish().ok());
    ASSERT_EQ(Rows().size(), 1u);
    EXPECT_THAT(Rows()[0], HasSubstr("0x10000,64,"));
    ASSERT_EQ(diagnostics_.entries().size(), 1u);
    EXPECT_THAT(diagnostics_.entries().begin()->first,
                HasSubstr("lines of 64 bytes"));
  }
}

TEST_F(CacheLinesTableTest, EndWithTheBudget) {
  Budget& budget = Limit({{{1 << 20, 0}, {1 << 20, 0}, {1 << 20, 0}}});
  Start();
  uint64_t added = 0;
  for (; !budget.exhausted(); ++added) {
    ASSERT_LT(added, 1 << 16);
    Access(added * 64, kLoad);
  }
  Access(0, kLoad);
  budget.ReleaseReserve();
  ASSERT_TRUE(Finish().ok());
  EXPECT_EQ(Rows().size(), added);
  ASSERT_EQ(diagnostics_.entries().size(), 1u);
  EXPECT_THAT(diagnostics_.entries().begin()->first,
              HasSubstr("sample of table cachelines"));
}

}  // namespace
}  // namespace perf2x
