// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/tables/sample_batch.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace perf2x {
namespace {

TEST(SampleBatchTest, CopiesOutliveTheSamples) {
  SampleBatch batch;
  for (uint64_t i = 0; i < 100; ++i) {
    std::string text = "text" + std::to_string(i), name = "prev_comm";
    std::vector<Field> fields = {{"weight", i},
                                 {"data_src", absl::string_view(text)}};
    std::vector<Field> tracepoint = {{name, absl::string_view(text)}};
    Sample sample;
    sample.period = i;
    if (i % 2 == 0) sample.fields = fields;
    sample.tracepoint = tracepoint;
    batch.Add(sample);
    text.assign(text.size(), 'x');
    name.assign(name.size(), 'x');
  }
  const absl::Span<const Sample> samples = batch.samples();
  ASSERT_EQ(samples.size(), 100u);
  for (uint64_t i = 0; i < 100; ++i) {
    const absl::string_view name = samples[i].tracepoint[0].name;
    const std::string text = "text" + std::to_string(i);
    EXPECT_EQ(samples[i].period, i);
    EXPECT_EQ(name, "prev_comm");
    EXPECT_EQ(std::get<absl::string_view>(samples[i].tracepoint[0].value),
              text);
    ASSERT_EQ(samples[i].fields.size(), i % 2 == 0 ? 2u : 0u);
    if (i % 2 != 0) continue;
    EXPECT_EQ(std::get<uint64_t>(samples[i].fields[0].value), i);
    EXPECT_EQ(std::get<absl::string_view>(samples[i].fields[1].value), text);
  }
}

TEST(SampleBatchTest, IsFullOfSamplesOrOfBytes) {
  SampleBatch batch;
  for (size_t i = 0; i < SampleBatch::kMaxEvents; ++i) {
    EXPECT_FALSE(batch.full());
    batch.Add(Sample());
  }
  EXPECT_TRUE(batch.full());
  batch.Clear();
  EXPECT_FALSE(batch.full());
  EXPECT_TRUE(batch.samples().empty());
  const std::string text(SampleBatch::kMaxBytes, 'x');
  const std::vector<Field> fields = {{"regs", absl::string_view(text)}};
  Sample sample;
  sample.fields = fields;
  batch.Add(sample);
  EXPECT_TRUE(batch.full());
}

TEST(RecordBatchTest, CopiesOutliveTheRecords) {
  RecordBatch batch;
  EXPECT_TRUE(batch.empty());
  for (uint64_t i = 0; i < 100; ++i) {
    std::string type = i % 3 == 0 ? "COMM" : "SAMPLE";
    std::string text = "text" + std::to_string(i);
    std::vector<Field> fields = {{"ip", i}, {"comm", absl::string_view(text)}};
    RecordEvent record;
    record.index = i;
    record.type_number = i % 3 == 0 ? 3 : 9;
    record.type = type;
    if (i % 2 == 0) record.fields = fields;
    batch.Add(record);
    type.assign(type.size(), 'x');
    text.assign(text.size(), 'x');
  }
  const absl::Span<const RecordEvent> records = batch.records();
  ASSERT_EQ(records.size(), 100u);
  for (uint64_t i = 0; i < 100; ++i) {
    EXPECT_EQ(records[i].index, i);
    EXPECT_EQ(records[i].type, i % 3 == 0 ? "COMM" : "SAMPLE");
    ASSERT_EQ(records[i].fields.size(), i % 2 == 0 ? 2u : 0u);
    if (i % 2 != 0) continue;
    EXPECT_EQ(std::get<uint64_t>(records[i].fields[0].value), i);
    EXPECT_EQ(std::get<absl::string_view>(records[i].fields[1].value),
              "text" + std::to_string(i));
  }
  batch.Clear();
  EXPECT_TRUE(batch.empty());
  EXPECT_TRUE(batch.records().empty());
}

TEST(RecordBatchTest, IsFullOfRecordsOrOfBytes) {
  RecordBatch batch;
  for (size_t i = 0; i < RecordBatch::kMaxEvents; ++i) {
    EXPECT_FALSE(batch.full());
    batch.Add(RecordEvent());
  }
  EXPECT_TRUE(batch.full());
  batch.Clear();
  EXPECT_FALSE(batch.full());
  const std::string text(RecordBatch::kMaxBytes, 'x');
  const std::vector<Field> fields = {{"filename", absl::string_view(text)}};
  RecordEvent record;
  record.fields = fields;
  batch.Add(record);
  EXPECT_TRUE(batch.full());
}

}  // namespace
}  // namespace perf2x
