// SPDX-License-Identifier: Apache-2.0
#include "converter/session/trace_sink.h"

#include <gtest/gtest.h>

#include "tests/support/recording_emitter.h"

namespace perf2x {
namespace {

TEST(TraceSinkTest, BeginsOnceBetweenItsHooks) {
  TraceTables tables;
  RecordingEmitter emitter(tables);
  std::vector<std::string> hooks;
  TraceSink sink(emitter, {.before_begin =
                               [&] {
                                 hooks.push_back("before");
                                 EXPECT_TRUE(emitter.Take().empty());
                                 TraceInfo info;
                                 info.input = "a.data";
                                 return info;
                               },
                           .after_begin =
                               [&] {
                                 hooks.push_back("after");
                                 EXPECT_EQ(emitter.Take().size(), 1u);
                                 return absl::OkStatus();
                               }});
  EXPECT_FALSE(sink.begun());
  EXPECT_TRUE(sink.EnsureBegun().ok());
  EXPECT_TRUE(sink.begun());
  EXPECT_TRUE(sink.EnsureBegun().ok());
  EXPECT_EQ(hooks, (std::vector<std::string>{"before", "after"}));
  EXPECT_TRUE(emitter.Take().empty());
}

TEST(TraceSinkTest, FieldsRecordsAndBranchesNeedMoreThanKeys) {
  TraceTables tables;
  const auto only_keys = [&tables](EmitterRequirements requirements) {
    RecordingEmitter emitter(tables, requirements);
    return TraceSink(emitter, {}).needs_only_keys();
  };
  EXPECT_TRUE(only_keys({}));
  EXPECT_TRUE(only_keys({.counters = true, .switches = true}));
  EXPECT_FALSE(only_keys({.fields = true}));
  EXPECT_FALSE(only_keys({.records = true}));
  EXPECT_FALSE(only_keys({.branches = true}));
}

}  // namespace
}  // namespace perf2x
