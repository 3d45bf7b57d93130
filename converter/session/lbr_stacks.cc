#include "converter/session/lbr_stacks.h"

#include <algorithm>
#include <utility>

#include "converter/perf/wire.h"

namespace perf2x {
namespace {

// Calls taken over from one sample to the next, at most.
constexpr size_t kMaxDeeper = 1024;
constexpr uint64_t kNoIndex = ~uint64_t{0};

}  // namespace

void LbrStacks::Append(const SampleRecord& sample, uint64_t ip,
                       std::vector<uint64_t>* chain) {
  Snapshot now;
  now.index = sample.branch_hw_index;
  for (size_t i = 0; i + 2 < sample.branches.size(); i += 3) {
    now.calls.push_back({sample.branches[i], sample.branches[i + 1]});
  }
  capacity_ = std::max(capacity_, now.calls.size());
  Snapshot& before = last_[sample.tid];
  now.deeper = Deeper(now, before);

  // Branches name the calls themselves; a callchain has return addresses, which
  // are looked up one byte back.
  chain->push_back(kContextUser);
  chain->push_back(ip != 0 ? ip : now.calls.front().to);
  for (const Call& call : now.calls) chain->push_back(call.from + 1);
  for (const Call& call : now.deeper) chain->push_back(call.from + 1);
  before = std::move(now);
}

// The memory is a ring: call i lies in slot index - i. Where the slot of the
// outermost call held the same call before, what lay below it then has been
// overwritten since, but not returned from. As has_stitched_lbr() in
// tools/perf/util/machine.c.
std::vector<LbrStacks::Call> LbrStacks::Deeper(const Snapshot& now,
                                               const Snapshot& before) const {
  if (now.index == kNoIndex || before.index == kNoIndex ||
      now.calls.size() < capacity_ || before.calls.empty()) {
    return {};
  }
  const uint64_t outermost = now.index - (now.calls.size() - 1);
  const uint64_t at = (before.index - outermost) % capacity_;
  if (at >= before.calls.size() || before.calls[at] != now.calls.back()) {
    return {};
  }
  std::vector<Call> deeper(
      before.calls.begin() + static_cast<ptrdiff_t>(at) + 1,
      before.calls.end());
  deeper.insert(deeper.end(), before.deeper.begin(), before.deeper.end());
  if (deeper.size() > kMaxDeeper) deeper.resize(kMaxDeeper);
  return deeper;
}

}  // namespace perf2x
