// SPDX-License-Identifier: Apache-2.0
#include "converter/base/pipeline.h"

#include <gtest/gtest.h>

#include <string>

namespace perf2x {
namespace {

using Edge = Pipeline::Edge;

// The edges that have a thread, as letters.
std::string ThreadsOf(const Pipeline& pipeline) {
  const struct {
    Edge edge;
    char letter;
  } kEdges[] = {
      {Edge::kReadRecords, 'r'},     {Edge::kSumSamples, 's'},
      {Edge::kFindFrames, 'f'},      {Edge::kPackPackets, 'p'},
      {Edge::kCompressSamples, 'Z'},
  };
  std::string out;
  for (const auto& [edge, letter] : kEdges) {
    if (pipeline.has_thread(edge)) out.push_back(letter);
  }
  return out;
}

TEST(PipelineTest, OneThreadDoesAll) {
  for (const int threads : {-3, 0, 1}) {
    Pipeline pipeline(threads);
    EXPECT_EQ(ThreadsOf(pipeline), "");
    pipeline.set_reading_is_io_bound(true);
    pipeline.EndReading();
    EXPECT_EQ(ThreadsOf(pipeline), "");
    EXPECT_EQ(pipeline.workers().AvailableWorkers(), 0u);
    EXPECT_EQ(pipeline.helpers(), 0u);
  }
}

// Those at work at a time: reader and session, or who finds frames and who
// writes samples.
TEST(PipelineTest, TwoThreadsAreNotWaitedForByAThird) {
  Pipeline pipeline(2);
  EXPECT_EQ(ThreadsOf(pipeline), "rfp");
  pipeline.set_reading_is_io_bound(true);
  EXPECT_EQ(ThreadsOf(pipeline), "rsfp");
  Pipeline after_reading(2);
  after_reading.EndReading();
  EXPECT_EQ(ThreadsOf(after_reading), "rsfp");
}

TEST(PipelineTest, MoreThreadsTakeEveryEdge) {
  EXPECT_EQ(ThreadsOf(Pipeline(3)), "rsfpZ");
  EXPECT_EQ(Pipeline(8).workers().AvailableWorkers(), 7u);
  EXPECT_EQ(Pipeline(8).helpers(), 7u);
}

}  // namespace
}  // namespace perf2x
