// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/records/data_src.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace perf2x {
namespace {

using Words = absl::Span<const absl::string_view>;

// Appends a part of data_src in which each bit stands for a word. The first
// bit, "not available", has no word.
void AppendBits(absl::string_view name, uint64_t bits, Words words,
                std::string* out) {
  bool first = true;
  for (size_t i = 0; i < words.size(); ++i) {
    if (((bits >> i) & 1) == 0 || words[i].empty()) continue;
    if (first) {
      absl::StrAppend(out, out->empty() ? "" : " ", name, "=", words[i]);
    } else {
      absl::StrAppend(out, ",", words[i]);
    }
    first = false;
  }
}

void AppendChoice(absl::string_view name, uint64_t value, Words words,
                  std::string* out) {
  if (value >= words.size() || words[value].empty()) return;
  absl::StrAppend(out, out->empty() ? "" : " ", name, "=", words[value]);
}

constexpr absl::string_view kOps[] = {"", "load", "store", "prefetch", "exec"};
constexpr absl::string_view kLevels[] = {"",
                                         "hit",
                                         "miss",
                                         "L1",
                                         "LFB",
                                         "L2",
                                         "L3",
                                         "local-RAM",
                                         "remote-RAM-1",
                                         "remote-RAM-2",
                                         "remote-cache-1",
                                         "remote-cache-2",
                                         "IO",
                                         "uncached"};
constexpr absl::string_view kSnoops[] = {"", "none", "hit", "miss", "hitm"};
constexpr absl::string_view kSnoopsMore[] = {"fwd", "peer"};
constexpr absl::string_view kLocks[] = {"", "locked"};
constexpr absl::string_view kTlbs[] = {"",   "hit",    "miss", "L1",
                                       "L2", "walker", "fault"};
constexpr absl::string_view kBlocks[] = {"", "data", "addr"};
constexpr absl::string_view kLevelNumbers[] = {
    "",    "L1",  "L2", "L3",        "L4",  "L2-MHB", "MSC", "L0",
    "UNC", "CXL", "IO", "any-cache", "LFB", "RAM",    "PMEM"};
constexpr absl::string_view kHops[] = {"", "same-core", "same-node",
                                       "same-socket", "same-board"};

BranchKind BranchKindOf(uint64_t type, uint64_t new_type) {
  constexpr uint64_t kExtended = 15;  // PERF_BR_EXTEND_ABI: see new_type
  if (type != kExtended) return static_cast<BranchKind>(type);
  const uint64_t kind =
      static_cast<uint64_t>(BranchKind::kAlignmentFault) + new_type;
  return kind <= static_cast<uint64_t>(BranchKind::kArch5)
             ? static_cast<BranchKind>(kind)
             : BranchKind::kUnknown;
}

}  // namespace

void AppendDataSource(uint64_t v, std::string* out) {
  std::string words;
  auto part = [&](int shift, int width) {
    return (v >> shift) & ((uint64_t{1} << width) - 1);
  };
  AppendBits("op", part(0, 5), kOps, &words);
  // Newer hardware gives the level as a number instead.
  AppendBits("level", part(5, 14), kLevels, &words);
  AppendChoice("level_num", part(33, 4), kLevelNumbers, &words);
  if (part(37, 1) != 0) {
    absl::StrAppend(&words, words.empty() ? "" : " ", "remote=yes");
  }
  AppendBits("snoop", part(19, 5), kSnoops, &words);
  AppendBits("snoopx", part(38, 2), kSnoopsMore, &words);
  AppendBits("tlb", part(26, 7), kTlbs, &words);
  AppendBits("lock", part(24, 2), kLocks, &words);
  AppendBits("blocked", part(40, 3), kBlocks, &words);
  AppendChoice("hops", part(43, 3), kHops, &words);
  absl::StrAppend(out, words);
}

DataAccess DataAccessOf(uint64_t v) {
  constexpr uint64_t kLoad = 2, kStore = 4;  // PERF_MEM_OP_*
  // PERF_MEM_LVL_*
  constexpr uint64_t kHit = 2, kMiss = 4, kL2 = 0x20, kL3 = 0x40,
                     kLocalRam = 0x80, kRemoteRam = 0x300, kRemoteCache = 0xc00;
  constexpr uint64_t kSnoopHit = 4, kSnoopHitm = 0x10;  // PERF_MEM_SNOOP_*
  constexpr uint64_t kForward = 1, kPeer = 2;           // PERF_MEM_SNOOPX_*
  constexpr uint64_t kTlbMiss = 4;                      // PERF_MEM_TLB_MISS
  const auto part = [&](int shift, int width) {
    return (v >> shift) & ((uint64_t{1} << width) - 1);
  };
  const uint64_t op = part(0, 5), level = part(5, 14), snoop = part(19, 5),
                 snoop_more = part(38, 2), hops = part(43, 3);
  // With a number of hops, it may be another core of the same node.
  const bool remote = part(37, 1) != 0 && hops == 0;
  const bool hit = (level & kHit) != 0;
  const bool remote_cache = remote || (level & kRemoteCache) != 0;
  const bool ram = hit && (remote || (level & (kLocalRam | kRemoteRam)) != 0);
  DataAccess access;
  access.load = (op & kLoad) != 0;
  access.store = !access.load && (op & kStore) != 0;
  access.tlb_miss = (part(26, 7) & kTlbMiss) != 0;
  access.llc_miss = ram || ((level & kMiss) != 0 && (level & kL3) != 0) ||
                    (remote_cache && ((snoop & (kSnoopHit | kSnoopHitm)) != 0 ||
                                      (snoop_more & kForward) != 0));
  if (!access.load) return access;
  if ((snoop & kSnoopHitm) != 0) {
    access.hitm_local = hit && (level & kL3) != 0;
    access.hitm_remote = remote_cache && (snoop & kSnoopHit) == 0;
  }
  if ((snoop_more & kPeer) != 0) {
    access.peer_local = hit && (level & (kL2 | kL3)) != 0;
    access.peer_remote = remote_cache;
  }
  return access;
}

BranchDetails BranchDetailsOf(uint64_t word, ByteOrder order) {
  const auto part = [&](int shift, int width) {
    return BitField(word, shift, width, order);
  };
  BranchDetails details;
  details.predicted = part(1, 1) != 0;
  details.in_transaction = part(2, 1) != 0;
  details.aborts_transaction = part(3, 1) != 0;
  details.kind = BranchKindOf(part(20, 4), part(26, 4));
  details.speculation = static_cast<BranchSpeculation>(part(24, 2));
  const uint64_t privilege = part(30, 3);
  if (privilege <= static_cast<uint64_t>(BranchPrivilege::kHypervisor)) {
    details.privilege = static_cast<BranchPrivilege>(privilege);
  }
  return details;
}

void AppendBranches(const WordSpan& branches, std::string* out) {
  for (size_t i = 0; i + 3 <= branches.size(); i += 3) {
    const BranchFlags flags = BranchFlagsOf(branches[i + 2], branches.order());
    const BranchDetails details =
        BranchDetailsOf(branches[i + 2], branches.order());
    if (i > 0) out->push_back(' ');
    absl::StrAppendFormat(out, "0x%x>0x%x/", branches[i], branches[i + 1]);
    if (flags.mispredicted) out->push_back('M');
    if (details.predicted) out->push_back('P');
    if (details.in_transaction) out->push_back('X');
    if (details.aborts_transaction) out->push_back('A');
    if (flags.cycles != 0) absl::StrAppend(out, ",cycles=", flags.cycles);
    if (details.kind != BranchKind::kUnknown) {
      absl::StrAppend(out, ",", BranchKindName(details.kind));
    }
  }
}

}  // namespace perf2x
