// SPDX-License-Identifier: Apache-2.0
// Tests what RecordReader says about bytes after the end of a recording.
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "converter/perf/stream/framer.h"
#include "converter/perf/stream/record_reader.h"
#include "tests/perf/stream/comm_recordings.h"
#include "tests/support/compressed_file.h"
#include "tests/support/perf_data_builder.h"

namespace perf2x {
namespace {

constexpr char kBytesAfterEnd[] =
    "bytes after the end of the recording are not read";

// Returns the only problem in `read`, with its bytes; empty if there is none.
std::string OnlyProblem(const Read& read) {
  const auto& entries = read.diagnostics.entries();
  EXPECT_LE(entries.size(), 1u);
  if (entries.empty()) return "";
  const auto& [message, entry] = *entries.begin();
  EXPECT_EQ(entry.bytes, read.bytes.damaged);
  return absl::StrCat(entry.bytes, " ", message);
}

TEST(RecordReaderTest, BytesAfterTheEndOfAFileAreCounted) {
  const ByteVector one = AsFile(Comms(10));
  const auto problem = [&](size_t zeros, const ByteVector& rest) {
    ByteVector file = one;
    file.resize(file.size() + zeros);
    file.insert(file.end(), rest.begin(), rest.end());
    const Read read = ReadAll(file);
    EXPECT_EQ(read.comms, ReadAll(one).comms);
    return OnlyProblem(read);
  };
  const auto is = [](size_t bytes, absl::string_view message) {
    return absl::StrCat(bytes, " ", message);
  };
  EXPECT_EQ(problem(0, one), is(one.size(), kAnotherRecordingFollows));
  const ByteVector pipe = AsPipe(Comms(1));
  EXPECT_EQ(problem(7, pipe), is(pipe.size(), kAnotherRecordingFollows));
  ByteVector moved(1, '\n');
  moved.insert(moved.end(), one.begin(), one.end());
  EXPECT_EQ(problem(0, moved), is(moved.size(), kBytesAfterEnd));
  const ByteVector gzipped = Gzipped(one);
  EXPECT_EQ(problem(0, gzipped), is(gzipped.size(), kBytesAfterEnd));
  EXPECT_EQ(problem(2, {'x'}), is(3, kBytesAfterEnd));
  // Some writers leave zeros at the end.
  EXPECT_EQ(problem(7, {}), "");
  EXPECT_EQ(problem(4096, {}), "");
  EXPECT_EQ(problem(4097, {}), is(4097, kBytesAfterEnd));
}

// simpleperf rewrites sections, and leaves the old end of a longer one.
TEST(RecordReaderTest, OldBytesAfterTheEndOfASimpleperfFileAreNoDamage) {
  Recording recording = Comms(10);
  recording.features.push_back(
      {kFeatureSimpleperfMetaInfo, ByteVector(8, 'x')});
  const ByteVector one = AsFile(recording);
  ByteVector file = one;
  file.insert(file.end(), 200, 'x');
  EXPECT_EQ(OnlyProblem(ReadAll(file)), "");
  file.resize(one.size());
  file.insert(file.end(), one.begin(), one.end());
  EXPECT_EQ(OnlyProblem(ReadAll(file)),
            absl::StrCat(one.size(), " ", kAnotherRecordingFollows));
}

TEST(RecordReaderTest, AnotherRecordingAfterAPipeStreamIsNamed) {
  for (const ByteVector& rest : {AsPipe(Comms(1)), AsFile(Comms(1))}) {
    ByteVector both = AsPipe(Comms(10));
    both.insert(both.end(), rest.begin(), rest.end());
    const Read read = ReadAll(both);
    EXPECT_EQ(read.comms.size(), 10u);
    EXPECT_EQ(OnlyProblem(read),
              absl::StrCat(rest.size(), " ", kAnotherRecordingFollows));
  }
}

// As perf record -o - does with standard error in the same file.
TEST(RecordReaderTest, MessagesOfPerfRecordInAPipe) {
  constexpr absl::string_view kSays =
      "[ perf record: Woken up 1 times to write data ]\n";
  ByteVector bytes = AsPipe(Comms(3));
  bytes.insert(bytes.end(), kSays.begin(), kSays.end());
  const Read read = ReadAll(bytes);
  EXPECT_EQ(read.comms.size(), 3u);
  const auto& entries = read.diagnostics.entries();
  const auto found =
      entries.find("messages of perf record are in the recording, as by 2>&1");
  ASSERT_NE(found, entries.end());
  EXPECT_EQ(found->second.bytes, kSays.size());
}

}  // namespace
}  // namespace perf2x
