// SPDX-License-Identifier: Apache-2.0
#include "converter/hwtrace/pt_block_code.h"

#include <gtest/gtest.h>

#include <array>

namespace perf2x {
namespace {

// Reads code as libipt does, which asks for the most bytes of an instruction.
class Reader {
 public:
  // Returns true if the code was kept. Keeps it otherwise.
  bool Read(uint64_t ip) {
    std::array<uint8_t, 15> bytes{};
    const size_t n = code_.ReadAgain(ip, absl::MakeSpan(bytes));
    if (n > 0) {
      EXPECT_EQ(bytes[0], static_cast<uint8_t>(ip)) << "the bytes of " << ip;
      return true;
    }
    bytes[0] = static_cast<uint8_t>(ip);
    code_.Keep(ip, bytes);
    return false;
  }
  bool ReadFirst(uint64_t ip) {
    code_.BeginStep();
    return Read(ip);
  }
  PtBlockCode& code() { return code_; }

 private:
  PtBlockCode code_;
};

TEST(PtBlockCodeTest, ABlockIsReadOnce) {
  Reader reader;
  for (int i = 0; i < 2; ++i) {
    EXPECT_FALSE(reader.ReadFirst(1));
    EXPECT_FALSE(reader.Read(2));
    EXPECT_FALSE(reader.Read(3));
    EXPECT_TRUE(reader.Read(1));
    EXPECT_TRUE(reader.ReadFirst(2));
    EXPECT_TRUE(reader.ReadFirst(3));
  }
}

TEST(PtBlockCodeTest, AnotherBlockIsReadAnew) {
  Reader reader;
  reader.ReadFirst(1);
  reader.Read(2);
  EXPECT_TRUE(reader.Read(1));
  EXPECT_FALSE(reader.ReadFirst(5));  // not 2: the first block ended early
  EXPECT_FALSE(reader.Read(2));
  EXPECT_TRUE(reader.Read(5));
  reader.code().Clear();
  EXPECT_FALSE(reader.ReadFirst(2));
}

// Each is read again if a block is longer than what is kept.
TEST(PtBlockCodeTest, LongBlocksAreKeptInPart) {
  constexpr uint64_t kSize = 5000;
  Reader reader;
  reader.code().BeginStep();
  for (uint64_t ip = 1; ip <= kSize; ++ip) EXPECT_FALSE(reader.Read(ip));
  EXPECT_TRUE(reader.Read(1));
  uint64_t again = 0;
  for (uint64_t ip = 2; ip <= kSize; ++ip)
    again += reader.ReadFirst(ip) ? 1 : 0;
  EXPECT_EQ(again, 2047u);
  EXPECT_FALSE(reader.ReadFirst(kSize));  // of another block
}

}  // namespace
}  // namespace perf2x
