// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/branch_profiles/branch_unwinder.h"

#include <algorithm>
#include <utility>

#include "converter/base/saturating_add.h"

namespace perf2x {
namespace {

constexpr uint64_t kElsewhereAddress = BranchProfile::kElsewhere;

// Steps of work: for a branch, with the calls that it undoes; for an
// instruction of a run that is cut into parts; for a part that is counted; for
// callers of a sample or of a context that is new.
constexpr uint64_t kOfJump = 8, kOfInstruction = 4, kOfPart = 4, kOfCaller = 2;

}  // namespace

uint64_t BranchUnwinder::InstructionAt(uint64_t address) {
  return address != kElsewhereAddress && code_.InstructionSize(address) != 0
             ? address
             : kElsewhereAddress;
}

uint64_t BranchUnwinder::CallBefore(uint64_t address) {
  const auto [it, inserted] = calls_before_.try_emplace(address);
  if (!inserted) return it->second;
  const auto before = code_.PreviousInstruction(address);
  if (before.has_value() &&
      code_.TransferAt(*before) == CodeImage::Transfer::kCall) {
    it->second = *before;
  }
  return it->second;
}

// The stack of calls is not complete at the first two instructions of a
// function, nor at a return and the instruction before it.
bool BranchUnwinder::IsAtEdge(uint64_t address) {
  const auto [it, inserted] = at_edge_.try_emplace(address);
  if (inserted) it->second = IsNearEdge(address);
  return it->second;
}

bool BranchUnwinder::IsNearEdge(uint64_t address) {
  const auto begins_function = [this](uint64_t at) {
    ranges_.clear();
    code_.AppendRanges(at, &ranges_);
    return std::any_of(
        ranges_.begin(), ranges_.end(),
        [at](const CodeImage::Range& range) { return range.first == at; });
  };
  const auto returns = [this](uint64_t at) {
    return code_.TransferAt(at) == CodeImage::Transfer::kReturn;
  };
  budget_.Spend(Budget::kWork, 1);
  if (begins_function(address) || returns(address)) return true;
  const auto before = code_.PreviousInstruction(address);
  if (before.has_value() && begins_function(*before)) return true;
  const auto after = code_.NextInstruction(address + 1, ~uint64_t{0});
  return after.has_value() && returns(*after);
}

// A caller whose call is not there ends the stack: it was not unwound well.
bool BranchUnwinder::SetCalls(absl::Span<const uint64_t> stack, uint64_t leaf) {
  calls_.clear();
  for (const uint64_t address : stack) {
    uint64_t call = InstructionAt(address);
    if (!calls_.empty()) {
      const uint64_t after = address == kElsewhereAddress
                                 ? kElsewhereAddress
                                 : InstructionAt(address + 1);
      call = after == kElsewhereAddress ? after : CallBefore(after);
      if (call == 0) break;
      if (call == kElsewhereAddress && calls_.back() == call) continue;
    }
    calls_.push_back(call);
  }
  if (calls_.size() > 1 && calls_.back() == kElsewhereAddress) {
    calls_.pop_back();
  }
  if (calls_.empty()) return false;
  if (calls_.front() != kElsewhereAddress && IsAtEdge(calls_.front())) {
    return false;
  }
  // Code since the latest branch has not run through yet.
  calls_.front() = leaf;
  leaf_ = kRoot;
  for (auto call = calls_.rbegin(); call != calls_.rend(); ++call) {
    leaf_ = Child(leaf_, *call);
  }
  return true;
}

BranchUnwinder::NodeId BranchUnwinder::Child(NodeId parent, uint64_t address) {
  const auto [it, inserted] = children_.try_emplace(
      {parent, address}, static_cast<NodeId>(nodes_.size()));
  if (inserted) nodes_.push_back({parent, kNotAsked, address});
  return it->second;
}

// Moves within the function that runs.
void BranchUnwinder::SwitchTo(uint64_t address) {
  if (nodes_[leaf_].address == address) return;
  leaf_ = Child(nodes_[leaf_].parent, address);
}

// Callers of code elsewhere are no callers of the file's code.
CodeContexts::Id BranchUnwinder::ContextOf(NodeId node) {
  const NodeId asked = node;
  if (nodes_[asked].context != kNotAsked) return nodes_[asked].context;
  path_.clear();
  for (; node != kRoot && nodes_[node].address != kElsewhereAddress;
       node = nodes_[node].parent) {
    path_.push_back(nodes_[node].address);
  }
  std::reverse(path_.begin(), path_.end());
  Charge(path_.size() * kOfCaller);
  return nodes_[asked].context = contexts_.ContextOf(path_);
}

BranchUnwinder::Parts BranchUnwinder::PartsOf(uint64_t from, uint64_t to) {
  const auto [it, inserted] = runs_.try_emplace({from, to});
  if (!inserted || from > to || !code_.RunsThrough(from, to)) return it->second;
  const size_t first = parts_.size();
  parts_.push_back({from, from});
  for (uint64_t at = from; at < to;) {
    if (!Charge(kOfInstruction)) {
      parts_.resize(first);
      return it->second;
    }
    const auto next = code_.NextInstruction(at + 1, to + 1);
    if (!next.has_value()) break;
    if (contexts_.AreInlinedAlike(at, *next)) {
      parts_.back().to = *next;
    } else {
      parts_.push_back({*next, *next});
    }
    at = *next;
  }
  std::reverse(parts_.begin() + static_cast<ptrdiff_t>(first), parts_.end());
  return it->second = {static_cast<uint32_t>(first),
                       static_cast<uint32_t>(parts_.size() - first)};
}

// After a run that cannot have been, nothing is known of the calls before it.
void BranchUnwinder::UndoRun(uint64_t from, uint64_t to, uint64_t count) {
  if (from == kElsewhereAddress && to == kElsewhereAddress) return;
  if (from == kElsewhereAddress || to == kElsewhereAddress) {
    dropped_.unpaired = SaturatingAdd(dropped_.unpaired, count);
    knows_calls_ = false;
    return;
  }
  const Parts parts = PartsOf(from, to);
  if (!Charge(parts.size * kOfPart)) return;
  if (parts.size == 0) {
    dropped_.bogus = SaturatingAdd(dropped_.bogus, count);
    knows_calls_ = false;
    return;
  }
  for (uint32_t i = 0; i < parts.size; ++i) {
    const Part part = parts_[parts.first + i];
    SwitchTo(part.from);
    Count(ContextOf(leaf_), /*is_branch=*/false, part.from, part.to, count);
  }
}

// Sets leaf_ to the jump's source. What comes from elsewhere to the instruction
// after a call is a return, all else a call.
void BranchUnwinder::UndoJump(const Jump& jump) {
  if (!knows_calls_) {
    leaf_ = Child(kRoot, jump.source);
    return;
  }
  CodeImage::Transfer transfer = CodeImage::Transfer::kCall;
  if (jump.source != kElsewhereAddress) {
    transfer = code_.TransferAt(jump.source);
  } else if (CallBefore(jump.target) != 0) {
    transfer = CodeImage::Transfer::kReturn;
  }
  if (transfer == CodeImage::Transfer::kCall) {
    const NodeId caller = nodes_[leaf_].parent;
    if (caller != kRoot && nodes_[caller].address == jump.source) {
      leaf_ = caller;
      return;
    }
  } else if (transfer == CodeImage::Transfer::kReturn) {
    const uint64_t call =
        jump.target == kElsewhereAddress ? 0 : CallBefore(jump.target);
    SwitchTo(call == 0 ? kElsewhereAddress : call);
    leaf_ = Child(leaf_, jump.source);
    return;
  }
  SwitchTo(jump.source);
}

void BranchUnwinder::Count(CodeContexts::Id context, bool is_branch,
                           uint64_t from, uint64_t to, uint64_t count) {
  uint64_t& counter = counts_[{context, is_branch, from, to}];
  counter = SaturatingAdd(counter, count);
}

void BranchUnwinder::Add(absl::Span<const uint64_t> stack,
                         absl::Span<const Jump> jumps, uint64_t count) {
  if (budget_.exhausted()) {
    dropped_.budget = SaturatingAdd(dropped_.budget, count);
    return;
  }
  if (!SetCalls(stack, jumps.front().target)) {
    dropped_.at_edge = SaturatingAdd(dropped_.at_edge, count);
    return;
  }
  Charge(jumps.size() * kOfJump + stack.size() * kOfCaller);
  knows_calls_ = true;
  for (size_t i = 0; i < jumps.size(); ++i) {
    const Jump& jump = jumps[i];
    if (i > 0) UndoRun(jump.target, jumps[i - 1].source, count);
    if (budget_.exhausted()) {
      dropped_.budget = SaturatingAdd(dropped_.budget, count);
      return;
    }
    UndoJump(jump);
    if (jump.target == kElsewhereAddress || jump.is_bound) continue;
    const CodeContexts::Id context =
        jump.source == kElsewhereAddress ? contexts_.empty() : ContextOf(leaf_);
    Count(context, /*is_branch=*/true, jump.source, jump.target, count);
  }
}

void BranchUnwinder::Account() {
  constexpr uint64_t kNode = 56, kPart = 16, kRun = 40, kCount = 56;
  budget_.Spend(Budget::kWork, std::exchange(work_, 0));
  memory_.Set(nodes_.size() * kNode + parts_.size() * kPart +
              runs_.size() * kRun + counts_.size() * kCount +
              contexts_.memory());
}

std::vector<ContextCounts> BranchUnwinder::TakeCounts() {
  std::vector<CodeContexts::Id> ids;
  for (const auto& item : counts_) ids.push_back(std::get<0>(item.first));
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  contexts_.Sort(&ids);
  absl::flat_hash_map<CodeContexts::Id, size_t> places;
  std::vector<ContextCounts> out;
  for (const CodeContexts::Id id : ids) {
    places[id] = out.size();
    out.push_back({id, {}});
  }
  for (const auto& item : counts_) {
    const auto& [context, is_branch, from, to] = item.first;
    CodeCounts& counts = out[places[context]].counts;
    (is_branch ? counts.branches : counts.ranges)
        .push_back({from, to, item.second});
  }
  counts_ = {};
  // Code elsewhere comes first.
  const auto before = [](const CodeCounts::Count& a,
                         const CodeCounts::Count& b) {
    return std::make_tuple(a.from + 1, a.to) <
           std::make_tuple(b.from + 1, b.to);
  };
  for (ContextCounts& context : out) {
    std::sort(context.counts.ranges.begin(), context.counts.ranges.end(),
              before);
    std::sort(context.counts.branches.begin(), context.counts.branches.end(),
              before);
  }
  return out;
}

}  // namespace perf2x
