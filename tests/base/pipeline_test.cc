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
      {Edge::kReadRecords, 'r'},
      {Edge::kSumSamples, 's'},
      {Edge::kPackPackets, 'p'},
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
    EXPECT_EQ(pipeline.helpers()->size(), 0u);
  }
}

// Those at work at a time: reader and session, or a helper and who writes.
TEST(PipelineTest, TwoThreadsAreNotWaitedForByAThird) {
  Pipeline pipeline(2);
  EXPECT_EQ(ThreadsOf(pipeline), "rp");
  pipeline.set_reading_is_io_bound(true);
  EXPECT_EQ(ThreadsOf(pipeline), "rsp");
  Pipeline after_reading(2);
  after_reading.EndReading();
  EXPECT_EQ(ThreadsOf(after_reading), "rsp");
}

TEST(PipelineTest, MoreThreadsTakeEveryEdge) {
  EXPECT_EQ(ThreadsOf(Pipeline(3)), "rsp");
  EXPECT_EQ(Pipeline(8).workers().AvailableWorkers(), 7u);
  EXPECT_EQ(Pipeline(8).helpers()->size(), 7u);
}

}  // namespace
}  // namespace perf2x
