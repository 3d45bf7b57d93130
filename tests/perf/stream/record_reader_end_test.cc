// SPDX-License-Identifier: Apache-2.0
// Tests what RecordReader says about the end of a recording and of its
// compressed data.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

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

constexpr char kEndsInBlock[] = "compressed data ends inside a zstd block";

// Returns the records of `recording` as they are in its data.
ByteVector DataOf(const Recording& recording) {
  Recording head = recording;
  head.records.clear();
  const ByteVector all = AsPipe(recording);
  return {all.begin() + static_cast<ptrdiff_t>(AsPipe(head).size()), all.end()};
}

// Returns `recording`, whose last record is compressed, without the last `n`
// bytes of that record's data.
Recording WithoutEnd(Recording recording, size_t n) {
  Recording::Record& last = recording.records.back();
  if (last.type != kRecordCompressed2) {
    last.body.resize(last.body.size() - n);
    return recording;
  }
  const uint64_t size = Load<uint64_t>(last.body.data(), recording.order) - n;
  Store(size, last.body.data(), recording.order);
  last.body.resize(8 + (size + 7) / 8 * 8);
  return recording;
}

// The writer flushes where a record ends, and its stream has no end. A part of
// a block gives no byte, so that nothing else tells of what is missing.
TEST(RecordReaderTest, ABlockThatIsCutIsDamage) {
  const size_t five = DataOf(Comms(5)).size();
  for (const uint32_t type : {kRecordCompressed, kRecordCompressed2}) {
    const Recording whole = Compressed(Comms(25), type, five);
    const ByteVector& last = whole.records.back().body;
    const size_t size = type == kRecordCompressed
                            ? last.size()
                            : Load<uint64_t>(last.data(), whole.order);
    for (size_t n = 0; n <= size; ++n) {
      SCOPED_TRACE(n);
      Recording cut = WithoutEnd(whole, n);
      const bool is_cut = n > 0 && n < size;
      for (int more : {0, 1}) {
        // What follows is whole.
        if (more > 0) {
          cut.records.push_back({kRecordFinishedRound, 0, {}, {}, 0});
        }
        for (const ByteVector& bytes : {AsPipe(cut), AsFile(cut)}) {
          const Read read = ReadAll(bytes);
          EXPECT_EQ(read.comms.size(), n == 0 ? 25u : 20u);
          EXPECT_EQ(read.types.at(kRecordFinishedRound), 2 + more);
          EXPECT_EQ(OnlyProblem(read),
                    is_cut ? absl::StrCat("0 ", kEndsInBlock) : "");
        }
      }
    }
  }
}

// zstd asks for as many bytes in the last block of a frame, or in one that is
// to be skipped, as it does after a flush.
TEST(RecordReaderTest, AFrameThatIsCutIsDamage) {
  const ByteVector skipped = {0x50, 0x2a, 0x4d, 0x18, 8, 0, 0, 0,
                              1,    2,    3,    4,    5, 6, 7, 8};
  for (const ByteVector& frame : {Zstded(DataOf(Comms(5))), skipped}) {
    for (size_t n = 0; n < 8; ++n) {
      SCOPED_TRACE(n);
      Recording recording = Comms(0);
      recording.records = {{kRecordCompressed, 0, frame, {}, 0}};
      const Read read = ReadAll(AsPipe(WithoutEnd(recording, n)));
      EXPECT_EQ(OnlyProblem(read),
                n > 0 ? absl::StrCat("0 ", kEndsInBlock) : "");
    }
  }
}

TEST(RecordReaderTest, EachFileOfAFolderHasABlockThatIsCut) {
  const size_t five = DataOf(Comms(5)).size();
  const Recording whole = Compressed(Comms(25), kRecordCompressed2, five);
  const ByteVector head = AsPipe(Comms(0)), data = DataOf(whole),
                   cut = DataOf(WithoutEnd(whole, 3));
  Input input = MemoryInput(head);
  for (const ByteVector* file : {&data, &cut, &data, &cut}) {
    input.data_files.push_back({"data", MemoryInput(*file).mapped, {}});
  }
  Diagnostics diagnostics;
  auto reader = RecordReader::Open(std::move(input), &diagnostics);
  ASSERT_TRUE(reader.ok()) << reader.status();
  for (RawRecord record; (*reader)->Next(&record);) {
  }
  std::vector<std::string> problems;
  for (const auto& [message, entry] : diagnostics.entries()) {
    problems.push_back(message);
  }
  EXPECT_EQ(problems,
            (std::vector<std::string>{
                absl::StrCat(kEndsInBlock, " (in data.1 of the folder)"),
                absl::StrCat(kEndsInBlock, " (in data.3 of the folder)")}));
}

// Where the input ends inside a compressed record, that is said once.
TEST(RecordReaderTest, ACompressedRecordThatIsCutIsOneProblem) {
  const size_t five = DataOf(Comms(5)).size();
  const ByteVector whole =
      AsPipe(Compressed(Comms(25), kRecordCompressed, five));
  for (size_t n = 1; n < 8; ++n) {
    const ByteVector cut(whole.begin(),
                         whole.end() - static_cast<ptrdiff_t>(n));
    const Read read = ReadAll(cut);
    EXPECT_EQ(read.comms.size(), 20u);
    EXPECT_EQ(read.diagnostics.entries().size(), 1u);
    EXPECT_FALSE(read.diagnostics.entries().contains(kEndsInBlock));
  }
}

TEST(RecordReaderTest, CompressedRecordsInCompressedDataAreSkipped) {
  for (const uint32_t type : {kRecordCompressed, kRecordCompressed2}) {
    const Recording inner = Compressed(Comms(5), type);
    Recording both = Comms(2);
    const ByteVector& nested =
        both.records.emplace_back(inner.records.back()).body;
    const size_t size = 8 + nested.size();
    Recording outer = Comms(3);
    outer.records.push_back(
        {kRecordCompressed, 0, Zstded(DataOf(both)), {}, 0});
    const Read read = ReadAll(AsPipe(outer));
    EXPECT_EQ(read.comms.size(), 5u);
    const std::string message =
        absl::StrCat(type == kRecordCompressed ? "COMPRESSED" : "COMPRESSED2",
                     " record inside compressed data");
    const auto found = read.diagnostics.entries().find(message);
    ASSERT_NE(found, read.diagnostics.entries().end());
    EXPECT_EQ(found->second.severity, Diagnostics::Severity::kSkipped);
    EXPECT_EQ(found->second.count, 1u);
    EXPECT_EQ(found->second.bytes, size);
  }
}

}  // namespace
}  // namespace perf2x
