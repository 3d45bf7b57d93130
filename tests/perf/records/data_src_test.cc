// SPDX-License-Identifier: Apache-2.0

// Words of struct perf_branch_entry and of union perf_mem_data_src
// (include/uapi/linux/perf_event.h).

#include "converter/perf/records/data_src.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/span_of.h"

namespace perf2x {
namespace {

TEST(BranchDetailsTest, AreWhereTheKernelPutsThem) {
  // predicted, in a transaction; a conditional call; speculated on the correct
  // path; in the kernel.
  const uint64_t word = uint64_t{2} << 30 | uint64_t{3} << 24 |
                        uint64_t{9} << 20 | uint64_t{7} << 4 | 0x6;
  const BranchDetails details = BranchDetailsOf(word, ByteOrder::kLittle);
  EXPECT_TRUE(details.predicted);
  EXPECT_TRUE(details.in_transaction);
  EXPECT_FALSE(details.aborts_transaction);
  EXPECT_EQ(BranchKindName(details.kind), "cond-call");
  EXPECT_EQ(BranchSpeculationName(details.speculation), "spec-correct-path");
  EXPECT_EQ(BranchPrivilegeName(details.privilege), "kernel");
}

// A big-endian machine allocates bit fields from the top.
TEST(BranchDetailsTest, OfABigEndianMachine) {
  const uint64_t word = uint64_t{1} << 60 | uint64_t{6} << 40;
  const BranchDetails details = BranchDetailsOf(word, ByteOrder::kBig);
  EXPECT_FALSE(details.predicted);
  EXPECT_TRUE(details.aborts_transaction);
  EXPECT_EQ(BranchKindName(details.kind), "ret");
  EXPECT_EQ(BranchSpeculationName(details.speculation), "");
}

TEST(BranchDetailsTest, NewKindsFollowTheOldOnes) {
  const auto kind = [](uint64_t new_type) {
    return BranchKindName(
        BranchDetailsOf(new_type << 26 | 15 << 20, ByteOrder::kLittle).kind);
  };
  EXPECT_EQ(kind(0), "fault-algn");
  EXPECT_EQ(kind(2), "fault-inst");
  EXPECT_EQ(kind(7), "arch-5");
  EXPECT_EQ(kind(8), "");
  const BranchDetails unknown =
      BranchDetailsOf(uint64_t{7} << 30, ByteOrder::kLittle);
  EXPECT_EQ(BranchPrivilegeName(unknown.privilege), "");
}

TEST(BranchDetailsTest, AreInTheTextOfABranchStack) {
  const std::vector<uint64_t> words =
      LittleEndian({0x10, 0x20, 0x1 | 5 << 4 | 4 << 20, 0x8, 0xc,
                    0xe | uint64_t{15} << 20 | 1 << 26});
  std::string text;
  AppendBranches(
      {reinterpret_cast<const uint8_t*>(words.data()), 6, ByteOrder::kLittle},
      &text);
  EXPECT_EQ(text, "0x10>0x20/M,cycles=5,call 0x8>0xc/PXA,fault-data");
}

// The flags that are set, in one word each.
std::string Flags(uint64_t data_src) {
  const DataAccess access = DataAccessOf(data_src);
  std::string text;
  const auto add = [&text](bool is_set, const char* name) {
    if (is_set) text.append(text.empty() ? "" : " ").append(name);
  };
  add(access.load, "load");
  add(access.store, "store");
  add(access.hitm_local, "hitm_local");
  add(access.hitm_remote, "hitm_remote");
  add(access.peer_local, "peer_local");
  add(access.peer_remote, "peer_remote");
  add(access.llc_miss, "llc_miss");
  add(access.tlb_miss, "tlb_miss");
  return text;
}

TEST(DataAccessTest, IsReadAsPerfC2cDoes) {
  constexpr uint64_t kLoad = 2, kStore = 4, kExec = 0x10;
  constexpr uint64_t kHit = 2 << 5, kMiss = 4 << 5, kL1 = 8 << 5,
                     kL2 = 0x20 << 5, kL3 = 0x40 << 5, kLocalRam = 0x80 << 5,
                     kRemoteRam = 0x100 << 5, kRemoteCache = 0x400 << 5;
  constexpr uint64_t kSnoopHit = 4 << 19, kHitm = 0x10 << 19;
  constexpr uint64_t kTlbMiss = uint64_t{4} << 26;
  constexpr uint64_t kRemote = uint64_t{1} << 37, kForward = uint64_t{1} << 38,
                     kPeer = uint64_t{2} << 38, kHops = uint64_t{1} << 43;
  const struct {
    uint64_t data_src;
    const char* flags;
  } kCases[] = {
      {0, ""},
      {kExec | kHit | kL1, ""},
      {kLoad | kHit | kL1 | kTlbMiss, "load tlb_miss"},
      {kStore | kHit | kL1, "store"},
      {kLoad | kHit | kL3 | kHitm, "load hitm_local"},
      {kLoad | kHit | kRemoteCache | kHitm, "load hitm_remote llc_miss"},
      {kLoad | kHit | kRemoteCache | kSnoopHit, "load llc_miss"},
      {kLoad | kHit | kRemote | kForward, "load llc_miss"},
      {kLoad | kHit | kLocalRam, "load llc_miss"},
      {kLoad | kHit | kRemoteRam, "load llc_miss"},
      {kLoad | kLocalRam, "load"},
      {kLoad | kMiss | kL3, "load llc_miss"},
      {kLoad | kMiss | kL1, "load"},
      {kStore | kMiss | kL3, "store llc_miss"},
      {kStore | kHit | kL3 | kHitm, "store"},
      {kLoad | kHit | kL2 | kPeer, "load peer_local"},
      {kLoad | kHit | kRemote | kPeer, "load peer_remote llc_miss"},
      // Another core of the same node.
      {kLoad | kHit | kL3 | kRemote | kHops, "load"},
  };
  for (const auto& [data_src, flags] : kCases) {
    EXPECT_EQ(Flags(data_src), flags) << std::hex << data_src;
  }
}

TEST(DataAccessTest, NoOperationIsNotEvenNotAvailable) {
  EXPECT_FALSE(HasMemoryOperation(0));
  EXPECT_TRUE(HasMemoryOperation(1));  // PERF_MEM_OP_NA
}

}  // namespace
}  // namespace perf2x
