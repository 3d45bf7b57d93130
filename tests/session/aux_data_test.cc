// SPDX-License-Identifier: Apache-2.0
#include "converter/session/aux_data.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace perf2x {
namespace {

using Bytes = std::vector<uint8_t>;

AuxData::Piece PieceOf(const Bytes& bytes) { return {bytes, BlockRef(), 100}; }

std::string TextOf(const AuxData& data, uint64_t start, uint64_t end) {
  std::string text;
  while (start < end) {
    const AuxData::Piece piece = data.At(start, end);
    text.append(piece.bytes.begin(), piece.bytes.end());
    if (piece.bytes.empty()) text.push_back('-');
    start += std::max<size_t>(piece.bytes.size(), 1);
  }
  return text;
}

TEST(AuxDataTest, OnlyNewBytesAreAdded) {
  const Bytes a(10, 'a'), b(20, 'b');
  AuxData data;
  EXPECT_EQ(data.Add(20, PieceOf(a)), 0u);
  EXPECT_EQ(data.Add(20, PieceOf(a)), 10u);
  EXPECT_EQ(data.Add(20, PieceOf(b)), 10u);
  EXPECT_EQ(TextOf(data, 18, 42), "--aaaaaaaaaabbbbbbbbbb--");
  EXPECT_EQ(data.At(30, 40).offset, 110u);
  EXPECT_EQ(data.NextFrom(0, 50), 20u);
  EXPECT_EQ(data.NextFrom(25, 50), 25u);
  EXPECT_EQ(data.NextFrom(40, 50), 50u);
  EXPECT_TRUE(data.Had(20, 40));
  EXPECT_EQ(data.Add(~uint64_t{0} - 5, PieceOf(a)), 10u);
}

TEST(AuxDataTest, FreedPartsAreKnown) {
  const Bytes a(10, 'a');
  AuxData data;
  data.Add(0, PieceOf(a));
  data.Add(10, PieceOf(a));
  data.Free(5, 12);
  EXPECT_EQ(TextOf(data, 0, 20), "aaaaa-------aaaaaaaa");
  EXPECT_TRUE(data.Had(0, 20));
  size_t freed = 0;
  data.FreeBefore(19,
                  [&](const AuxData::Piece& p) { freed += p.bytes.size(); });
  EXPECT_EQ(freed, 5u);
  EXPECT_EQ(data.end(), 20u);
}

TEST(AuxDataTest, PaddingIsReplaced) {
  const Bytes padded = {'a', 'a', 'a', 'a', 'a', 0, 0, 0}, b(8, 'b');
  AuxData data;
  data.Add(0, PieceOf(padded));
  EXPECT_EQ(data.Add(5, PieceOf(b)), 0u);
  EXPECT_EQ(TextOf(data, 0, 13), "aaaaabbbbbbbb");
  EXPECT_EQ(data.Add(10, PieceOf(b)), 3u);  // no zeros
}

}  // namespace
}  // namespace perf2x
