// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "converter/emit/emitters.h"
#include "converter/emit/parquet/parquet_writer.h"
#include "tests/support/parquet_file.h"
#include "tests/support/small_trace.h"

namespace perf2x {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kAllTables[] =
    "stat,overview,processes,results,frames,stacks,samples,counters";

class ParquetTest : public SmallTrace {
 protected:
  // Two threads, two events, an inlined function, the kernel, all kinds of
  // cells.
  void AddSamples() {
    const StackId sort = Stack({"sort"});
    const StackId deep = Stack({"memcpy", "sort", "main"});
    Add(0, 0, sort, 30, 100);
    Add(0, 1, deep, 70, 200);
    Sample sample;
    sample.event = 1;
    sample.stack = Stack({"memcpy", "sort", "main"});  // as before
    sample.cpu = 3;
    sample.ip = 0xffffffff81000010;
    sample.mode = CpuMode::kKernel;
    sample.time = 300;
    const std::vector<Field> fields = {
        {"addr", Field::Hex{16}},
        {"weight", uint64_t{5}},
        {"data_src", absl::string_view("op=load")}};
    const std::vector<Field> tracepoint = {{"prev_pid", int64_t{-1}}};
    sample.fields = fields;
    sample.tracepoint = tracepoint;
    ASSERT_TRUE(emitter().OnSample(sample).ok());
    Counter counter;
    counter.value = 1.5;
    ASSERT_TRUE(emitter().OnCounter(counter).ok());
    RecordEvent record;
    record.type_number = 1;
    record.type = "MMAP";
    const std::vector<Field> of_record = {
        {"addr", Field::Hex{0x1000}}, {"filename", absl::string_view("=a\n")}};
    record.fields = of_record;
    ASSERT_TRUE(emitter().OnRecord(record).ok());
  }
  void MakeTrace() {
    AddEvent("cycles");
    AddEvent("faults");
    AddThread(1, 1, "app", "app");
    AddThread(1, 2, "app", "worker");
    info_.wall_clock_offset = 1000;
    info_.hostname = "web1";
    info_.recording_id = "12ab";
    summary_.records = {{"SAMPLE", 3, 300}};
  }
  std::vector<ParquetChunk> Only(const std::string& name) {
    const ParquetFile file = ReadParquet(output(name));
    EXPECT_EQ(file.problem, "") << name;
    EXPECT_EQ(file.groups.size(), 1u) << name;
    return file.groups.empty() ? std::vector<ParquetChunk>() : file.groups[0];
  }
};

TEST_F(ParquetTest, TablesAreThoseOfTheGolden) {
  MakeTrace();
  ASSERT_TRUE(Begin(ParquetEmitterInfo()).ok());
  AddSamples();
  ASSERT_TRUE(Finish().ok());
  std::string dump;
  for (const absl::string_view table : absl::StrSplit(kAllTables, ',')) {
    absl::StrAppend(&dump, "== ", table, "\n",
                    DumpParquet(output(absl::StrCat(table, ".parquet"))));
  }
  const std::string path = "tests/emit/expected/parquet.txt";
  if (std::getenv("UPDATE_GOLDENS") != nullptr) std::ofstream(path) << dump;
  std::ifstream golden(path);
  EXPECT_EQ(dump, std::string(std::istreambuf_iterator<char>(golden), {}));
}

TEST_F(ParquetTest, StacksOfEqualFramesAreOne) {
  MakeTrace();
  ASSERT_TRUE(Begin(ParquetEmitterInfo()).ok());
  AddSamples();
  ASSERT_TRUE(Finish().ok());
  const auto stacks = Only("stacks.parquet");
  EXPECT_THAT(stacks[0].cells, ElementsAre("0", "1"));
  // From the root: main, sort inlined into main, memcpy.
  EXPECT_THAT(stacks[1].cells, ElementsAre("1 0", "3 1 0 2"));
  EXPECT_THAT(Only("frames.parquet")[1].cells,
              ElementsAre("sort(int*)", "main", "memcpy", "main"));
  for (const ParquetChunk& chunk : Only("samples.parquet")) {
    if (chunk.column == "stack") {
      EXPECT_THAT(chunk.cells, ElementsAre("0", "1", "1"));
    }
  }
}

TEST_F(ParquetTest, ARowGroupHasAtMostSoManyRows) {
  MakeTrace();
  ASSERT_TRUE(Begin(ParquetEmitterInfo(), {{"table", "overview"}}).ok());
  RecordEvent record;
  record.type_number = 9;
  record.type = "SAMPLE";
  for (size_t i = 0; i <= ParquetWriter::kMaxRows; ++i) {
    record.index = i;
    record.time = 1000 + i;
    ASSERT_TRUE(emitter().OnRecord(record).ok());
  }
  ASSERT_TRUE(Finish().ok());
  const ParquetFile file = ReadParquet(output());
  EXPECT_EQ(file.problem, "");
  ASSERT_EQ(file.groups.size(), 2u);
  EXPECT_EQ(file.groups[0][0].least, "0");
  EXPECT_EQ(file.groups[0][0].most, absl::StrCat(ParquetWriter::kMaxRows - 1));
  EXPECT_EQ(file.groups[1][0].cells.size(), 1u);
  EXPECT_THAT(file.groups[0][0].encodings, ElementsAre("DELTA_BINARY_PACKED"));
  EXPECT_THAT(file.groups[0][1].encodings, ElementsAre("RLE_DICTIONARY"));
}

// Rows without a value take no work until the next one with a value.
TEST_F(ParquetTest, ValuesStayInTheirRows) {
  MakeTrace();
  ASSERT_TRUE(Begin(ParquetEmitterInfo(), {{"table", "overview"}}).ok());
  const std::vector<Field> fields = {{"addr", Field::Hex{16}},
                                     {"filename", absl::string_view("a")}};
  RecordEvent record;
  record.type_number = 1;
  record.type = "MMAP";
  for (const bool has : {false, true, false, true, true, false}) {
    record.fields = has ? Fields(fields) : Fields();
    ASSERT_TRUE(emitter().OnRecord(record).ok());
  }
  ASSERT_TRUE(Finish().ok());
  for (const ParquetChunk& chunk : Only("")) {
    if (chunk.column == "address") {
      EXPECT_THAT(chunk.cells, ElementsAre("-", "16", "-", "16", "16", "-"));
    }
    if (chunk.column == "file") {
      EXPECT_THAT(chunk.cells, ElementsAre("-", "a", "-", "a", "a", "-"));
    }
    if (chunk.column == "name") {
      EXPECT_THAT(chunk.cells, ElementsAre("-", "-", "-", "-", "-", "-"));
    }
  }
}

TEST_F(ParquetTest, LongTextsEndARowGroup) {
  MakeTrace();
  ASSERT_TRUE(Begin(ParquetEmitterInfo(), {{"table", "overview"}}).ok());
  RecordEvent record;
  record.type_number = 3;
  record.type = "COMM";
  for (int i = 0; i < 40; ++i) {
    const std::string text(1 << 20, static_cast<char>('A' + i));
    const std::vector<Field> fields = {{"comm", absl::string_view(text)}};
    record.fields = fields;
    ASSERT_TRUE(emitter().OnRecord(record).ok());
  }
  ASSERT_TRUE(Finish().ok());
  const ParquetFile file = ReadParquet(output());
  EXPECT_EQ(file.problem, "");
  EXPECT_EQ(file.groups.size(), 2u);
  EXPECT_EQ(file.groups[0][11].least, "");  // too long for statistics
}

TEST_F(ParquetTest, JsonIsThatOfItsRow) {
  MakeTrace();
  ASSERT_TRUE(Begin(ParquetEmitterInfo(), {{"table", "overview"}}).ok());
  RecordEvent record;
  record.type_number = 9;
  record.type = "SAMPLE";
  for (const uint64_t number : {1, 2, 1, 2, 2}) {
    const std::vector<Field> fields = {{"id", number}, {"nr", number + 1}};
    record.fields = fields;
    ASSERT_TRUE(emitter().OnRecord(record).ok());
  }
  ASSERT_TRUE(Finish().ok());
  const std::string one = R"({"id":1,"nr":2})", two = R"({"id":2,"nr":3})";
  EXPECT_THAT(Only("").back().cells, ElementsAre(one, two, one, two, two));
}

// Samples of another event have other fields.
TEST_F(ParquetTest, FieldsAreThoseOfTheirSample) {
  MakeTrace();
  ASSERT_TRUE(Begin(ParquetEmitterInfo(), {{"table", "samples"}}).ok());
  const StackId stack = Stack({"main"});
  for (uint64_t i = 0; i < 6; ++i) {
    const std::vector<Field> fields = {{i < 4 ? "addr" : "weight", i}};
    Sample sample;
    sample.stack = stack;
    if (i % 3 != 2) sample.fields = fields;
    ASSERT_TRUE(emitter().OnSample(sample).ok());
  }
  ASSERT_TRUE(Finish().ok());
  for (const ParquetChunk& chunk : Only("")) {
    if (chunk.column == "addr") {
      EXPECT_THAT(chunk.cells, ElementsAre("0", "1", "-", "3", "-", "-"));
    }
    if (chunk.column == "weight") {
      EXPECT_THAT(chunk.cells, ElementsAre("-", "-", "-", "-", "4", "-"));
    }
  }
}

TEST_F(ParquetTest, ATableWithoutRowsHasItsColumns) {
  MakeTrace();
  ASSERT_TRUE(Begin(ParquetEmitterInfo(), {{"table", "counters"}}).ok());
  ASSERT_TRUE(Finish().ok());
  const ParquetFile file = ReadParquet(output());
  EXPECT_EQ(file.problem, "");
  EXPECT_EQ(file.meta.schema.size(), 11u);
  EXPECT_EQ(file.meta.num_rows, 0);
}

TEST_F(ParquetTest, NamesOfColumnsAreText) {
  MakeTrace();
  tables_.events[0].name = "e\xff\x1b";
  ASSERT_TRUE(Begin(ParquetEmitterInfo(), {{"table", "processes"}}).ok());
  ASSERT_TRUE(Finish().ok());
  const ParquetFile file = ReadParquet(output());
  EXPECT_EQ(file.problem, "");
  std::vector<std::string> names;
  for (const auto& element : file.meta.schema) names.push_back(element.name);
  EXPECT_THAT(names, testing::Contains("e\xef\xbf\xbd\\x1b_samples"));
}

TEST_F(ParquetTest, ATextIsNoNumber) {
  MakeTrace();
  ASSERT_TRUE(Begin(ParquetEmitterInfo(), {{"table", "samples"}}).ok());
  const std::vector<Field> fields = {{"addr", absl::string_view("0x10")},
                                     {"weight", absl::string_view("heavy")},
                                     {"data_src", absl::string_view("load")}};
  Sample sample;
  sample.stack = Stack({"main"});
  sample.fields = fields;
  ASSERT_TRUE(emitter().OnSample(sample).ok());
  ASSERT_TRUE(Finish().ok());
  for (const ParquetChunk& chunk : Only("")) {
    if (chunk.column == "addr" || chunk.column == "weight") {
      EXPECT_THAT(chunk.cells, ElementsAre("-")) << chunk.column;
    }
    if (chunk.column == "data_src") {
      EXPECT_THAT(chunk.cells, ElementsAre("load"));
    }
  }
}

TEST_F(ParquetTest, ADatasetHasTheRecordingInPathAndRows) {
  MakeTrace();
  ASSERT_TRUE(
      Begin(ParquetEmitterInfo(), {{"dataset", "D"}, {"tables", "stat"}}).ok());
  ASSERT_TRUE(Finish().ok());
  const auto stat =
      Only("stat/host=web1/date=__HIVE_DEFAULT_PARTITION__/12ab.parquet");
  ASSERT_EQ(stat.size(), 4u);
  EXPECT_EQ(stat[0].column, "recording");
  EXPECT_THAT(stat[0].cells, ElementsAre("12ab"));
  EXPECT_THAT(stat[1].cells, ElementsAre("SAMPLE"));
}

TEST_F(ParquetTest, WrongOptionsAreErrors) {
  const auto error = [](std::map<std::string, std::string> options) {
    for (const EmitterOption& option : ParquetEmitterInfo().options) {
      options.emplace(option.name, option.default_value);
    }
    return std::string(ParquetEmitterInfo().check(options).message());
  };
  EXPECT_EQ(error({}), "");
  EXPECT_THAT(error({{"table", "x"}}), HasSubstr("it is stat, overview"));
  EXPECT_THAT(error({{"dataset", "D"}, {"table", "stat"}}),
              HasSubstr("not --table"));
  EXPECT_THAT(error({{"dataset", "D"}, {"partition", "day"}}),
              HasSubstr("not \"day\""));
  EXPECT_THAT(error({{"dataset", "D"}, {"partition", ","}}),
              HasSubstr("not \"\""));
  for (const char* column : {"recording", "Function", "pid", "stack"}) {
    EXPECT_THAT(error({{"dataset", "D"},
                       {"partition", absl::StrCat("host,", column, "=1")}}),
                HasSubstr("another name than"));
  }
  EXPECT_EQ(
      error(
          {{"dataset", "D"}, {"tables", "stat"}, {"partition", "function=1"}}),
      "");
  EXPECT_THAT(error({{"partition", "date"}}), HasSubstr("--dataset"));
}

// A row of empty cells costs time, too.
TEST_F(ParquetTest, CellsWithoutAValueAreWork) {
  constexpr uint64_t kRows = 3000, kColumns = 35, kCellsOfStep = 3;
  Budget& budget = Limit();
  AddThread(1, 1, "a", "a");
  AddEvent("cycles");
  ASSERT_TRUE(Begin(ParquetEmitterInfo(), {{"tables", "samples"}}).ok());
  const StackId stack = Stack({"main"});
  for (uint64_t i = 0; i < kRows; ++i) Add(0, 0, stack);
  ASSERT_TRUE(Finish().ok());
  EXPECT_GE(budget.used(Budget::kWork), kRows * kColumns / kCellsOfStep);
}

// Each event adds three rows, so that their number is seldom a round one.
TEST_F(ParquetTest, RowsOfManyEventsAreCharged) {
  Budget& budget = Limit();
  AddThread(1, 1, "a", "a");
  for (EventId event = 0; event < 1000; ++event) {
    AddEvent(absl::StrCat("event", event));
  }
  ASSERT_TRUE(Begin(ParquetEmitterInfo(), {{"tables", "results"}}).ok());
  const StackId stack = Stack({"memcpy", "sort", "main"});
  for (EventId event = 0; event < 1000; ++event) Add(event, 0, stack);
  ASSERT_TRUE(Finish().ok());
  EXPECT_GT(budget.used(Budget::kMemory), 300'000u);
}

}  // namespace
}  // namespace perf2x
