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

// Returns a callchain without the marker and the cookie at its end, if its user
// part is deferred.
WordSpan WithoutCookie(const WordSpan& ips) {
  const size_t cookie = DeferredStacks::CookieOf(ips).has_value() ? 2 : 0;
  return {ips.bytes().data(), ips.size() - cookie, ips.order()};
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

void StackBuilder::SetUnwinding(const std::string& arch,
                                std::unique_ptr<UnwindInfoSource> source) {
  user_stacks_.emplace(arch, std::move(source));
}

void StackBuilder::EndUnwinding(Diagnostics* diagnostics) {
  if (without_deferred_ > 0) {
    diagnostics->Add(Diagnostics::Severity::kNote,
                     "deferred user callchain never came", 0, 0,
                     without_deferred_);
  }
  if (!user_stacks_) return;
  user_stacks_->Report(diagnostics);
  unwound_stacks_ = user_stacks_->stacks();
  incomplete_dumps_ = user_stacks_->incomplete_dumps();
  user_stacks_.reset();
}

void StackBuilder::SetStack(const SampleRecord& sample,
                            const SampleContext& context, ProcessState& process,
                            QueuedSample* to) {
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
  const WordSpan ips = WithoutCookie(sample.ips);
  const bool has_dump = UserStacks::HasStackDump(sample);
  PendingStack& stack =
      has_dump && to->pending != nullptr ? *to->pending : built_;
  stack.marker = ContextMarkerOf(context.raw.misc);
  stack.ip = sample.ip;
  stack.words.clear();
  if (IsGuest(context.raw.misc) && !HasAddress(ips)) {
    // The kernel does not unwind a guest's stack. Known are only the guest's
    // program counter and the user stack of the process that runs it.
    stack.words = {stack.marker, stack.ip};
  }
  stack.recorded = ips;
  stack.user = 0;
  while (stack.user < ips.size() && ips[stack.user] != kContextUser &&
         ips[stack.user] != kContextUserDeferred) {
    stack.words.push_back(ips[stack.user++]);
  }
  if (has_dump) {
    stack.input = UserStacks::UnwindInputOf(sample, context.attr, process.map,
                                            process.replaced_map);
    stack.unwound.reset();
    stack.waits = true;
    if (&stack == to->pending) {
      to->callchain = {};
      return;
    }
    stack.Unwind(*user_stacks_);
    Count(stack);
  } else {
    AppendUserPart(sample, context);
    stack.EnsureAddress();
  }
  SetWords(to);
}

void StackBuilder::FinishPending(QueuedSample* to) {
  PendingStack& stack = *to->pending;
  if (!stack.unwound.has_value()) {
    stack.Unwind(*user_stacks_);
    SetFromPending(max_stack_, to);
  }
  Count(stack);
  work_.Add(stack.words.size());  // not all words are in the record
  tables_.stacks.Prefetch(to->hash);
}

void StackBuilder::SetFromPending(uint32_t max_stack, QueuedSample* to) {
  const std::vector<uint64_t>& words = to->pending->words;
  to->callchain = {reinterpret_cast<const uint8_t*>(words.data()),
                   words.size() * 8};
  if (max_stack != 0) to->callchain = Innermost(to->callchain, max_stack);
  to->stable = false;
  to->SetHash(StackTable::HashOf(to->sample.address_space, to->callchain));
}

// Counts a stack that was unwound.
void StackBuilder::Count(const PendingStack& stack) {
  user_stacks_->Count(*stack.unwound);
  work_.Add(stack.unwound->work);
}

// Appends the user part to built_, if it is not in a user stack dump. A
// deferred part follows all that was recorded:
// sample__merge_deferred_callchain() in tools/perf/util/callchain.c.
void StackBuilder::AppendUserPart(const SampleRecord& sample,
                                  const SampleContext& context) {
  const WordSpan& ips = built_.recorded;
  const size_t user = built_.user;
  std::vector<uint64_t>& words = built_.words;
  if (ips.size() < sample.ips.size()) {
    if (context.deferred.empty()) ++without_deferred_;
    for (size_t i = user; i < ips.size(); ++i) words.push_back(ips[i]);
    words.insert(words.end(), context.deferred.begin(), context.deferred.end());
    return;
  }
  const bool in_user = CpuModeOf(context.raw.misc) == CpuMode::kUser;
  const bool has_ip = user + 1 < ips.size() && ips[user] == kContextUser;
  const uint64_t ip = has_ip ? ips[user + 1] : in_user ? sample.ip : 0;
  lbr_stacks_.Append(sample, ip, &words);
}

// Sets built_ to the callchain of `sample` with the caller of the innermost
// user function inserted. Returns false if the callchain already has that
// caller or if it is not known.
bool StackBuilder::InsertLeafCaller(const SampleRecord& sample,
                                    const SampleContext& context,
                                    const ProcessState& process) {
  const WordSpan& ips = sample.ips;
  const auto caller =
      user_stacks_->FindLeafCaller(sample, context.attr, process.map);
  if (!caller.has_value()) return false;
  built_.words.clear();
  for (size_t i = 0; i < ips.size(); ++i) {
    if (i == caller->at) built_.words.push_back(caller->address);
    built_.words.push_back(ips[i]);
  }
  return true;
}

// Sets the stack that was built in built_.
void StackBuilder::SetWords(QueuedSample* to) {
  const std::vector<uint64_t>& words = built_.words;
  work_.Add(words.size());  // not all words are in the record
  const auto* bytes = reinterpret_cast<const uint8_t*>(words.data());
  to->copy.assign(bytes, bytes + words.size() * 8);
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
                               const ProcessState& process,
                               const EmitterRequirements& requested,
                               QueuedSample* to) {
  constexpr size_t kWordsPerBranch = 3;  // from, to, flags
  const WordSpan& words = sample.branches;
  const size_t count = words.size() / kWordsPerBranch;
  if (branches_.size() < count) branches_.resize(count);
  branch_count_ = 0;
  for (size_t i = 0; i < count * kWordsPerBranch; i += kWordsPerBranch) {
    const uint64_t source = words[i], target = words[i + 1];
    if (source == 0 && target == 0) continue;  // a slot that was not used
    const BranchFlags flags = BranchFlagsOf(words[i + 2], words.order());
    Branch& branch = branches_[branch_count_++];
    branch = Branch();
    branch.mispredicted = flags.mispredicted;
    branch.cycles = flags.cycles;
    branch.source = source;
    branch.target = target;
    branch.wrong_path = flags.wrong_path;
    if (requested.branch_details) {
      branch.details = BranchDetailsOf(words[i + 2], words.order());
    }
    if (requested.branch_stacks) {
      branch.stack =
          InternBranch(branch, to->sample.address_space, process.map);
    }
  }
  to->sample.branches = branches();
}

StackId StackBuilder::InternFunction(uint64_t address, ProcessState& process) {
  const AddressSpaceId space = spaces_.CurrentIdOf(process);
  const uint64_t place = address < kContextMax ? address : 0;
  const uint64_t callchain[] = {MarkerOfAddress(place, process.map), place};
  const absl::Span<const uint8_t> bytes(
      reinterpret_cast<const uint8_t*>(callchain), sizeof(callchain));
  return tables_.stacks.Intern(StackTable::HashOf(space, bytes), space, bytes,
                               /*stable=*/false);
}

// The addresses of a branch are those of instructions, not return addresses, so
// each of the two has a context marker before it. An address that would be
// taken for a marker itself is nowhere, as 0 is: it must not lose its place.
StackId StackBuilder::InternBranch(const Branch& branch, AddressSpaceId space,
                                   const AddressMap& map) {
  const auto place = [](uint64_t address) {
    return address < kContextMax ? address : 0;
  };
  const uint64_t target = place(branch.target), source = place(branch.source);
  const uint64_t callchain[] = {MarkerOfAddress(target, map), target,
                                MarkerOfAddress(source, map), source};
  const absl::Span<const uint8_t> bytes(
      reinterpret_cast<const uint8_t*>(callchain), sizeof(callchain));
  return tables_.stacks.Intern(StackTable::HashOf(space, bytes), space, bytes,
                               /*stable=*/false);
}

}  // namespace perf2x
