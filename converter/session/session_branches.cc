// The part of Session that makes places in code of branch records.

#include "converter/perf/records/data_src.h"
#include "converter/perf/records/wire.h"
#include "converter/session/session.h"

namespace perf2x {
namespace {

constexpr size_t kWordsOfBranch = 3;  // from, to, flags

// What lies in user space is mapped there; the kernel has the upper half.
uint64_t MarkerOf(uint64_t address, const AddressMap& map) {
  const bool upper = (address >> 63) != 0;
  return upper && map.Find(address) == nullptr ? kContextKernel : kContextUser;
}

}  // namespace

// Branches are instructions and not return addresses, so that each of the two
// has a marker before it.
void Session::SetBranches(const SampleRecord& sample,
                          const ProcessState& process, Pending* pending) {
  branches_.clear();
  const WordSpan& words = sample.branches;
  for (size_t i = 0; i + kWordsOfBranch <= words.size(); i += kWordsOfBranch) {
    const uint64_t from = words[i], to = words[i + 1];
    if (from == 0 && to == 0) continue;  // a slot that was not used
    const uint64_t chain[] = {MarkerOf(to, process.map), to,
                              MarkerOf(from, process.map), from};
    const absl::Span<const uint8_t> bytes(
        reinterpret_cast<const uint8_t*>(chain), sizeof(chain));
    const BranchFlags flags = BranchFlagsOf(words[i + 2], words.order());
    Branch branch;
    branch.stack = tables_.stacks.Intern(
        StackTable::HashOf(pending->layout, bytes), pending->layout, bytes,
        /*stable=*/false);
    branch.mispredicted = flags.mispredicted;
    branch.cycles = flags.cycles;
    branches_.push_back(branch);
  }
  pending->sample.branches = branches_;
}

}  // namespace perf2x
