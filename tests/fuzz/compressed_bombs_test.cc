// SPDX-License-Identifier: Apache-2.0

// Small inputs that unpack to large ones.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "converter/perf/records/wire.h"
#include "tests/support/bombs.h"
#include "tests/support/bounds.h"
#include "tests/support/compressed_file.h"
#include "tests/support/hostile.h"
#include "tests/support/perf_data_builder.h"
#include "tests/support/temp_folder.h"
#include "tests/support/write_bytes.h"

namespace perf2x {
namespace {

// A copy of `pattern` over and over.
ByteVector Repeated(const ByteVector& start, const ByteVector& pattern,
                    size_t size) {
  ByteVector out = start;
  out.reserve(size);
  while (out.size() + pattern.size() <= size) {
    out.insert(out.end(), pattern.begin(), pattern.end());
  }
  return out;
}

// Bytes of repeated records that compress to less than 1 MB. With a sanitizer,
// which takes minutes for the whole, a part shows its faults.
size_t InflatedSize() { return Sanitized() ? 40'000'000 : 200'000'000; }

ByteVector HeadOfPipe() {
  Recording recording = NewRecording(kUsualFields);
  return AsPipe(recording);
}
ByteVector BodyOfPipe() {
  const ByteVector head = HeadOfPipe();
  Recording recording = NewRecording(kUsualFields);
  recording.Add(SampleAt(1));
  ByteVector pipe = AsPipe(recording);
  pipe.erase(pipe.begin(), pipe.begin() + head.size());
  return pipe;
}

ByteVector GzipOfZeros() {
  ByteVector file = AsFile(NewRecording(kUsualFields));
  file.resize(InflatedSize());
  return Gzipped(file);
}
ByteVector GzipOfRecords() {
  return Gzipped(Repeated(HeadOfPipe(), BodyOfPipe(), InflatedSize()));
}
ByteVector Bzip2OfZeros() {
  ByteVector file = AsFile(NewRecording(kUsualFields));
  file.resize(InflatedSize());
  return Bzip2ed(file);
}
ByteVector Bzip2OfRecords() {
  // Compressed in pieces, because bzip2 is slow on repetitive bytes.
  constexpr size_t kPiece = 1 << 20;
  return Repeated(Bzip2ed(HeadOfPipe()),
                  Bzip2ed(Repeated({}, BodyOfPipe(), kPiece)), kBoundedInput);
}
ByteVector ZstdOfZeros() {
  ByteVector file = AsFile(NewRecording(kUsualFields));
  file.resize(InflatedSize());
  return Zstded(file);
}
ByteVector ZstdOfRecords() {
  return Zstded(Repeated(HeadOfPipe(), BodyOfPipe(), InflatedSize()));
}
ByteVector XzOfZeros() {
  ByteVector file = AsFile(NewRecording(kUsualFields));
  file.resize(InflatedSize());
  return Xzed(file);
}

// Nothing but COMPRESSED records, of samples or of zeros.
Recording CompressedRecords(const ByteVector& what, int records = 15) {
  Recording recording = NewRecording(kUsualFields);
  const ByteVector packed = Zstded(Repeated({}, what, InflatedSize() / 4));
  EXPECT_LT(packed.size(), 60'000u);
  // A file may have many such records, each with a frame of its own.
  for (int i = 0; i < records; ++i) {
    recording.records.push_back({kRecordCompressed, 0, packed, {}, 0});
  }
  return recording;
}
ByteVector CompressedSamples() {
  return AsFile(CompressedRecords(BodyOfPipe()));
}
ByteVector CompressedZeros() {
  return AsFile(CompressedRecords(ByteVector(4096)));
}
// 60 MB of COMPRESSED records, compressed once more.
ByteVector ZstdOfCompressed() {
  return Zstded(AsFile(CompressedRecords(BodyOfPipe(), 1000)));
}
ByteVector ZstdOfCompressedPipe() {
  return Zstded(AsPipe(CompressedRecords(BodyOfPipe(), 1000)));
}

constexpr Bomb kCompressedBombs[] = {
    {"GzipOfZeros", GzipOfZeros},
    {"GzipOfRecords", GzipOfRecords},
    {"Bzip2OfZeros", Bzip2OfZeros},
    {"Bzip2OfRecords", Bzip2OfRecords},
    {"ZstdOfZeros", ZstdOfZeros},
    {"ZstdOfRecords", ZstdOfRecords},
    {"XzOfZeros", XzOfZeros},
    {"CompressedSamples", CompressedSamples},
    {"CompressedZeros", CompressedZeros},
    {"ZstdOfCompressed", ZstdOfCompressed},
    {"ZstdOfCompressedPipe", ZstdOfCompressedPipe},
};

class CompressedBombTest : public testing::TestWithParam<Bomb> {};

TEST_P(CompressedBombTest, StaysWithinTheBounds) {
  ExpectWithinBounds(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Bombs, CompressedBombTest,
                         testing::ValuesIn(kCompressedBombs),
                         [](const auto& test) { return test.param.name; });

// The size of a pipe stream is not known before its end.
TEST(CompressedPipeBombTest, InALivePipe) {
  const ByteVector bomb = AsPipe(CompressedRecords(BodyOfPipe()));
  ASSERT_LE(bomb.size(), kBoundedInput);
  KeepBomb("InALivePipe", bomb);
  const TempFolder folder;
  const std::string path = folder.File("live_pipe_bomb");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] { WriteBytes(path, bomb); });
  auto input = OpenInput(path);
  ASSERT_TRUE(input.ok()) << input.status();
  ExpectWithinBounds(*std::move(input), "pprof");
  writer.join();
}

// Each file of a folder is small.
TEST(CompressedFolderBombTest, InManyDataFiles) {
  const ByteVector head = AsFile(NewRecording(kUsualFields));
  ByteVector body = AsPipe(CompressedRecords(BodyOfPipe(), 1));
  const ByteVector other = HeadOfPipe();
  body.erase(body.begin(), body.begin() + other.size());
  Input input = MemoryInput(head);
  for (int i = 0; i < 60; ++i) {
    input.data_files.push_back(
        {absl::StrCat("data.", i), MemoryInput(body).mapped, {}});
  }
  ASSERT_LE(60 * body.size(), kBoundedInput);
  ExpectWithinBounds(std::move(input), "pprof");
}

}  // namespace
}  // namespace perf2x
