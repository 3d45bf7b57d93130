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
  for (size_t i = 0; i < SampleBatch::kMaxSamples; ++i) {
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

}  // namespace
}  // namespace perf2x
