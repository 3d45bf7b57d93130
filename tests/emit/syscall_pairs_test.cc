// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/syscall_pairs.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "absl/strings/str_cat.h"

namespace perf2x {
namespace {

// Numbers of system calls of x86_64.
constexpr int64_t kRead = 0, kWrite = 1;

class SyscallPairsTest : public ::testing::Test {
 protected:
  // A sample of raw_syscalls, with the call's number.
  std::string Raw(TracepointRole role, TrackId track, uint64_t time,
                  int64_t id) {
    const Field fields[] = {{"args", uint64_t{3}}, {"id", id}};
    return Text(pairs_.OnSample({role, ""}, track, time, fields));
  }
  std::string RawEnter(TrackId track, uint64_t time, int64_t id) {
    return Raw(TracepointRole::kSyscallEnter, track, time, id);
  }
  std::string RawExit(TrackId track, uint64_t time, int64_t id) {
    return Raw(TracepointRole::kSyscallExit, track, time, id);
  }
  // A sample of syscalls:sys_enter_NAME or sys_exit_NAME.
  std::string Enter(TrackId track, uint64_t time, const std::string& name) {
    return Text(pairs_.OnSample({TracepointRole::kSyscallEnter, name}, track,
                                time, {}));
  }
  std::string Exit(TrackId track, uint64_t time, const std::string& name) {
    return Text(
        pairs_.OnSample({TracepointRole::kSyscallExit, name}, track, time, {}));
  }
  // "NAME begin-end"; empty if no call ended.
  static std::string Text(const std::optional<SystemCall>& call) {
    if (!call.has_value()) return "";
    return absl::StrCat(call->name, " ", call->begin, "-", call->end);
  }

  SyscallPairs pairs_{"x86_64"};
};

TEST_F(SyscallPairsTest, ACallLastsFromItsEntryToItsExit) {
  EXPECT_EQ(RawEnter(1, 10, kRead), "");
  EXPECT_EQ(RawExit(1, 15, kRead), "read 10-15");
  EXPECT_EQ(RawExit(1, 16, kRead), "");
  EXPECT_EQ(Enter(1, 20, "openat"), "");
  EXPECT_EQ(Exit(1, 27, "openat"), "openat 20-27");
}

TEST_F(SyscallPairsTest, NoCallEndsBeforeItsBeginning) {
  RawEnter(1, 20, kRead);
  EXPECT_EQ(RawExit(1, 18, kRead), "read 20-20");
}

TEST_F(SyscallPairsTest, ThreadsHaveCallsOfTheirOwn) {
  RawEnter(0, 1, kRead);
  RawEnter(5, 2, kWrite);
  EXPECT_EQ(RawExit(3, 3, kRead), "");
  EXPECT_EQ(RawExit(5, 4, kWrite), "write 2-4");
  EXPECT_EQ(RawExit(0, 5, kRead), "read 1-5");
}

TEST_F(SyscallPairsTest, AnExitEndsACallOfItsNameOnly) {
  RawEnter(1, 1, kRead);
  EXPECT_EQ(RawExit(1, 2, kWrite), "");
  EXPECT_EQ(RawExit(1, 3, kRead), "read 1-3");
}

TEST_F(SyscallPairsTest, ACallWithoutAnExitIsDropped) {
  RawEnter(1, 1, kRead);
  RawEnter(1, 5, kWrite);
  EXPECT_EQ(RawExit(1, 6, kWrite), "write 5-6");
  EXPECT_EQ(RawExit(1, 7, kRead), "");
}

TEST_F(SyscallPairsTest, NumbersWithoutANameAreShown) {
  RawEnter(1, 1, 9999);
  EXPECT_EQ(RawExit(1, 2, 9999), "syscall 9999 1-2");
  RawEnter(1, 3, -1);
  EXPECT_EQ(RawExit(1, 4, -1), "syscall -1 3-4");
}

TEST_F(SyscallPairsTest, TheNumberMayBeUnsigned) {
  const Field id[] = {{"id", uint64_t{1}}};
  const TracepointUse enter = {TracepointRole::kSyscallEnter, ""};
  EXPECT_EQ(Text(pairs_.OnSample(enter, 1, 1, id)), "");
  EXPECT_EQ(RawExit(1, 2, kWrite), "write 1-2");
}

TEST_F(SyscallPairsTest, WithoutANumberThereIsNoCall) {
  const Field text[] = {{"id", absl::string_view("read")}};
  for (const Fields fields : {Fields(text), Fields()}) {
    const TracepointUse enter = {TracepointRole::kSyscallEnter, ""};
    const TracepointUse exit = {TracepointRole::kSyscallExit, ""};
    EXPECT_EQ(Text(pairs_.OnSample(enter, 1, 1, fields)), "");
    EXPECT_EQ(Text(pairs_.OnSample(exit, 1, 2, fields)), "");
  }
}

TEST_F(SyscallPairsTest, OfBothGroupsTheOneWithNumbersCounts) {
  RawEnter(1, 1, kRead);
  Enter(1, 2, "read");
  EXPECT_EQ(Exit(1, 3, "read"), "");
  EXPECT_EQ(RawExit(1, 4, kRead), "read 1-4");
  Enter(1, 11, "read");
  RawEnter(1, 12, kRead);
  EXPECT_EQ(RawExit(1, 13, kRead), "read 12-13");
  EXPECT_EQ(Exit(1, 14, "read"), "");
}

TEST_F(SyscallPairsTest, OtherTracepointsChangeNothing) {
  const Field id[] = {{"id", kRead}};
  RawEnter(1, 1, kRead);
  for (const TracepointRole role :
       {TracepointRole::kInstant, TracepointRole::kMigration}) {
    EXPECT_EQ(Text(pairs_.OnSample({role, ""}, 1, 2, id)), "");
  }
  EXPECT_EQ(RawExit(1, 3, kRead), "read 1-3");
}

}  // namespace
}  // namespace perf2x
