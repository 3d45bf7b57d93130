// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "converter/emit/emitters.h"
#include "tests/support/cpu_time.h"
#include "tests/support/small_trace.h"

namespace perf2x {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class CsvTest : public SmallTrace {
 protected:
  absl::Status Start(const char* table) {
    return Begin(CsvEmitterInfo(), {{"table", table}});
  }
};

TEST_F(CsvTest, StatCountsRecords) {
  summary_.records = {{"MMAP2", 3, 300}, {"SAMPLE", 10, 1000}};
  ASSERT_TRUE(Start("stat").ok());
  ASSERT_TRUE(Finish().ok());
  EXPECT_EQ(output(),
            "type,records,bytes\r\nMMAP2,3,300\r\nSAMPLE,10,1000\r\n");
}

TEST_F(CsvTest, StatSaysWhyItHasNoRows) {
  ASSERT_TRUE(Start("stat").ok());
  ASSERT_TRUE(Finish().ok());
  EXPECT_EQ(output(), "type,records,bytes\r\n");
  ASSERT_EQ(diagnostics_.entries().size(), 1u);
  EXPECT_THAT(diagnostics_.entries().begin()->first,
              HasSubstr("no records were read"));
}

TEST_F(CsvTest, OverviewGivesFieldsTheirColumns) {
  ASSERT_TRUE(Start("overview").ok());
  EXPECT_TRUE(emitter().requirements().records);
  EXPECT_FALSE(emitter().requirements().fields);
  const std::vector<Field> map = {{"addr", Field::Hex{0x1000}},
                                  {"len", Field::Hex{0x20}},
                                  {"pgoff", Field::Hex{0}},
                                  {"prot", Field::Hex{5}},
                                  {"id", uint64_t{1}},
                                  {"id", uint64_t{2}},
                                  {"filename", absl::string_view("/a,b")}};
  RecordEvent record;
  record.index = 7;
  record.type_number = 10;
  record.type = "MMAP2";
  record.pid = 10;
  record.tid = 11;
  record.time = 99;
  record.bytes = 64;
  record.fields = map;
  ASSERT_TRUE(emitter().OnRecord(record).ok());
  ASSERT_TRUE(Finish().ok());
  EXPECT_EQ(output(),
            "nr,type,pid,tid,cpu,time,bytes,file,address,size,offset,name,"
            "parent_pid,ip,period,fields\r\n"
            "7,MMAP2,10,11,,99,64,\"/a,b\",0x1000,32,0x0,,,,,"
            "\"{\"\"prot\"\":\"\"0x5\"\",\"\"id\"\":1}\"\r\n");
}

// Of any number of types, in any order, with fields that come and go.
TEST_F(CsvTest, OverviewTakesFieldsAsEachRecordHasThem) {
  ASSERT_TRUE(Start("overview").ok());
  const std::vector<Field> ip = {{"ip", Field::Hex{1}}, {"id", uint64_t{2}}};
  const std::vector<Field> period = {{"id", uint64_t{3}},
                                     {"period", uint64_t{4}},
                                     {"ip", Field::Hex{5}},
                                     {"period", uint64_t{6}}};
  // 9 and 73 have the same remainder by 64; 1000 has no small number.
  const struct {
    uint32_t number;
    absl::string_view type;
    Fields fields;
  } kRecords[] = {{9, "SAMPLE", ip},      {9, "SAMPLE", period},
                  {73, "THREAD_MAP", {}}, {9, "SAMPLE", ip},
                  {1000, "a", {}},        {1001, "b", period},
                  {3, "COMM", {}}};
  for (const auto& r : kRecords) {
    RecordEvent record;
    record.type_number = r.number;
    record.type = r.type;
    record.fields = r.fields;
    ASSERT_TRUE(emitter().OnRecord(record).ok());
  }
  ASSERT_TRUE(Finish().ok());
  const std::string ip_cells = "0x1,,\"{\"\"id\"\":2}\"\r\n",
                    period_cells = "0x5,4,\"{\"\"id\"\":3}\"\r\n",
                    no_cells = ",,\r\n";
  EXPECT_THAT(output(), testing::EndsWith(absl::StrCat(
                            "0,SAMPLE,,,,,0,,,,,,,", ip_cells,      //
                            "0,SAMPLE,,,,,0,,,,,,,", period_cells,  //
                            "0,THREAD_MAP,,,,,0,,,,,,,", no_cells,  //
                            "0,SAMPLE,,,,,0,,,,,,,", ip_cells,      //
                            "0,a,,,,,0,,,,,,,", no_cells,           //
                            "0,b,,,,,0,,,,,,,", period_cells,       //
                            "0,COMM,,,,,0,,,,,,,", no_cells)));
}

TEST_F(CsvTest, ProcessesLiveFromForkToExit) {
  AddEvent("cycles");
  AddEvent("cycles");
  const ThreadId shell = AddThread(5, 5, "sh", "sh");
  const ThreadId child = AddThread(6, 6, "sh", "sh");
  const ThreadId program = AddThread(6, 6, "ls", "ls");
  const ThreadId worker = AddThread(6, 7, "ls", "worker");
  ASSERT_TRUE(Start("processes").ok());
  const StackId stack = Stack({"main"});
  emitter().OnThread(shell, {}).IgnoreError();
  emitter().OnThread(child, 100).IgnoreError();  // as the session does
  emitter().OnFork({100, shell, child}).IgnoreError();
  emitter().OnThread(program, 110).IgnoreError();
  emitter().OnFork({120, program, worker}).IgnoreError();  // only a thread
  MapEvent map;
  map.thread = program;
  emitter().OnMap(map).IgnoreError();
  map.thread = kNoId;  // the kernel's
  emitter().OnMap(map).IgnoreError();
  Add(0, child, stack, 1);  // not its new program yet
  Add(0, program, stack, 10);
  Add(1, worker, stack, 20);
  Add(0, program, stack, 10);
  Add(1, program, stack, 10);
  emitter().OnExit({130, worker}).IgnoreError();
  emitter().OnExit({140, program}).IgnoreError();
  emitter().OnThread(child, 150).IgnoreError();  // the pid comes again
  emitter().OnFork({150, shell, child}).IgnoreError();
  Add(0, child, stack, 5);
  ASSERT_TRUE(Finish().ok());
  EXPECT_EQ(output(),
            "pid,parent_pid,name,mappings,fork_time,exit_time,cycles_samples,"
            "cycles_period,cycles#2_samples,cycles#2_period\r\n"
            "5,,sh,0,,,0,0,0,0\r\n"
            "6,5,ls,1,100,140,3,21,2,30\r\n"
            "6,5,sh,0,150,,1,5,0,0\r\n");
}

TEST_F(CsvTest, AProcessGoesOnIfAThreadThatIsNotTheMainOneCallsExec) {
  const ThreadId main = AddThread(6, 6, "gosu", "gosu");
  const ThreadId program = AddThread(6, 6, "server", "server");
  ASSERT_TRUE(Start("processes").ok());
  emitter().OnThread(main, 100).IgnoreError();
  emitter().OnExit({110, main}).IgnoreError();
  emitter().OnThread(program, 120).IgnoreError();
  emitter().OnExec({120, program}).IgnoreError();
  ASSERT_TRUE(Finish().ok());
  EXPECT_THAT(output(), HasSubstr("\r\n6,,server,0,,\r\n"));
}

// Streams may describe events after the first sample.
TEST_F(CsvTest, ProcessesHaveColumnsForLateEvents) {
  AddEvent("cycles");
  const ThreadId main = AddThread(1, 1, "app", "app");
  ASSERT_TRUE(Start("processes").ok());
  Add(0, main, Stack({"main"}), 10);
  Add(AddEvent("late"), main, Stack({"main"}), 20);
  ASSERT_TRUE(Finish().ok());
  EXPECT_THAT(output(), HasSubstr("cycles_period,late_samples,late_period"));
  EXPECT_THAT(output(), HasSubstr("1,,app,0,,,1,10,1,20"));
}

TEST_F(CsvTest, ResultsHaveRowsForLateEvents) {
  AddEvent("cycles");
  const ThreadId main = AddThread(1, 1, "app", "app");
  ASSERT_TRUE(Start("results").ok());
  EventId late = 0;
  for (int i = 0; i < 1000; ++i) late = AddEvent("late");
  Add(late, main, Stack({"main"}), 0x4141414141414141);
  ASSERT_TRUE(Finish().ok());
  EXPECT_THAT(output(), HasSubstr("late#1000,4702111234474983745,1,1.000000"));
}

class ResultsOfOneName : public CsvTest {
 public:
  void TestBody() override {}
  // Returns the CPU time to order rows that differ in their events only.
  double Seconds(size_t name_length) {
    constexpr EventId kEvents = 40'000;
    Budget& budget = Limit();
    for (EventId i = 0; i < kEvents; ++i) AddEvent("cycles");
    AddThread(1, 1, "app", "app");
    Dso dso;
    dso.kind = DsoKind::kAnonymous;
    dso.name = std::string(name_length, 'n');
    AddFrame("f", tables_.AddDso(dso), 0);
    const StackId stack = Stack({"f"});
    EXPECT_TRUE(Start("results").ok());
    for (EventId event = 0; event < kEvents; ++event) Add(event, 0, stack);
    budget.Spend(Budget::kOutput, uint64_t{1} << 30);  // no row is written
    const double seconds = CpuSecondsOf([&] { EXPECT_TRUE(Finish().ok()); });
    EXPECT_EQ(diagnostics_.entries().size(), 1u);
    EXPECT_EQ(diagnostics_.entries().begin()->second.count, kEvents);
    return seconds;
  }
};

TEST(CsvResultsTest, RowsOfOneLongNameAreOrderedAtOnce) {
  const std::string name(1 << 20, 'n'), other = name;
  const double compared = CpuSecondsOf([&] {
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(name, other);
  });
  // Ordering the rows by their names takes 600 times as long.
  EXPECT_LT(ResultsOfOneName().Seconds(name.size()),
            10 * (compared + ResultsOfOneName().Seconds(1)));
}

TEST_F(CsvTest, ResultsTellSelfFromTotal) {
  AddEvent("cycles");
  AddThread(1, 1, "app", "app");
  ASSERT_TRUE(Start("results").ok());
  // "sort" is inlined into "main", which is below itself in the second.
  Add(0, 0, Stack({"sort"}), 30);
  Add(0, 0, Stack({"memcpy", "sort", "main"}), 70);
  ASSERT_TRUE(Finish().ok());
  EXPECT_EQ(
      output(),
      "event,period,samples,period_share,sample_share,total_period,"
      "total_samples,inlined_period,function,file,line,dso,symbol,dso_id\r\n"
      "cycles,70,1,0.700000,0.500000,70,1,0,memcpy,,,/opt/lib.so,memcpy,\r\n"
      "cycles,30,1,0.300000,0.500000,100,2,30,sort(int*),sort.h,20,/opt/app,"
      "_Z4sortPi,ab\r\n"
      "cycles,0,0,0.000000,0.000000,100,2,0,main,app.cc,5,/opt/app,main,ab"
      "\r\n");
}

TEST_F(CsvTest, SumsStayAtTheLargestValue) {
  AddEvent("cycles");
  AddThread(1, 1, "app", "app");
  ASSERT_TRUE(Begin(CsvEmitterInfo(), {{"tables", "results,processes"}}).ok());
  Sample sample;
  sample.stack = Stack({"memcpy"});
  sample.count = sample.period = ~uint64_t{0} - 1;
  ASSERT_TRUE(emitter().OnSample(sample).ok());
  sample.count = sample.period = 5;
  ASSERT_TRUE(emitter().OnSample(sample).ok());
  ASSERT_TRUE(Finish().ok());
  EXPECT_THAT(output("results.csv"),
              HasSubstr("\r\ncycles,18446744073709551615,"
                        "18446744073709551615,1.000000,1.000000,"
                        "18446744073709551615,18446744073709551615,"));
  EXPECT_THAT(output("processes.csv"),
              HasSubstr(",18446744073709551615,18446744073709551615\r\n"));
}

// Stacks may share their frames, of which each may have a thousand functions.
TEST_F(CsvTest, PathsOfResultsAreWork) {
  const Budget& budget = Limit();
  AddEvent("cycles");
  AddThread(1, 1, "app", "app");
  ASSERT_TRUE(Start("results").ok());
  for (int i = 0; i < 100; ++i) {
    Add(0, 0, Stack(std::vector<std::string>(1000, "sort")), 1);
  }
  ASSERT_TRUE(Finish().ok());
  // Two functions a frame, once for the path and once for its rows.
  EXPECT_GT(budget.used(Budget::kWork), 380'000u);
}

TEST_F(CsvTest, EventsOfOneNameAreToldApart) {
  AddEvent("cycles");
  AddEvent("cycles");
  AddThread(1, 1, "app", "app");
  ASSERT_TRUE(
      Begin(CsvEmitterInfo(), {{"tables", "results,samples,counters"}}).ok());
  Add(0, 0, Stack({"memcpy"}), 2);
  Add(1, 0, Stack({"memcpy"}), 1);
  Counter counter;
  counter.event = 1;
  counter.value = 3;
  ASSERT_TRUE(emitter().OnCounter(counter).ok());
  ASSERT_TRUE(Finish().ok());
  EXPECT_THAT(output("results.csv"),
              AllOf(HasSubstr("\r\ncycles,2,"), HasSubstr("\r\ncycles#2,1,")));
  EXPECT_THAT(output("samples.csv"),
              AllOf(HasSubstr(",cycles,2,"), HasSubstr(",cycles#2,1,")));
  EXPECT_THAT(output("counters.csv"), HasSubstr(",cycles#2,3,count\r\n"));
}

// A function of two files with one path, and memory of two processes.
TEST_F(CsvTest, RowsOfResultsAreNotAlike) {
  AddEvent("cycles");
  AddThread(1, 1, "app", "app");
  Dso file;
  file.kind = DsoKind::kFile;
  file.name = "/opt/lib.so";
  file.device_major = 8;
  file.inode = 131;
  AddFrame("other", tables_.AddDso(file), 0x10);
  file = Dso();
  file.kind = DsoKind::kAnonymous;
  file.name = "[anon]";
  for (int32_t pid : {1, 2}) {
    file.pid = pid;
    AddFrame(absl::StrCat("anon", pid), tables_.AddDso(file), 0x10);
  }
  ASSERT_TRUE(Start("results").ok());
  Add(0, 0, Stack({"?"}));
  Add(0, 0, Stack({"other"}));
  Add(0, 0, Stack({"anon1", "anon2"}));
  Add(0, 0, Stack({"anon2"}));
  ASSERT_TRUE(Finish().ok());
  EXPECT_THAT(output(), HasSubstr(",[lib.so],,,/opt/lib.so,[lib.so],\r\n"));
  EXPECT_THAT(output(),
              HasSubstr(",[lib.so],,,/opt/lib.so,[lib.so],8:0/131\r\n"));
  EXPECT_THAT(output(),
              HasSubstr("cycles,2,2,0.500000,0.500000,2,2,0,[anon],"));
  EXPECT_EQ(std::count(output().begin(), output().end(), '\n'), 4);
}

TEST_F(CsvTest, CountersHaveTheirThreadOrCpu) {
  AddEvent("task-clock", "nanoseconds");
  tables_.events[0].counter_unit = "msec";
  AddThread(10, 11, "app", "worker");
  ASSERT_TRUE(Start("counters").ok());
  EXPECT_TRUE(emitter().requirements().counters);
  // since, time, event, thread, cpu, value
  const Counter counters[] = {{{}, 100, 0, 0, -1, 1.5},
                              {100, 200, 0, kNoId, 3, 12345678901.0},
                              {{}, {}, 0, kNoId, -1, 1e6}};
  for (const Counter& counter : counters) {
    ASSERT_TRUE(emitter().OnCounter(counter).ok());
  }
  ASSERT_TRUE(Finish().ok());
  EXPECT_EQ(output(),
            "time,since,cpu,pid,tid,process,thread,event,value,unit\r\n"
            "100,,,10,11,app,worker,task-clock,1.5,msec\r\n"
            "200,100,3,,,,,task-clock,12345678901,msec\r\n"
            ",,,,,,,task-clock,1000000,msec\r\n");
}

TEST_F(CsvTest, SamplesHaveEveryField) {
  AddEvent("sched:sched_switch");
  AddThread(10, 11, "app", "worker");
  info_.wall_clock_offset = 1000;
  ASSERT_TRUE(Start("samples").ok());
  EXPECT_TRUE(emitter().requirements().fields);
  const std::vector<Field> fields = {{"addr", Field::Hex{0x77}},
                                     {"weight", uint64_t{0}}};
  const std::vector<Field> payload = {{"prev_pid", int64_t{11}}};
  Sample sample;
  sample.stack = Stack({"sort", "?"});
  sample.mode = CpuMode::kUser;
  sample.cpu = 0;
  sample.period = 5;
  sample.ip = 0x400200;
  sample.time = 50;
  sample.fields = fields;
  sample.tracepoint = payload;
  ASSERT_TRUE(emitter().OnSample(sample).ok());
  Add(0, 0, Stack({"sys_read"}), 1);
  ASSERT_TRUE(Finish().ok());
  EXPECT_EQ(output(),
            "time,wall_time,cpu,pid,tid,process,thread,event,period,cpumode,ip,"
            "function,offset,dso,file,line,stack,addr,phys_addr,data_page_size,"
            "code_page_size,weight,weight2,weight3,data_src,transaction,cgroup,"
            "branch_stack,user_regs,intr_regs,read,id,state,waker,parallelism,"
            "fields\r\n"
            "50,1050,0,10,11,app,worker,sched:sched_switch,5,user,0x400200,"
            "sort(int*),0x200,/opt/app,sort.h,21,[lib.so];main;sort(int*),0x77,"
            ",,,0,,,,,,,,,,,,,,\"{\"\"prev_pid\"\":11}\"\r\n"
            ",,,10,11,app,worker,sched:sched_switch,1,,,sys_read,,"
            "[kernel.kallsyms],,,sys_read,,,,,,,,,,,,,,,,,,,\r\n");
}

TEST_F(CsvTest, WritesTheTablesOfAListIntoAFolder) {
  ASSERT_TRUE(Begin(CsvEmitterInfo(), {{"tables", "samples,stat,stat"}}).ok());
  ASSERT_TRUE(Finish().ok());
  EXPECT_EQ(outputs_.size(), 2);
  EXPECT_THAT(output("stat.csv"), HasSubstr("type,records"));
  EXPECT_THAT(output("samples.csv"), HasSubstr("time,wall_time"));
}

TEST_F(CsvTest, NamesAWrongTable) {
  EXPECT_THAT(std::string(Start("result").message()),
              HasSubstr("\"result\"; it is stat, overview"));
  EXPECT_FALSE(Start("stat,samples").ok());
}

TEST_F(CsvTest, NoSamplesGiveHeaders) {
  AddEvent("cycles");
  ASSERT_TRUE(Begin(CsvEmitterInfo()).ok());
  ASSERT_TRUE(Finish().ok());
  EXPECT_EQ(outputs_.size(), 6);
  for (const auto& [name, text] : outputs_) {
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << name;
  }
}

TEST_F(CsvTest, DocumentationListsEveryColumn) {
  ASSERT_TRUE(
      Begin(CsvEmitterInfo(), {{"tables", "all,branches,cachelines"}}).ok());
  ASSERT_TRUE(Finish().ok());
  std::ostringstream docs;
  docs << std::ifstream("docs/csv.md").rdbuf();
  for (const auto& [name, text] : outputs_) {
    const std::string header = text.substr(0, text.find('\r'));
    // From the table's heading to the next one.
    const size_t begin = docs.str().find("## `" + name + "`");
    ASSERT_NE(begin, std::string::npos) << name;
    const size_t end = docs.str().find("\n## ", begin + 1);
    const std::string section = docs.str().substr(begin, end - begin);
    for (absl::string_view column : absl::StrSplit(header, ',')) {
      EXPECT_THAT(section, HasSubstr(absl::StrCat("| `", column, "` |")))
          << name;
    }
  }
}

}  // namespace
}  // namespace perf2x
