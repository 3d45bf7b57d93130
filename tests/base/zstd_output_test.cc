// SPDX-License-Identifier: Apache-2.0
#include "converter/base/zstd_output.h"

#include <gmock/gmock.h>
#include <zstd.h>

#include <memory>
#include <random>
#include <string>

#include "converter/base/output.h"

namespace perf2x {
namespace {

using ::testing::HasSubstr;

std::string ZstdOf(const std::string& text, size_t step, size_t helpers) {
  std::string out;
  HelperPool pool("test", helpers);
  ZstdOutput zstd(MakeStringOutput(&out), &pool);
  for (size_t i = 0; i < text.size(); i += step) {
    EXPECT_TRUE(zstd.Write(absl::string_view(text).substr(i, step)).ok());
  }
  EXPECT_TRUE(zstd.Close().ok());
  return out;
}

// Of one frame.
std::string TextOfZstd(const std::string& bytes) {
  EXPECT_EQ(ZSTD_findFrameCompressedSize(bytes.data(), bytes.size()),
            bytes.size());
  std::string out(16 << 20, '\0');
  const size_t size =
      ZSTD_decompress(out.data(), out.size(), bytes.data(), bytes.size());
  EXPECT_FALSE(ZSTD_isError(size)) << ZSTD_getErrorName(size);
  out.resize(ZSTD_isError(size) ? 0 : size);
  return out;
}

TEST(ZstdOutputTest, RoundTripsAndDoesNotDependOnWritesOrThreads) {
  std::mt19937 random(1);
  std::string text;
  while (text.size() < (9 << 20)) text += std::to_string(random() % 1000);
  const std::string small = ZstdOf(text, 1000, 0);
  EXPECT_EQ(small, ZstdOf(text, text.size(), 1));
  EXPECT_EQ(small, ZstdOf(text, 1 << 20, 3));
  EXPECT_EQ(small, ZstdOf(text, 77'777, 100));
  EXPECT_LT(small.size(), text.size());
  EXPECT_EQ(TextOfZstd(small), text);
}

// Buffers of any size, among other writes, are one text. What the output gives
// back may be filled again.
TEST(ZstdOutputTest, BuffersAreWrittenAsTextIs) {
  std::mt19937 random(1);
  std::string text;
  while (text.size() < (9 << 20)) text += std::to_string(random() % 1000);
  for (const size_t helpers : {0, 1, 3}) {
    std::string out;
    HelperPool pool("test", helpers);
    ZstdOutput zstd(MakeStringOutput(&out), &pool);
    ByteBuffer buffer;
    for (size_t at = 0, size = 1; at < text.size(); at += size) {
      size = random() % 5 == 0 ? random() % 3'000'000 : random() % 1000;
      const absl::string_view part = absl::string_view(text).substr(at, size);
      if (random() % 3 == 0) {
        ASSERT_TRUE(zstd.Write(part).ok());
      } else {
        buffer.Append(part);
        ASSERT_TRUE(zstd.WriteBuffer(buffer).ok());
        buffer.Clear(1 << 20);
      }
    }
    ASSERT_TRUE(zstd.Close().ok());
    EXPECT_EQ(out, ZstdOf(text, text.size(), 0));
    EXPECT_EQ(TextOfZstd(out), text);
  }
}

TEST(ZstdOutputTest, NothingWrittenIsAnEmptyFrame) {
  const std::string bytes = ZstdOf("", 1, 1);
  EXPECT_FALSE(bytes.empty());
  EXPECT_EQ(TextOfZstd(bytes), "");
}

TEST(ZstdOutputTest, ErrorsBelowComeUp) {
  std::mt19937 random(1);
  std::string noise(1 << 20, '\0');
  for (char& c : noise) c = static_cast<char>(random());
  auto full = OpenOutput("/dev/full");
  ASSERT_TRUE(full.ok());
  HelperPool pool("test", 1);
  ZstdOutput zstd(*std::move(full), &pool);
  absl::Status status;
  for (int i = 0; i < 100 && status.ok(); ++i) status = zstd.Write(noise);
  EXPECT_THAT(std::string(status.message()), HasSubstr("No space left"));
  EXPECT_FALSE(zstd.Write(noise).ok());
  EXPECT_FALSE(zstd.Close().ok());
}

TEST(ZstdOutputTest, MayBeAbandoned) {
  std::string out;
  HelperPool pool("test", 1);
  auto zstd = std::make_unique<ZstdOutput>(MakeStringOutput(&out), &pool);
  EXPECT_TRUE(zstd->Write(std::string(5 << 20, 'x')).ok());
  zstd.reset();
}

}  // namespace
}  // namespace perf2x
