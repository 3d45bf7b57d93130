// SPDX-License-Identifier: Apache-2.0
#include "converter/base/deflater.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <memory>
#include <random>
#include <string>

#include "absl/strings/string_view.h"

namespace perf2x {
namespace {

std::string Deflated(Deflater& deflater, absl::string_view text) {
  std::string packed;
  EXPECT_TRUE(deflater.Compress(text, &packed).ok());
  return packed;
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
  const std::string first = Deflated(deflater, large);
  EXPECT_EQ(Uncompress(first, large.size()), large);
  EXPECT_LT(first.size(), large.size());
  for (const size_t size : {1, 16, 17, 1000}) {
    const std::string text = large.substr(0, size);
    EXPECT_EQ(Uncompress(Deflated(deflater, text), size), text) << size;
  }
  // A stream does not depend on those before it, nor on where its memory is.
  EXPECT_EQ(Deflated(deflater, large), first);
  const auto other = std::make_unique<Deflater>(Deflater::Format::kZlib);
  EXPECT_EQ(Deflated(*other, large), first);
}

TEST(DeflaterTest, BlocksFollowEachOther) {
  Deflater deflater(Deflater::Format::kBlocks);
  const std::string text = Text(1 << 18);
  std::string packed("\x78\x01", 2);  // RFC 1950: the head
  for (const size_t size : {1, 16, 17, 1 << 18}) {
    packed += Deflated(deflater, absl::string_view(text).substr(0, size));
  }
  packed += std::string("\x03\0", 2);  // a last block, of nothing
  const std::string all = text.substr(0, 1) + text.substr(0, 16) +
                          text.substr(0, 17) + text.substr(0, 1 << 18);
  const uLong sum = adler32(1, reinterpret_cast<const Bytef*>(all.data()),
                            static_cast<uInt>(all.size()));
  for (int shift = 24; shift >= 0; shift -= 8) {
    packed.push_back(static_cast<char>(sum >> shift & 0xff));
  }
  EXPECT_EQ(Uncompress(packed, all.size()), all);
}

}  // namespace
}  // namespace perf2x
