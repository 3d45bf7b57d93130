// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/chrome/chrome_calls.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "tests/emit/chrome/chrome_fixture.h"

namespace perf2x {
namespace {

class ChromeCallsTest : public ChromeTest {
 protected:
  void Change(uint64_t time, ThreadId thread, uint32_t depth,
              const std::string& function) {
    const StackId stack = function.empty() ? kNoId : Stack({function});
    const Call call = {time, thread, depth, stack};
    ASSERT_TRUE(emitter_->OnCall(call).ok());
  }
  static std::string SlicesOf(int32_t tid, const std::string& json) {
    return EventsOf('X', tid, json);
  }
};

TEST_F(ChromeCallsTest, CallsAreNestedSlicesOnTheirOwnRow) {
  ASSERT_TRUE(Start().ok());
  const ThreadId a = AddThread(10, 11, "worker"), b = AddThread(10, 12, "b");
  Change(1'000'000, a, 0, "main");
  Change(1'001'000, a, 1, "f");
  Change(1'001'500, b, 0, "other");
  Change(1'002'000, a, 2, "g");
  Change(1'003'000, a, 2, "");
  Change(1'004'000, a, 2, "h");
  Change(1'005'000, a, 1, "");  // h and f
  Change(1'006'000, a, 0, "caller");
  ASSERT_TRUE(emitter_->OnExit({1'008'000, a}).ok());
  Change(1'009'000, b, 0, "");
  const std::string json = Finish();
  EXPECT_EQ(SlicesOf(40'000'011, json),
            "2+1 g, 4+0.999 h, 1+4 f, 0+5.999 main, 6+2 caller");
  EXPECT_EQ(SlicesOf(40'000'012, json), "1.5+7.5 other");
  EXPECT_TRUE(absl::StrContains(json, "\"name\":\"worker 11 calls\""));
}

TEST_F(ChromeCallsTest, OpenCallsEndWithTheTrace) {
  ASSERT_TRUE(Start().ok());
  const ThreadId a = AddThread(10, 10, "a");
  Change(1'000'000, a, 0, "main");
  Change(1'001'000, a, 1, "f");
  Change(1'002'000, a, 2, "g");
  const std::string json = Finish();
  EXPECT_EQ(SlicesOf(40'000'010, json), "2+0 g, 1+1.001 f, 0+2.002 main");
}

// As those that a trace has at one time, which are shown a ns apart.
TEST_F(ChromeCallsTest, SlicesNestWhereTimesAreANsApart) {
  ASSERT_TRUE(Start().ok());
  const ThreadId a = AddThread(10, 10, "a");
  Change(1'000'000, a, 0, "main");
  Change(1'000'001, a, 1, "f");
  Change(1'000'002, a, 2, "g");
  Change(1'000'003, a, 2, "");
  Change(1'000'004, a, 2, "h");
  Change(1'000'005, a, 0, "");  // h, f and main
  Change(1'000'006, a, 0, "caller");
  Change(1'000'007, a, 1, "i");
  Change(1'009'000, a, 0, "");
  EXPECT_EQ(SlicesOf(40'000'010, Finish()),
            "0.002+0.001 g, 0.004+0 h, 0.001+0.004 f, 0+0.006 main, "
            "0.008+8.991 i, 0.007+8.993 caller");
}

// A filter of times may leave some out.
TEST_F(ChromeCallsTest, ChangesMayLackThoseBefore) {
  ASSERT_TRUE(Start().ok());
  const ThreadId a = AddThread(10, 10, "a");
  Change(1'000'000, a, 3, "");
  Change(1'001'000, a, 5, "f");
  Change(1'002'000, a, 2, "g");
  Change(1'003'000, a, 2, "");
  EXPECT_EQ(SlicesOf(40'000'010, Finish()), "1+0.999 f, 2+1 g");
}

}  // namespace
}  // namespace perf2x
