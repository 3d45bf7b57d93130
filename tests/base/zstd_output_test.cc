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
  ZstdOutput zstd(MakeStringOutput(&out), helpers);
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
  ZstdOutput zstd(*std::move(full), /*helpers=*/1);
  absl::Status status;
  for (int i = 0; i < 100 && status.ok(); ++i) status = zstd.Write(noise);
  EXPECT_THAT(std::string(status.message()), HasSubstr("No space left"));
  EXPECT_FALSE(zstd.Write(noise).ok());
  EXPECT_FALSE(zstd.Close().ok());
}

TEST(ZstdOutputTest, MayBeAbandoned) {
  std::string out;
  auto zstd = std::make_unique<ZstdOutput>(MakeStringOutput(&out), 1);
  EXPECT_TRUE(zstd->Write(std::string(5 << 20, 'x')).ok());
  zstd.reset();
}

}  // namespace
}  // namespace perf2x
