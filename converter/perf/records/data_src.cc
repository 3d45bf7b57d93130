// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/records/data_src.h"

#include <array>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/perf/records/attr.h"

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

constexpr absl::string_view kBranchKinds[] = {
    "",         "cond", "uncond",  "ind",    "call",
    "ind-call", "ret",  "syscall", "sysret", "cond-call",
    "cond-ret", "eret", "irq",     "serror", "no-tx"};

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

BranchFlags BranchFlagsOf(uint64_t word, ByteOrder order) {
  constexpr uint64_t kWrongPath = 1;  // PERF_BR_SPEC_WRONG_PATH
  return {BitField(word, 0, 1, order) != 0,
          static_cast<uint16_t>(BitField(word, 4, 16, order)),
          BitField(word, 24, 2, order) == kWrongPath};
}

void AppendBranches(const WordSpan& branches, std::string* out) {
  for (size_t i = 0; i + 3 <= branches.size(); i += 3) {
    const uint64_t flags = branches[i + 2];
    auto part = [&](int shift, int width) {
      return BitField(flags, shift, width, branches.order());
    };
    if (i > 0) out->push_back(' ');
    absl::StrAppendFormat(out, "0x%x>0x%x/", branches[i], branches[i + 1]);
    if (part(0, 1)) out->push_back('M');
    if (part(1, 1)) out->push_back('P');
    if (part(2, 1)) out->push_back('X');
    if (part(3, 1)) out->push_back('A');
    if (part(4, 16) != 0) absl::StrAppend(out, ",cycles=", part(4, 16));
    const uint64_t kind = part(20, 4);
    if (kind != 0 && kind < ABSL_ARRAYSIZE(kBranchKinds)) {
      absl::StrAppend(out, ",", kBranchKinds[kind]);
    }
  }
}

}  // namespace perf2x
