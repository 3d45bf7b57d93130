// SPDX-License-Identifier: Apache-2.0
#include "converter/base/decompress.h"

#include <gtest/gtest.h>
#include <zstd.h>

#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "converter/input/input.h"
#include "tests/support/compressed_file.h"
#include "tests/support/perf_data_builder.h"
#include "tests/support/temp_folder.h"
#include "tests/support/write_bytes.h"

namespace perf2x {
namespace {

using Bytes = std::vector<uint8_t>;

Bytes SomeText() {
  Bytes text;
  for (int i = 0; i < 200000; ++i) text.push_back("perf2x-"[i % 7] + i / 50000);
  return text;
}

struct Unpacked {
  Bytes bytes;
  absl::Status status;
};

Unpacked Unpack(const Bytes& packed, size_t step = 4096) {
  Unpacked out;
  Input input = MemoryInput(packed);
  if (input.stream == nullptr) {
    out.status = absl::InternalError("not seen as compressed");
    return out;
  }
  Bytes buffer(step);
  for (;;) {
    auto n = input.stream->Read(absl::MakeSpan(buffer));
    out.status = n.status();
    if (!n.ok() || *n == 0) return out;
    out.bytes.insert(out.bytes.end(), buffer.begin(), buffer.begin() + *n);
  }
}

Bytes Join(const Bytes& a, const Bytes& b) {
  Bytes out = a;
  out.insert(out.end(), b.begin(), b.end());
  return out;
}

// Words in an order that no format can guess, so that damage is noticed.
Bytes Noise(size_t size) {
  std::mt19937 random(1);
  std::vector<Bytes> words(200);
  for (Bytes& word : words) {
    for (size_t n = 5 + random() % 10; n > 0; --n) {
      word.push_back(static_cast<uint8_t>(random()));
    }
  }
  Bytes noise;
  while (noise.size() < size) {
    const Bytes& word = words[random() % words.size()];
    noise.insert(noise.end(), word.begin(), word.end());
  }
  return noise;
}

// How many bytes `tool` makes of `packed` before it gives up; 0 where it is not
// installed.
size_t SizeByTool(const Bytes& packed, const std::string& tool) {
  const TempFolder folder;
  const std::string path = folder.File("packed");
  WriteBytes(path, packed);
  FILE* const out =
      popen((tool + " -dc <" + path + " 2>/dev/null").c_str(), "r");
  char buffer[4096];
  size_t size = 0;
  while (const size_t n = fread(buffer, 1, sizeof(buffer), out)) size += n;
  pclose(out);
  return size;
}

struct Method {
  const char* name;  // also of the tool
  Bytes (*pack)(const Bytes&);
};
void PrintTo(const Method& m, std::ostream* out) { *out << m.name; }
class DecompressTest : public testing::TestWithParam<Method> {};

TEST_P(DecompressTest, GivesBackWhatWasPacked) {
  const Bytes text = SomeText();
  for (const size_t step : {1000, 4096, 1 << 20}) {
    const Unpacked got = Unpack(GetParam().pack(text), step);
    EXPECT_TRUE(got.status.ok()) << got.status;
    EXPECT_EQ(got.bytes, text);
  }
}

TEST_P(DecompressTest, JoinsMembers) {
  const Bytes text = SomeText();
  const Bytes one = GetParam().pack(text);
  const Unpacked got = Unpack(Join(one, one));
  EXPECT_TRUE(got.status.ok()) << got.status;
  EXPECT_EQ(got.bytes, Join(text, text));
}

// Padding is none of the recording; other bytes may be a part of it.
TEST_P(DecompressTest, OnlyZerosMayFollow) {
  const Bytes text = SomeText();
  const Bytes packed = GetParam().pack(text);
  for (const size_t zeros : {4, 512}) {
    const Unpacked padded = Unpack(Join(packed, Bytes(zeros, 0)));
    EXPECT_EQ(padded.bytes, text);
    // The format of zstd has no padding.
    EXPECT_EQ(padded.status.ok(), GetParam().name != std::string("zstd"));
  }
  for (const Bytes& junk : {Bytes{'j', 'u', 'n', 'k'}, Noise(200000)}) {
    const Unpacked followed = Unpack(Join(packed, junk));
    EXPECT_EQ(followed.bytes, text);
    EXPECT_EQ(followed.status.code(), absl::StatusCode::kDataLoss);
  }
}

TEST_P(DecompressTest, GivesWhatIsThereOfACutInput) {
  const Bytes text = SomeText();
  Bytes packed = GetParam().pack(text);
  packed.resize(packed.size() - 10);
  const Unpacked got = Unpack(packed);
  EXPECT_EQ(got.status.code(), absl::StatusCode::kDataLoss) << got.status;
  EXPECT_TRUE(std::equal(got.bytes.begin(), got.bytes.end(), text.begin()));
}

// Damage is told of after all that was unpacked before it, however much is
// asked for at once.
TEST_P(DecompressTest, GivesAllThatWasUnpackedBeforeDamage) {
  const Bytes noise = Noise(3 << 20);
  const Bytes packed = GetParam().pack(noise);
  Bytes cut = packed, flipped = packed;
  cut.resize(cut.size() * 3 / 4);
  for (int i = 0; i < 16; ++i) flipped[flipped.size() * 3 / 4 + i] ^= 0x5a;
  for (const Bytes& damaged : {cut, flipped}) {
    const Unpacked little = Unpack(damaged, 100);
    const Unpacked much = Unpack(damaged, 8 << 20);
    EXPECT_EQ(little.status.code(), absl::StatusCode::kDataLoss);
    EXPECT_EQ(much.status, little.status);
    EXPECT_EQ(much.bytes.size(), little.bytes.size());
    // Blocks before the damaged one are whole; bzip2's have 900 kB.
    const size_t whole = noise.size() * 3 / 4 - 1'000'000;
    ASSERT_GE(much.bytes.size(), whole);
    EXPECT_TRUE(std::equal(noise.begin(),
                           noise.begin() + static_cast<ptrdiff_t>(whole),
                           much.bytes.begin()));
    const size_t by_tool = SizeByTool(damaged, GetParam().name);
    EXPECT_GE(much.bytes.size(), by_tool);
  }
}

TEST_P(DecompressTest, NoCutCrashesOrMakesUpBytes) {
  const Bytes packed = GetParam().pack(Bytes(300, 'x'));
  for (size_t n = kCompressionMagicSize; n < packed.size(); ++n) {
    const Unpacked got = Unpack(Bytes(packed.begin(), packed.begin() + n));
    EXPECT_LE(got.bytes.size(), 300u);
    EXPECT_FALSE(got.status.ok() && got.bytes.size() < 300) << n;
  }
}

TEST_P(DecompressTest, DamageIsAnErrorNotACrash) {
  const Bytes packed = GetParam().pack(Bytes(300, 'x'));
  for (size_t i = kCompressionMagicSize; i < packed.size(); ++i) {
    Bytes damaged = packed;
    damaged[i] ^= 0x55;
    Unpack(damaged);
  }
}

// gzip cannot make much more than 1000 bytes of one.
TEST(DecompressBombTest, IsStopped) {
  for (const auto pack : {Bzip2ed, Xzed, Zstded}) {
    const Unpacked got = Unpack(pack(Bytes(100 << 20)), 1 << 20);
    EXPECT_EQ(got.status.message(),
              "compressed input unpacks to too much for its size; unpack it "
              "first if that is right");
    EXPECT_LE(got.bytes.size(), size_t{66} << 20);
  }
}

// pzstd writes frames that are to be skipped before those with data.
TEST(DecompressTest, ZstdMayBeginWithAFrameToSkip) {
  const Bytes text = SomeText();
  const Bytes skipped = {0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4};
  const Unpacked out = Unpack(Join(skipped, Zstded(text)));
  EXPECT_TRUE(out.status.ok()) << out.status;
  EXPECT_EQ(out.bytes, text);
}

// The checksum comes after all data, however little is read at a time.
TEST(DecompressTest, WhatAWrongChecksumOfZstdFollowsIsGiven) {
  const Bytes text = SomeText();
  Bytes packed(ZSTD_compressBound(text.size()));
  ZSTD_CCtx* const zstd = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
  packed.resize(ZSTD_compress2(zstd, packed.data(), packed.size(), text.data(),
                               text.size()));
  ZSTD_freeCCtx(zstd);
  EXPECT_TRUE(Unpack(packed).status.ok());
  packed.back() ^= 1;
  for (const size_t step : {1, 16, 1000, 4096, 1 << 20}) {
    const Unpacked got = Unpack(packed, step);
    EXPECT_EQ(got.status.code(), absl::StatusCode::kDataLoss) << step;
    EXPECT_TRUE(got.bytes == text) << step << " " << got.bytes.size();
  }
}

// A frame header for a window of 2 GiB, as zstd --long=31 writes it.
TEST(DecompressTest, ALargeWindowIsNoDamage) {
  const Bytes header = {0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8,
                        0x01, 0x00, 0x00, 0x00, 0x00, 0x00};
  EXPECT_EQ(Unpack(header).status.message(),
            "zstd input needs more than 128 MB to unpack; unpack it first");
}

INSTANTIATE_TEST_SUITE_P(All, DecompressTest,
                         testing::Values(Method{"gzip", Gzipped},
                                         Method{"bzip2", Bzip2ed},
                                         Method{"xz", Xzed},
                                         Method{"zstd", Zstded}),
                         [](const auto& test) { return test.param.name; });

TEST(CompressionOfTest, PlainBytesAreNotCompressed) {
  const Bytes plain = {'P', 'E', 'R', 'F', 'I', 'L', 'E', '2'};
  EXPECT_EQ(DetectCompression(plain), Compression::kNone);
  EXPECT_EQ(DetectCompression({}), Compression::kNone);
}

}  // namespace
}  // namespace perf2x
