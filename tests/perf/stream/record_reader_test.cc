// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/stream/record_reader.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "converter/perf/records/aux_records.h"
#include "converter/perf/stream/framer.h"
#include "tests/perf/stream/comm_recordings.h"
#include "tests/support/compressed_file.h"
#include "tests/support/hostile.h"
#include "tests/support/perf_data_builder.h"
#include "tests/support/temp_folder.h"
#include "tests/support/write_bytes.h"

namespace perf2x {
namespace {

// Cut at every length, what survives is a prefix that never grows.
void CheckCuts(const ByteVector& whole) {
  const std::vector<ByteVector> all = ReadAll(whole).comms;
  size_t last = all.size();
  for (size_t n = whole.size(); n-- > 0;) {
    const ByteVector cut(whole.begin(), whole.begin() + n);
    const Read read = ReadAll(cut);
    ASSERT_LE(read.comms.size(), last) << n;
    ASSERT_TRUE(std::equal(read.comms.begin(), read.comms.end(), all.begin()))
        << n;
    last = read.comms.size();
  }
  EXPECT_EQ(last, 0u);
}

TEST(RecordReaderTest, EveryCutOfAFileKeepsWhatIsBeforeIt) {
  CheckCuts(AsFile(Comms(25)));
}
TEST(RecordReaderTest, EveryCutOfAPipeKeepsWhatIsBeforeIt) {
  CheckCuts(AsPipe(Comms(25)));
}
TEST(RecordReaderTest, EveryCutOfACompressedPipeKeepsWhatIsBeforeIt) {
  CheckCuts(AsPipe(Compressed(Comms(25), kRecordCompressed, 100)));
  CheckCuts(AsPipe(Compressed(Comms(25), kRecordCompressed2, 100, 30)));
}

TEST(RecordReaderTest, NoFlippedByteCrashesIt) {
  for (const ByteVector& whole :
       {AsFile(Comms(12)), AsPipe(Comms(12)),
        AsPipe(Compressed(Comms(12), kRecordCompressed, 100)),
        AsFile(Compressed(Comms(12), kRecordCompressed2, 100))}) {
    for (size_t i = 0; i < whole.size(); ++i) {
      for (const uint8_t flip : {0xff, 0x01, 0x80}) {
        ByteVector wrong = whole;
        wrong[i] ^= flip;
        ReadAll(wrong);
      }
    }
  }
}

// One line a record.
std::vector<std::string> LinesOf(const ByteVector& bytes, bool in_runs,
                                 ByteAccount* account) {
  Diagnostics diagnostics;
  auto reader = RecordReader::Open(MemoryInput(bytes), &diagnostics);
  std::vector<std::string> lines;
  if (!reader.ok()) return lines;
  const auto add = [&](const RawRecord& r) {
    const absl::Span<const uint8_t> block = (*r.block)->bytes();
    EXPECT_GE(r.body.data(), block.data());
    EXPECT_LE(r.body.end(), block.end());
    const ByteVector body(r.body.begin(), r.body.end());
    lines.push_back(absl::StrCat(
        r.type, " ", r.misc, " ", r.index, " ", r.offset, " ", r.replayed, " ",
        r.payload.size(), " ", absl::StrJoin(body, ",")));
  };
  if (in_runs) {
    for (RecordRun run; (*reader)->NextRun(200, &run);) {
      uint64_t bytes_of_run = 0;
      RawRecord record = run.first;
      for (uint64_t i = 0; i < run.records; ++i) {
        if (i > 0 && !run.Next(&record)) break;
        add(record);
        bytes_of_run += 8 + record.body.size() + record.payload.size();
      }
      EXPECT_EQ(run.bytes, bytes_of_run);
    }
  } else {
    for (RawRecord record; (*reader)->Next(&record);) add(record);
  }
  *account = (*reader)->bytes();
  return lines;
}

TEST(RecordReaderTest, RunsHoldTheSameRecords) {
  for (const ByteVector& whole :
       {AsFile(Comms(25)), AsPipe(Comms(25)),
        AsPipe(Compressed(Comms(25), kRecordCompressed, 100)),
        AsFile(Compressed(Comms(25), kRecordCompressed2, 100, 30))}) {
    // Under sanitizers, which make it slow, only every third length: each field
    // of the equally long records has its turn.
    const size_t step = Sanitized() ? 3 : 1;
    for (size_t n = whole.size(); n > 0; n -= std::min(n, step)) {
      SCOPED_TRACE(n);
      const ByteVector cut(whole.begin(), whole.begin() + n);
      ByteAccount expected, got;
      ASSERT_EQ(LinesOf(cut, true, &got), LinesOf(cut, false, &expected));
      EXPECT_EQ(got.data, expected.data);
      EXPECT_EQ(got.record_bytes, expected.record_bytes);
      EXPECT_EQ(got.decompressed, expected.decompressed);
      EXPECT_EQ(got.damaged, expected.damaged);
    }
  }
}

TEST(RecordReaderTest, KeepsTheStartOfACompressedRecordThatIsCut) {
  // One record of several zstd blocks.
  const ByteVector pipe =
      AsPipe(Compressed(Comms(5000), kRecordCompressed, 1 << 20, 65000));
  ByteVector cut(pipe.begin(), pipe.end() - 2000);
  const Read read = ReadAll(cut);
  EXPECT_GT(read.comms.size(), 1000u);
  EXPECT_LT(read.comms.size(), 5000u);
  EXPECT_TRUE(read.diagnostics.lossy());
}

// Returns `count` FINISHED_ROUND records.
ByteVector Rounds(size_t count) {
  constexpr size_t kSize = 8;
  const ByteOrder order = Recording().order;
  ByteVector bytes(count * kSize);
  for (size_t at = 0; at < bytes.size(); at += kSize) {
    Store<uint32_t>(kRecordFinishedRound, &bytes[at], order);
    Store<uint16_t>(kSize, &bytes[at + 6], order);
  }
  return bytes;
}

TEST(RecordReaderTest, ABombOfRecordsIsStopped) {
  const ByteVector bomb = Rounds(12'000'000);
  Recording recording = Comms(1);
  recording.records = {{kRecordCompressed, 0, Zstded(bomb), {}, 0}};
  ASSERT_LT(recording.records[0].body.size(), 60'000u);
  const Read read = ReadAll(AsPipe(recording));
  EXPECT_LE(read.bytes.decompressed, uint64_t{65} << 20);
  EXPECT_EQ(read.diagnostics.entries().count(
                "compressed data unpacks to too much for its size"),
            1u);
}

// How much may be unpacked is asked of the stream that the folder's `data` came
// from, long after that was read.
TEST(RecordReaderTest, ABombInAFolderWhoseDataIsPackedIsStopped) {
  const ByteVector bomb = Rounds(9'000'000);
  const ByteVector head = AsPipe(Comms(0));
  const ByteVector packed_head = Gzipped(head);
  Recording recording = Comms(0);
  recording.records = {{kRecordCompressed, 0, Zstded(bomb), {}, 0}};
  ByteVector data = AsPipe(recording);
  data.erase(data.begin(), data.begin() + static_cast<ptrdiff_t>(head.size()));

  Input input = MemoryInput(packed_head);
  ASSERT_NE(input.stream, nullptr);
  input.data_files.push_back({"data.0", MemoryInput(data).mapped, {}});
  Diagnostics diagnostics;
  auto reader = RecordReader::Open(std::move(input), &diagnostics);
  ASSERT_TRUE(reader.ok()) << reader.status();
  uint64_t rounds = 0;
  for (RawRecord record; (*reader)->Next(&record);) {
    rounds += record.type == kRecordFinishedRound ? 1 : 0;
  }
  EXPECT_GT(rounds, 8'000'000u);
  EXPECT_LT(rounds, 9'000'000u);
  EXPECT_EQ(diagnostics.entries().count(
                "compressed data unpacks to too much for its size "
                "(in data.0 of the folder)"),
            1u);
}

// Another process may write to a file while it is read here.
TEST(RecordReaderTest, ARunWhoseBytesChangedEndsThere) {
  ByteVector bytes = AsPipe(Comms(3));
  const size_t head = AsPipe(Comms(0)).size();
  for (const uint16_t size : {0, 7, 0xffff}) {
    ByteVector changed = bytes;
    Input input = MemoryInput(changed);
    Diagnostics diagnostics;
    auto reader = RecordReader::Open(std::move(input), &diagnostics);
    ASSERT_TRUE(reader.ok()) << reader.status();
    RecordRun run;
    do {
      ASSERT_TRUE((*reader)->NextRun(1 << 20, &run));
    } while (run.first.type != kRecordComm);
    ASSERT_EQ(run.records, 3u);
    RawRecord record = run.first;
    Store(size, &changed[head + 8 + record.body.size() + 6], kHostOrder);
    EXPECT_FALSE(run.Next(&record));
    EXPECT_EQ(record.body, run.first.body);
  }
}

// Writes a recording to a file, and opens it.
std::unique_ptr<RecordReader> OpenFile(const std::string& path,
                                       const ByteVector& bytes,
                                       Diagnostics* diagnostics) {
  WriteBytes(path, bytes);
  auto input = OpenInput(path);
  EXPECT_TRUE(input.ok()) << input.status();
  if (!input.ok()) return nullptr;
  auto reader = RecordReader::Open(*std::move(input), diagnostics);
  EXPECT_TRUE(reader.ok()) << reader.status();
  return reader.ok() ? *std::move(reader) : nullptr;
}

// Stacks keep pointers into stable blocks, and are read after the last record.
TEST(RecordReaderTest, StableBytesOutliveTheLastRecord) {
  const ByteVector whole = AsFile(Comms(100));
  const TempFolder folder;
  const std::string path = folder.File("stable.data");
  Diagnostics diagnostics;
  const auto reader = OpenFile(path, whole, &diagnostics);
  ASSERT_NE(reader, nullptr);
  std::vector<absl::Span<const uint8_t>> kept;
  for (RawRecord record; reader->Next(&record);) {
    if (record.type != kRecordComm) continue;
    ASSERT_TRUE((*record.block)->stable());
    kept.push_back(record.body);
  }
  const std::vector<ByteVector> expected = ReadAll(whole).comms;
  ASSERT_EQ(kept.size(), expected.size());
  for (size_t i = 0; i < kept.size(); ++i) {
    EXPECT_EQ(kept[i], absl::MakeConstSpan(expected[i]));
  }
}

// As `cp` over a recording that is being converted makes it.
TEST(RecordReaderTest, AFileThatShrinksIsDamaged) {
  const ByteVector whole = AsFile(Comms(5000));
  ASSERT_GT(whole.size(), 200'000u);
  const TempFolder folder;
  const std::string path = folder.File("shrinks.data");
  Diagnostics diagnostics;
  const auto reader = OpenFile(path, whole, &diagnostics);
  ASSERT_NE(reader, nullptr);
  const auto page = sysconf(_SC_PAGESIZE);
  ASSERT_EQ(truncate(path.c_str(), 100'000 / page * page), 0);
  int records = 0;
  for (RawRecord record; reader->Next(&record);) ++records;
  EXPECT_GT(records, 500);
  EXPECT_LT(records, 5000);
  EXPECT_TRUE(std::any_of(diagnostics.entries().begin(),
                          diagnostics.entries().end(), [](const auto& entry) {
                            return absl::StrContains(entry.first,
                                                     "became shorter");
                          }));
  EXPECT_TRUE(diagnostics.lossy());
}

TEST(RecordReaderTest, CompressedRecordsNeverAppear) {
  for (const uint32_t type : {kRecordCompressed, kRecordCompressed2}) {
    const Read read = ReadAll(AsPipe(Compressed(Comms(30), type)));
    EXPECT_EQ(read.comms.size(), 30u);
    EXPECT_EQ(read.types.count(type), 0u);
    EXPECT_EQ(read.types.at(kRecordFinishedRound), 3);
    EXPECT_GT(read.bytes.compressed, 0u);
    EXPECT_FALSE(read.diagnostics.lossy());
  }
}

// The writer's 16-bit size wraps when a COMPRESSED2 record needs 65529 bytes or
// more with its padding; data_size is right then, and no padding is written.
TEST(RecordReaderTest, Compressed2WhoseSizeWrapped) {
  for (const size_t size : {65513, 65515, 65519}) {
    SCOPED_TRACE(size);
    Recording packed =
        Compressed(Comms(9000), kRecordCompressed2, 1 << 20, size);
    for (Recording::Record& r : packed.records) {
      if (r.type != kRecordCompressed2) continue;
      const uint64_t data = Load<uint64_t>(r.body.data(), packed.order);
      if ((data + 16 + 7) / 8 * 8 > 65535) r.body.resize(8 + data);
    }
    ByteVector bytes = AsPipe(packed);
    // The size as the writer leaves it: rounded up to 8, in 16 bits.
    for (size_t at = 0; at + 16 < bytes.size(); ++at) {
      if (Load<uint32_t>(&bytes[at], packed.order) == kRecordCompressed2 &&
          Load<uint64_t>(&bytes[at + 8], packed.order) == size) {
        Store(static_cast<uint16_t>((size + 16 + 7) / 8 * 8), &bytes[at + 6],
              packed.order);
      }
    }
    const Read read = ReadAll(bytes);
    EXPECT_EQ(read.comms.size(), 9000u);
    EXPECT_FALSE(read.diagnostics.lossy());
  }
}

// Larger still, the first record's data hold the headers of further ones, whose
// data_size was never written.
TEST(RecordReaderTest, Compressed2ThatHoldsFurtherRecords) {
  const Recording recording = Comms(9000);
  const Recording split =
      Compressed(recording, kRecordCompressed2, 1 << 20, 65504);
  Recording joined = split;
  joined.records.clear();
  ByteVector inner;
  for (const Recording::Record& r : split.records) {
    if (r.type != kRecordCompressed2) {
      joined.records.push_back(r);
      continue;
    }
    const auto size =
        static_cast<ptrdiff_t>(Load<uint64_t>(r.body.data(), split.order));
    if (!inner.empty()) {
      ByteVector header(16, 0xee);
      Store(r.type, &header[0], split.order);
      Store(uint16_t{0}, &header[4], split.order);
      Store(static_cast<uint16_t>(size + 16), &header[6], split.order);
      inner.insert(inner.end(), header.begin(), header.end());
    }
    inner.insert(inner.end(), r.body.begin() + 8, r.body.begin() + 8 + size);
  }
  ASSERT_GT(inner.size(), 65519u);
  Recording::Record whole;
  whole.type = kRecordCompressed2;
  whole.body.resize(8);
  Store(uint64_t{inner.size()}, whole.body.data(), split.order);
  whole.body.insert(whole.body.end(), inner.begin(), inner.end());
  joined.records.push_back(whole);
  const Read read = ReadAll(AsPipe(joined));
  EXPECT_EQ(read.comms.size(), 9000u);
  EXPECT_FALSE(read.diagnostics.lossy());
}

// AUXTRACE data lie behind their record and are stepped over.
TEST(RecordReaderTest, StepsOverAuxData) {
  Recording recording = Comms(3);
  AuxtraceRecord aux;
  aux.size = 24;
  recording.records.insert(
      recording.records.begin() + 1,
      {kRecordAuxtrace, 0, Encode(aux, recording.order, 0, EventAttr()),
       ByteVector(24, 0xff), 0});
  for (const ByteVector& bytes : {AsFile(recording), AsPipe(recording)}) {
    const Read read = ReadAll(bytes);
    EXPECT_EQ(read.comms.size(), 3u);
    EXPECT_EQ(read.bytes.payload, 24u);
    EXPECT_FALSE(read.diagnostics.lossy());
  }
}

TEST(RecordReaderTest, RefusesWithOneClearLine) {
  struct Case {
    ByteVector bytes;
    const char* says;
  };
  ByteVector no_attrs = AsFile(Comms(1));
  no_attrs[16] = 7;
  for (const Case& c : std::initializer_list<Case>{
           {{}, "input is empty"},
           {ByteVector(200, 'x'), "not a perf.data"},
           {Gzipped(Xzed(AsFile(Comms(1)))), "compressed more than once"},
           {no_attrs, "size of an attr as 7 bytes"}}) {
    const Read read = ReadAll(c.bytes);
    EXPECT_EQ(read.status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_NE(read.status.message().find(c.says), std::string::npos)
        << read.status;
    EXPECT_EQ(read.status.message().find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace perf2x
