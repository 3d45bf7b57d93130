// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "converter/emit/emitters.h"
#include "tests/support/parquet_file.h"
#include "tests/support/small_trace.h"

namespace perf2x {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kBranchesHeader[] =
    "sample,time,cpu,pid,tid,process,thread,event,position,source,"
    "source_function,source_offset,source_dso,target,target_function,"
    "target_offset,target_dso,mispredicted,predicted,in_tx,abort,cycles,type,"
    "speculation,privilege\r\n";

class BranchesTableTest : public SmallTrace {
 protected:
  BranchesTableTest() {
    AddEvent("cycles");
    AddThread(10, 11, "app", "worker");
  }
  // The target's frame, then the source's.
  Branch Between(const std::string& source, uint64_t from,
                 const std::string& target, uint64_t to) {
    Branch branch;
    branch.stack = Stack({target, source});
    branch.source = from;
    branch.target = to;
    return branch;
  }
  void AddBranches(absl::Span<const Branch> branches, uint64_t time = 5) {
    Sample sample;
    sample.stack = Stack({"main"});
    sample.cpu = 2;
    sample.time = time;
    sample.branches = branches;
    ASSERT_TRUE(emitter().OnSample(sample).ok());
  }
};

TEST_F(BranchesTableTest, HaveARowEach) {
  ASSERT_TRUE(Begin(CsvEmitterInfo(), {{"table", "branches"}}).ok());
  AddBranches({});
  Branch call = Between("main", 0x400100, "memcpy", 0x7f0000000010);
  call.cycles = 9;
  call.details.predicted = true;
  call.details.kind = BranchKind::kCall;
  call.details.privilege = BranchPrivilege::kUser;
  Branch odd = Between("sort", 0x400200, "sys_read", 0xffffffff81000010);
  odd.mispredicted = true;
  odd.details.in_transaction = odd.details.aborts_transaction = true;
  odd.details.speculation = BranchSpeculation::kWrongPath;
  // Arm SPE knows only where the branch before went.
  const Branch half = Between("?", 0, "main", 0x400100);
  AddBranches({call, odd});
  AddBranches({half});
  ASSERT_TRUE(Finish().ok());
  EXPECT_EQ(
      output(),
      std::string(kBranchesHeader) +
          "1,5,2,10,11,app,worker,cycles,0,0x400100,main,0x100,/opt/app,"
          "0x7f0000000010,memcpy,0x1010,/opt/lib.so,0,1,0,0,9,call,,user\r\n"
          "1,5,2,10,11,app,worker,cycles,1,0x400200,sort(int*),0x200,/opt/app,"
          "0xffffffff81000010,sys_read,,[kernel.kallsyms],1,0,1,1,,,"
          "spec-wrong-path,\r\n"
          "2,5,2,10,11,app,worker,cycles,0,,,,,0x400100,main,0x100,/opt/app,"
          "0,0,0,0,,,,\r\n");
}

TEST_F(BranchesTableTest, RequestWhatTheyShow) {
  ASSERT_TRUE(Begin(CsvEmitterInfo(), {{"table", "branches"}}).ok());
  EXPECT_TRUE(emitter().requirements().branches);
  EXPECT_TRUE(emitter().requirements().branch_stacks);
  EXPECT_TRUE(emitter().requirements().branch_details);
  EXPECT_FALSE(emitter().requirements().fields);
}

TEST_F(BranchesTableTest, AreWrittenOnlyWhenNamed) {
  ASSERT_TRUE(Begin(CsvEmitterInfo()).ok());
  EXPECT_FALSE(emitter().requirements().branches);
  ASSERT_TRUE(Finish().ok());
  EXPECT_EQ(outputs_.count("branches.csv"), 0u);
}

TEST_F(BranchesTableTest, AreAddedToAllTables) {
  ASSERT_TRUE(Begin(CsvEmitterInfo(), {{"tables", "all,branches,stat"}}).ok());
  ASSERT_TRUE(Finish().ok());
  EXPECT_EQ(outputs_.size(), 7u);
  EXPECT_EQ(output("branches.csv"), kBranchesHeader);
}

TEST_F(BranchesTableTest, EndWithTheBudget) {
  Budget& budget = Limit({{{1 << 20, 0}, {1 << 20, 0}, {1000, 0}}});
  ASSERT_TRUE(Begin(CsvEmitterInfo(), {{"table", "branches"}}).ok());
  const Branch call = Between("main", 0x400100, "memcpy", 0x7f0000000010);
  AddBranches({call});
  budget.Spend(Budget::kOutput, 2000);
  AddBranches({call, call});
  ASSERT_TRUE(Finish().ok());
  EXPECT_EQ(std::count(output().begin(), output().end(), '\n'), 2);
  ASSERT_EQ(diagnostics_.entries().size(), 1u);
  EXPECT_THAT(diagnostics_.entries().begin()->first,
              HasSubstr("row of table branches"));
  EXPECT_EQ(diagnostics_.entries().begin()->second.count, 2u);
}

TEST_F(BranchesTableTest, OfParquetHaveTypes) {
  ASSERT_TRUE(Begin(ParquetEmitterInfo(), {{"table", "branches"}}).ok());
  Branch call = Between("main", 0x400100, "memcpy", 0x7f0000000010);
  call.details.kind = BranchKind::kCall;
  AddBranches({call});
  ASSERT_TRUE(Finish().ok());
  const ParquetFile file = ReadParquet(output());
  EXPECT_EQ(file.problem, "");
  ASSERT_EQ(file.groups.size(), 1u);
  int found = 0;
  for (const ParquetChunk& chunk : file.groups[0]) {
    if (chunk.column == "source") {
      ++found;
      EXPECT_THAT(chunk.cells, ElementsAre("4194560"));
    } else if (chunk.column == "type") {
      ++found;
      EXPECT_THAT(chunk.cells, ElementsAre("call"));
    }
  }
  EXPECT_EQ(found, 2);
}

}  // namespace
}  // namespace perf2x
