// SPDX-License-Identifier: Apache-2.0
#include "converter/session/stack_builder.h"

#include <algorithm>
#include <utility>

#include "converter/perf/records/data_src.h"
#include "converter/perf/records/wire.h"
#include "converter/session/deferred_stacks.h"

namespace perf2x {
namespace {

bool IsGuest(uint16_t misc) {
  const CpuMode mode = CpuModeOf(misc);
  return mode == CpuMode::kGuestKernel || mode == CpuMode::kGuestUser;
}

bool HasAddress(const WordSpan& ips) {
  for (size_t i = 0; i < ips.size(); ++i) {
    if (ips[i] < kContextMax) return true;
  }
  return false;
}

// Returns the innermost part of a callchain that has `max` addresses, with the
// context markers before them.
absl::Span<const uint8_t> Innermost(absl::Span<const uint8_t> callchain,
                                    uint32_t max) {
  uint32_t addresses = 0;
  for (size_t at = 0; at + 8 <= callchain.size(); at += 8) {
    if (Load<uint64_t>(&callchain[at], kHostOrder) >= kContextMax) continue;
    if (++addresses == max) return callchain.subspan(0, at + 8);
  }
  return callchain;
}

}  // namespace

void StackBuilder::SetUnwinding(std::string arch,
                                std::unique_ptr<UnwindInfoSource> source) {
  user_stacks_.emplace(tables_, std::move(arch), std::move(source), work_);
}

void StackBuilder::EndUnwinding(Diagnostics* diagnostics) {
  if (!user_stacks_) return;
  user_stacks_->Report(diagnostics);
  unwound_stacks_ = user_stacks_->stacks();
  incomplete_dumps_ = user_stacks_->incomplete_dumps();
  user_stacks_.reset();
}

void StackBuilder::Set(const SampleRecord& sample, const SampleContext& context,
                       ProcessState& process, QueuedSample* to) {
  const WordSpan& ips = sample.ips;
  to->sample.address_space = spaces_.CurrentIdOf(process);
  to->stable = (*context.raw.block)->stable();
  if (!ips.empty() && context.raw.key != nullptr &&
      context.raw.callchain.data() == ips.bytes().data()) {
    return SetRecorded(context.raw.key->callchain_hash, context.raw.callchain,
                       *context.raw.block, to);
  }
  if (UserStacks::HasStackDump(sample) ||
      DeferredStacks::CookieOf(ips).has_value() ||
      LbrStacks::HasCallStack(sample, context.attr)) {
    return SetUser(sample, context, process, to);
  }
  if (UserStacks::HasRegisters(sample) &&
      InsertLeafCaller(sample, context, process)) {
    return SetWords(to);
  }
  SetPlain(sample, context, to);
}

// Sets a recorded callchain, or the address of a sample without one.
void StackBuilder::SetPlain(const SampleRecord& sample,
                            const SampleContext& context, QueuedSample* to) {
  const WordSpan& ips = sample.ips;
  if (!HasAddress(ips)) return SetAddress(context.raw.misc, sample.ip, to);
  to->callchain = ips.bytes();
  if (ips.order() != kHostOrder || ips[0] < kContextMax) {
    std::vector<uint8_t>& copy = to->copy;
    const size_t marker = ips[0] < kContextMax ? 1 : 0;
    copy.resize((marker + ips.size()) * 8);
    Store(ContextMarkerOf(context.raw.misc), copy.data(), kHostOrder);
    for (size_t i = 0; i < ips.size(); ++i) {
      Store(ips[i], &copy[(marker + i) * 8], kHostOrder);
    }
    to->callchain = copy;
    to->stable = false;
  }
  SetCut(to->callchain, to);
}

// Sets a stack whose user part is built from more than the callchain. The
// kernel's part comes first.
void StackBuilder::SetUser(const SampleRecord& sample,
                           const SampleContext& context,
                           const ProcessState& process, QueuedSample* to) {
  const WordSpan& ips = sample.ips;
  words_.clear();
  if (IsGuest(context.raw.misc) && !HasAddress(ips)) {
    // The kernel does not unwind a guest's stack. Known are only the guest's
    // program counter and the user stack of the process that runs it.
    words_ = {ContextMarkerOf(context.raw.misc), sample.ip};
  }
  size_t user = 0;  // where the recorded user part begins
  while (user < ips.size() && ips[user] != kContextUser &&
         ips[user] != kContextUserDeferred) {
    words_.push_back(ips[user++]);
  }
  AppendUserPart(sample, user, context, process);
  if (std::all_of(words_.begin(), words_.end(),
                  [](uint64_t word) { return word >= kContextMax; })) {
    words_ = {ContextMarkerOf(context.raw.misc), sample.ip};
  }
  SetWords(to);
}

// Appends the user part to words_. `user` is the index in the callchain at
// which the recorded user part begins.
void StackBuilder::AppendUserPart(const SampleRecord& sample, size_t user,
                                  const SampleContext& context,
                                  const ProcessState& process) {
  const WordSpan& ips = sample.ips;
  const size_t kernel = words_.size();
  if (UserStacks::HasStackDump(sample)) {
    user_stacks_->Append(sample, context.attr, process.map,
                         process.replaced_map, &words_);
    // Some recorders write a user callchain as well: the longer one is used.
    if (ips.size() - user > words_.size() - kernel) {
      words_.resize(kernel);
      for (size_t i = user; i < ips.size(); ++i) words_.push_back(ips[i]);
    }
  } else if (user < ips.size() && ips[user] == kContextUserDeferred) {
    words_.insert(words_.end(), context.deferred.begin(),
                  context.deferred.end());
  } else {
    const bool in_user = CpuModeOf(context.raw.misc) == CpuMode::kUser;
    const uint64_t ip = user + 1 < ips.size() ? ips[user + 1]
                        : in_user             ? sample.ip
                                              : 0;
    lbr_stacks_.Append(sample, ip, &words_);
  }
}

// Sets words_ to the callchain of `sample` with the caller of the innermost
// user function inserted. Returns false if the callchain already has that
// caller or if it is not known.
bool StackBuilder::InsertLeafCaller(const SampleRecord& sample,
                                    const SampleContext& context,
                                    const ProcessState& process) {
  const WordSpan& ips = sample.ips;
  const auto caller =
      user_stacks_->FindLeafCaller(sample, context.attr, process.map);
  if (!caller.has_value()) return false;
  words_.clear();
  for (size_t i = 0; i < ips.size(); ++i) {
    if (i == caller->at) words_.push_back(caller->address);
    words_.push_back(ips[i]);
  }
  return true;
}

// Sets the stack that was built in words_.
void StackBuilder::SetWords(QueuedSample* to) {
  work_.Add(words_.size());  // not all words are in the record
  const auto* bytes = reinterpret_cast<const uint8_t*>(words_.data());
  to->copy.assign(bytes, bytes + words_.size() * 8);
  to->stable = false;
  SetCut(to->copy, to);
}

void StackBuilder::SetCut(absl::Span<const uint8_t> callchain,
                          QueuedSample* to) {
  to->callchain =
      has_stack_limit() ? Innermost(callchain, max_stack_) : callchain;
  SetHash(HashBytes(to->callchain), to);
}

void StackBuilder::SetBranches(const SampleRecord& sample,
                               const ProcessState& process, bool with_stacks,
                               QueuedSample* to) {
  constexpr size_t kWordsPerBranch = 3;  // from, to, flags
  branches_.clear();
  const WordSpan& words = sample.branches;
  for (size_t i = 0; i + kWordsPerBranch <= words.size();
       i += kWordsPerBranch) {
    const uint64_t source = words[i], target = words[i + 1];
    if (source == 0 && target == 0) continue;  // a slot that was not used
    const BranchFlags flags = BranchFlagsOf(words[i + 2], words.order());
    Branch& branch = branches_.emplace_back();
    branch.mispredicted = flags.mispredicted;
    branch.cycles = flags.cycles;
    branch.source = source;
    branch.target = target;
    branch.wrong_path = flags.wrong_path;
    if (with_stacks) {
      branch.stack =
          InternBranch(branch, to->sample.address_space, process.map);
    }
  }
  to->sample.branches = branches_;
}

// The addresses of a branch are those of instructions, not return addresses, so
// each of the two has a context marker before it.
StackId StackBuilder::InternBranch(const Branch& branch, AddressSpaceId space,
                                   const AddressMap& map) {
  const uint64_t callchain[] = {
      MarkerOfAddress(branch.target, map), branch.target,
      MarkerOfAddress(branch.source, map), branch.source};
  const absl::Span<const uint8_t> bytes(
      reinterpret_cast<const uint8_t*>(callchain), sizeof(callchain));
  return tables_.stacks.Intern(StackTable::HashOf(space, bytes), space, bytes,
                               /*stable=*/false);
}

}  // namespace perf2x
