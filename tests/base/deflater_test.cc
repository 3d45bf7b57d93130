// SPDX-License-Identifier: Apache-2.0
#include "converter/base/deflater.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <memory>
#include <random>
#include <string>

#include "converter/base/output.h"

namespace perf2x {
namespace {

std::string Compress(Deflater& deflater, const std::string& text,
                     size_t chunk) {
  std::string out;
  const auto to = MakeStringOutput(&out);
  for (size_t at = 0; at < text.size(); at += chunk) {
    const absl::string_view part = absl::string_view(text).substr(at, chunk);
    const bool last = at + part.size() == text.size();
    EXPECT_TRUE(deflater.Compress(part, last, *to).ok());
  }
  return out;
}

std::string Text(size_t size) {
  std::mt19937 random(1);
  std::string text;
  while (text.size() < size) text += std::to_string(random() % 1000);
  return text;
}

std::string Uncompress(const std::string& bytes, size_t size) {
  std::string out(size, '\0');
  uLongf written = out.size();
  EXPECT_EQ(
      uncompress(reinterpret_cast<Bytef*>(out.data()), &written,
                 reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()),
      Z_OK);
  out.resize(written);
  return out;
}

TEST(DeflaterTest, StreamsFollowEachOther) {
  Deflater deflater(Deflater::Format::kZlib);
  const std::string large = Text(1 << 20);
  const std::string first = Compress(deflater, large, 100'000);
  EXPECT_EQ(Uncompress(first, large.size()), large);
  EXPECT_LT(first.size(), large.size());
  for (const size_t size : {1, 16, 17, 1000}) {
    const std::string text = large.substr(0, size);
    EXPECT_EQ(Uncompress(Compress(deflater, text, size), size), text) << size;
  }
  // A stream does not depend on those before it, nor on where its memory is.
  EXPECT_EQ(Compress(deflater, large, 100'000), first);
  const auto other = std::make_unique<Deflater>(Deflater::Format::kZlib);
  EXPECT_EQ(Compress(*other, large, 100'000), first);
}

TEST(DeflaterTest, ErrorsOfTheOutputComeUp) {
  const auto full = OpenOutput("/dev/full");
  ASSERT_TRUE(full.ok());
  Deflater deflater(Deflater::Format::kGzip);
  std::mt19937 random(1);
  std::string noise(1 << 20, '\0');
  for (char& c : noise) c = static_cast<char>(random());
  absl::Status status = deflater.Compress(noise, /*last=*/true, **full);
  if (status.ok()) status = (*full)->Close();
  EXPECT_FALSE(status.ok());
}

}  // namespace
}  // namespace perf2x
