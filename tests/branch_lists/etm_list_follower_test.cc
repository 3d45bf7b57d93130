// SPDX-License-Identifier: Apache-2.0
#include "converter/branch_lists/etm_list_follower.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace perf2x {
namespace {

using End = EtmListFollower::End;

constexpr uint64_t kStart = 0x8000;

class Code final : public EtmCode {
 public:
  explicit Code(std::vector<uint8_t> bytes) : bytes_(std::move(bytes)) {}
  uint32_t Read(int32_t, int32_t, uint64_t address,
                absl::Span<uint8_t> to) override {
    if (address < kStart || address - kStart >= bytes_.size()) return 0;
    const size_t at = address - kStart;
    const size_t size = std::min(to.size(), bytes_.size() - at);
    std::copy_n(bytes_.begin() + static_cast<ptrdiff_t>(at), size, to.begin());
    return static_cast<uint32_t>(size);
  }

 private:
  const std::vector<uint8_t> bytes_;
};

class EtmListFollowerTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!EtmListFollower::InThisBuild()) GTEST_SKIP() << "no libopencsd-dev";
  }
  // Returns the steps of a list and, unless it is whole, what its end is.
  std::string Follow(EtmListFollower* follower, uint64_t address,
                     const std::string& letters) {
    EtmBranchList list;
    std::vector<uint8_t> bits((letters.size() + 7) / 8);
    for (size_t i = 0; i < letters.size(); ++i) {
      bits[i / 8] |= static_cast<uint8_t>((letters[i] == 'E') << i % 8);
    }
    list.address = address;
    list.bits = bits;
    list.size = letters.size();
    std::string text;
    const auto add = [&text](const EtmStep& step) {
      absl::StrAppend(&text, text.empty() ? "" : " ", absl::Hex(step.source),
                      step.branch ? ">" : "|", absl::Hex(step.target));
      return absl::OkStatus();
    };
    EXPECT_TRUE(follower->Follow(list, add, &end_).ok());
    return text;
  }
  std::string Follow(const std::vector<uint8_t>& code, bool is_64_bit,
                     uint64_t address, const std::string& letters) {
    Code of_list(code);
    EtmListFollower follower(&of_list, is_64_bit, budget_);
    return Follow(&follower, address, letters);
  }

  Budget budget_;
  End end_ = End::kWhole;
};

// nop; b.eq 8000; isb; ret
const std::vector<uint8_t> kA64 = {0x1f, 0x20, 0x03, 0xd5, 0xe0, 0xff,
                                   0xff, 0x54, 0xdf, 0x3f, 0x03, 0xd5,
                                   0xc0, 0x03, 0x5f, 0xd6};

TEST_F(EtmListFollowerTest, FollowsA64) {
  EXPECT_EQ(Follow(kA64, true, kStart, "EE"), "0|8000 8004>8000 8004>8000");
  EXPECT_EQ(end_, End::kWhole);
  // A barrier is reached as a branch is, and none.
  EXPECT_EQ(Follow(kA64, true, kStart, "NEE"), "0|8000 800c|0");
  EXPECT_EQ(Follow(kA64, true, kStart, "N"), "0|8000 8004|0");
}

TEST_F(EtmListFollowerTest, FollowsA32AndT32) {
  // mov r0, #0; b 8000
  const std::vector<uint8_t> a32 = {0, 0, 0xa0, 0xe3, 0xfd, 0xff, 0xff, 0xea};
  EXPECT_EQ(Follow(a32, false, kStart, "E"), "0|8000 8004>8000");
  // movs r0, #0; nop; b 8000; nop
  const std::vector<uint8_t> t32 = {0, 0x20, 0, 0xbf, 0xfc, 0xe7, 0, 0xbf};
  EXPECT_EQ(Follow(t32, false, kStart + 1, "EE"), "0|8000 8004>8000 8004>8000");
  // From an address that is no multiple of 4.
  EXPECT_EQ(Follow(t32, false, kStart + 3, "E"), "0|8002 8004>8000");
}

TEST_F(EtmListFollowerTest, NoInstructionBeginsWithinAnother) {
  for (const uint64_t address : {kStart + 1, kStart + 2, kStart + 3}) {
    EXPECT_EQ(Follow(kA64, true, address, "E"), "");
    EXPECT_EQ(end_, End::kNoInstruction);
  }
  EXPECT_EQ(Follow(kA64, false, kStart + 2, "E"), "");
  EXPECT_EQ(end_, End::kNoInstruction);
}

// Of an indirect branch, a list does not say where it leads. A direct one may
// lead out of the code.
TEST_F(EtmListFollowerTest, TheLastBranchMayHaveATarget) {
  const std::vector<uint8_t> code = {0,    0x10, 0,    0x14,   // b c000
                                     0xc0, 0x03, 0x5f, 0xd6};  // ret
  EXPECT_EQ(Follow(code, true, kStart, "E"), "0|8000 8000>c000");
  EXPECT_EQ(end_, End::kWhole);
  EXPECT_EQ(Follow(code, true, kStart + 4, "E"), "0|8004 8004|0");
  EXPECT_EQ(end_, End::kWhole);
}

TEST_F(EtmListFollowerTest, StopsWhereNothingIsKnown) {
  Code code(kA64);
  EtmListFollower follower(&code, true, budget_);
  EXPECT_EQ(Follow(&follower, kStart, "NEE" + std::string(900, 'E')),
            "0|8000 800c|0");
  EXPECT_EQ(end_, End::kLost);
  EXPECT_EQ(Follow(&follower, kStart, "NEEE"), "0|8000 800c|0");
  EXPECT_EQ(end_, End::kLost);
  EXPECT_EQ(Follow(&follower, 0x9000, "E"), "");
  EXPECT_EQ(end_, End::kNoCode);
  // The next list does not depend on those before.
  EXPECT_EQ(Follow(&follower, kStart, "E"), "0|8000 8004>8000");
  EXPECT_EQ(end_, End::kWhole);
}

TEST_F(EtmListFollowerTest, LongListsAreFollowedToTheEnd) {
  const std::string text =
      Follow(kA64, true, kStart, std::string(10'000, 'E') + "N");
  EXPECT_EQ(std::count(text.begin(), text.end(), '>'), 10'000);
  EXPECT_EQ(text.substr(text.size() - 7), " 8004|0");
}

// A loop of 32 KiB, which each of 100,000 branches runs.
TEST_F(EtmListFollowerTest, TheBudgetEndsAList) {
  std::vector<uint8_t> loop;
  for (int i = 0; i < 8191; ++i) {
    loop.insert(loop.end(), {0x1f, 0x20, 0x03, 0xd5});
  }
  loop.insert(loop.end(), {0x01, 0xe0, 0xff, 0x17});  // b 8000
  Code code(loop);
  EtmListFollower follower(&code, true, budget_);
  const std::string text = Follow(&follower, kStart, std::string(100'000, 'E'));
  EXPECT_EQ(end_, End::kSkipped);
  EXPECT_GT(std::count(text.begin(), text.end(), '>'), 5'000);
  EXPECT_LT(std::count(text.begin(), text.end(), '>'), 20'000);
  EXPECT_EQ(Follow(&follower, kStart, "EE"), "");
}

}  // namespace
}  // namespace perf2x
