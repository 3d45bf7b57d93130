// SPDX-License-Identifier: Apache-2.0
#include "converter/profile_source/interrupted_frames.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/profile_source/profile_maker.h"

namespace perf2x {
namespace {

using testing::ElementsAre;

constexpr uint64_t kKernel = 0xffffffff81000000;
constexpr uint64_t kEntry = kKernel + 0x100;  // of 0x20 bytes

bool FindEntry(uint64_t ip, uint64_t* start) {
  *start = kEntry;
  return ip >= kEntry && ip < kEntry + 0x20;
}

// Returns the addresses of each sample's locations.
std::vector<std::vector<uint64_t>> AddressesOf(const Profile& profile) {
  std::vector<std::vector<uint64_t>> out;
  ProfileSample sample;
  EXPECT_TRUE(profile.samples
                  .ForEach([&](absl::Span<const uint8_t> bytes) {
                    const absl::Status status = sample.Decode(profile, bytes);
                    if (!status.ok()) return status;
                    std::vector<uint64_t>& stack = out.emplace_back();
                    for (const uint32_t location : sample.locations) {
                      stack.push_back(profile.locations[location].address);
                    }
                    return absl::OkStatus();
                  })
                  .ok());
  return out;
}

class InterruptedFramesTest : public testing::Test {
 protected:
  InterruptedFramesTest() {
    maker_.Type("samples", "count");
    kernel_ = maker_.Mapping("[kernel.kallsyms]", kKernel, 0x10000);
    app_ = maker_.Mapping("/bin/app", 0x1000, 0x1000);
  }
  uint64_t InKernel(uint64_t offset,
                    const std::string& name = "[kernel.kallsyms]") {
    return maker_.Location(kernel_, kKernel + offset, {name});
  }
  Profile Corrected() {
    auto profile = ReadBytes(maker_.Bytes());
    EXPECT_TRUE(profile.ok()) << profile.status();
    EXPECT_TRUE(CorrectInterruptedFrames(FindEntry, &*profile).ok());
    return *std::move(profile);
  }

  ProfileMaker maker_;
  uint64_t kernel_, app_;
};

TEST_F(InterruptedFramesTest, TheAddressAfterAnEntryIsNoReturnAddress) {
  const uint64_t handler = InKernel(0x500), entry = InKernel(0x10f),
                 interrupted = InKernel(0x700), caller = InKernel(0x800);
  const uint64_t user = maker_.Location(app_, 0x1010, {"[app]"});
  maker_.Sample({handler, entry, interrupted, caller, user}, {1});
  // The same code, but called.
  maker_.Sample({handler, interrupted, caller, user}, {1});
  const Profile profile = Corrected();
  EXPECT_THAT(AddressesOf(profile),
              ElementsAre(ElementsAre(kKernel + 0x500, kKernel + 0x10f,
                                      kKernel + 0x701, kKernel + 0x800, 0x1010),
                          ElementsAre(kKernel + 0x500, kKernel + 0x700,
                                      kKernel + 0x800, 0x1010)));
  // Numbered in the order in which samples use them.
  ASSERT_EQ(profile.locations.size(), 6u);
  EXPECT_EQ(profile.locations[2].address, kKernel + 0x701);
  EXPECT_EQ(profile.locations[5].address, kKernel + 0x700);
  EXPECT_EQ(profile.locations[5].id, 6u);
}

TEST_F(InterruptedFramesTest, ACorrectedLocationMayBeThereAlready) {
  const uint64_t leaf = InKernel(0x701), entry = InKernel(0x10f),
                 interrupted = InKernel(0x700);
  maker_.Sample({leaf}, {1});
  maker_.Sample({leaf, entry, interrupted}, {1});
  const Profile profile = Corrected();
  ProfileSample sample;
  std::vector<uint32_t> last;
  EXPECT_TRUE(profile.samples
                  .ForEach([&](absl::Span<const uint8_t> bytes) {
                    const absl::Status status = sample.Decode(profile, bytes);
                    last = sample.locations;
                    return status;
                  })
                  .ok());
  EXPECT_THAT(last, ElementsAre(0, 1, 0));
  EXPECT_EQ(profile.locations.size(), 2u);
}

TEST_F(InterruptedFramesTest, TheStartOfAnEntryIsNoReturnAddress) {
  maker_.Sample({InKernel(0x500), InKernel(0xff)}, {1});
  EXPECT_THAT(AddressesOf(Corrected()),
              ElementsAre(ElementsAre(kKernel + 0x500, kEntry)));
}

TEST_F(InterruptedFramesTest, NothingElseChanges) {
  const uint64_t named = InKernel(0x700, "do_idle");
  maker_.Sample({InKernel(0x110)}, {1});  // no callers
  maker_.Sample({named, named}, {1});     // no entry
  const uint64_t user = maker_.Location(app_, 0x1010, {"[app]"});
  maker_.Sample({InKernel(0x105), user}, {1});  // to the program
  const auto before = ReadBytes(maker_.Bytes());
  const Profile after = Corrected();
  EXPECT_EQ(AddressesOf(after), AddressesOf(*before));
  EXPECT_EQ(after.locations.size(), before->locations.size());
}

TEST_F(InterruptedFramesTest, SymbolsOfOthersAreNotCorrected) {
  maker_.Sample({InKernel(0x500, "handler"), InKernel(0x10f, "entry"),
                 InKernel(0x700, "idle")},
                {1});
  const auto profile = ReadBytes(maker_.Bytes());
  EXPECT_FALSE(InterruptedFrames(*profile).has_candidates());
}

}  // namespace
}  // namespace perf2x
