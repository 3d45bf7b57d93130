// SPDX-License-Identifier: Apache-2.0
#include "converter/session/lbr_stacks.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "converter/perf/records/wire.h"

namespace perf2x {
namespace {

// The most outer calls that are taken from the previous sample.
constexpr size_t kMaxDeeper = 1024;
constexpr uint64_t kNoIndex = ~uint64_t{0};
// More slots than any processor has.
constexpr uint64_t kMaxSlots = 1 << 12;

}  // namespace

void LbrStacks::Append(const SampleRecord& sample, uint64_t ip,
                       std::vector<uint64_t>* chain) {
  Snapshot now;
  now.index =
      sample.branch_hw_index < kMaxSlots ? sample.branch_hw_index : kNoIndex;
  for (size_t i = 0; i + 2 < sample.branches.size(); i += 3) {
    now.calls.push_back({sample.branches[i], sample.branches[i + 1]});
  }
  ring_ = std::max<uint64_t>(ring_, now.calls.size());
  if (now.index != kNoIndex) ring_ = std::max(ring_, now.index + 1);
  ring_ = std::bit_ceil(ring_);  // all processors have a power of two
  Snapshot& before = last_[sample.tid];
  TakeOver(before, &now);

  // A branch has the address of the call; a callchain has return addresses,
  // which are looked up one byte before.
  chain->push_back(kContextUser);
  chain->push_back(ip != 0 ? ip : now.calls.front().to);
  for (const Call& call : now.calls) chain->push_back(call.from + 1);
  calls_ += now.calls.size() - before.calls.size();
  before = std::move(now);
}

// The LBR is a ring buffer: call i is in slot index - i. If the slot of the
// outermost call held the same call in the previous sample, the calls that were
// outside it in that sample have been overwritten since, but have not returned.
// That also holds if there are fewer calls than slots: the calls that overwrote
// them have returned. As has_stitched_lbr() in tools/perf/util/machine.c.
void LbrStacks::TakeOver(const Snapshot& before, Snapshot* now) const {
  if (now->index == kNoIndex || before.index == kNoIndex) return;
  const uint64_t outermost = now->index - (now->calls.size() - 1);
  const std::vector<Call>& calls = before.calls;
  const uint64_t at = (before.index - outermost) % ring_;
  if (at >= calls.size() || calls[at] != now->calls.back()) return;
  const size_t deeper = std::min(calls.size() - at - 1, kMaxDeeper);
  const auto begin = calls.begin() + static_cast<ptrdiff_t>(at) + 1;
  now->calls.insert(now->calls.end(), begin,
                    begin + static_cast<ptrdiff_t>(deeper));
}

}  // namespace perf2x
