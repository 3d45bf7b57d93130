// The part of Session that puts the stacks of samples together.

#include <algorithm>

#include "converter/perf/records/wire.h"
#include "converter/session/cpu_mode.h"
#include "converter/session/session.h"

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

}  // namespace

void Session::SetStack(const SampleRecord& sample, const Context& context,
                       ProcessState& process, Pending* pending) {
  const WordSpan& ips = sample.ips;
  pending->layout = address_spaces_.Of(process);
  pending->stable = (*context.raw.block)->stable();
  if (!ips.empty() && context.raw.head != nullptr &&
      context.raw.chain.data() == ips.bytes().data()) {
    return SetPlainStack(context.raw.head->callchain_hash, context.raw.chain,
                         *context.raw.block, pending);
  }
  const bool has_address = HasAddress(ips);
  if (UserStacks::Has(sample) || DeferredStacks::CookieOf(ips).has_value() ||
      (!sample.branches.empty() &&
       LbrStacks::Has(sample, attrs_.events()[context.event].attr))) {
    return SetUserStack(sample, context, process, pending);
  }
  if (UserStacks::HasRegisters(sample) &&
      InsertLeafCaller(sample, context, process)) {
    return SetWords(pending);
  }
  pending->chain = ips.bytes();
  const bool as_it_is =
      has_address && ips.order() == kHostOrder && ips[0] >= kContextMax;
  if (!as_it_is) {
    // Put together in the form that all stacks have: a marker first, words in
    // the host's order. A sample without a callchain has its ip alone.
    std::vector<uint8_t>& copy = pending->copy;
    const size_t marker = !has_address || ips[0] < kContextMax ? 1 : 0;
    const size_t words = has_address ? ips.size() : 1;
    copy.resize((marker + words) * 8);
    Store(ContextMarkerOf(context.raw.misc), copy.data(), kHostOrder);
    for (size_t i = 0; i < words; ++i) {
      Store(has_address ? ips[i] : sample.ip, &copy[(marker + i) * 8],
            kHostOrder);
    }
    pending->chain = copy;
    pending->stable = false;
  }
  if (CutsStacks()) pending->chain = Innermost(pending->chain);
  SetHash(HashBytes(pending->chain), pending);
}

// A stack whose user part is worked out from more than the callchain. The
// kernel's part comes first.
void Session::SetUserStack(const SampleRecord& sample, const Context& context,
                           ProcessState& process, Pending* pending) {
  const WordSpan& ips = sample.ips;
  words_.clear();
  if (IsGuest(context.raw.misc) && !HasAddress(ips)) {
    // The kernel walks no guest's stack; what is known is its program counter,
    // and the user stack of what runs it.
    words_ = {ContextMarkerOf(context.raw.misc), sample.ip};
  }
  size_t user = 0;  // where the recorded user part begins
  while (user < ips.size() && ips[user] != kContextUser &&
         ips[user] != kContextUserDeferred) {
    words_.push_back(ips[user++]);
  }
  const size_t kernel = words_.size();
  if (UserStacks::Has(sample)) {
    user_stacks_->Append(sample, attrs_.events()[context.event].attr,
                         process.map, process.replaced_map, &words_);
    // Some recorders put both down.
    if (ips.size() - user > words_.size() - kernel) {
      words_.resize(kernel);
      for (size_t i = user; i < ips.size(); ++i) words_.push_back(ips[i]);
    }
  } else if (user < ips.size() && ips[user] == kContextUserDeferred) {
    words_.insert(words_.end(), deferred_.begin(), deferred_.end());
  } else {
    const bool in_user = CpuModeOf(context.raw.misc) == CpuMode::kUser;
    const uint64_t ip = user + 1 < ips.size() ? ips[user + 1]
                        : in_user             ? sample.ip
                                              : 0;
    lbr_stacks_.Append(sample, ip, &words_);
  }
  if (std::all_of(words_.begin(), words_.end(),
                  [](uint64_t word) { return word >= kContextMax; })) {
    words_ = {ContextMarkerOf(context.raw.misc), sample.ip};
  }
  SetWords(pending);
}

// Puts the callchain of `sample`, with the innermost user function's caller,
// into words_; false: it has it, or it is not known.
bool Session::InsertLeafCaller(const SampleRecord& sample,
                               const Context& context,
                               const ProcessState& process) {
  const WordSpan& ips = sample.ips;
  const auto caller = user_stacks_->FindLeafCaller(
      sample, attrs_.events()[context.event].attr, process.map);
  if (!caller.has_value()) return false;
  words_.clear();
  for (size_t i = 0; i < ips.size(); ++i) {
    if (i == caller->at) words_.push_back(caller->address);
    words_.push_back(ips[i]);
  }
  return true;
}

// The stack that was put together in words_.
void Session::SetWords(Pending* pending) {
  Work(words_.size());  // they are not all in the record
  const auto* bytes = reinterpret_cast<const uint8_t*>(words_.data());
  pending->copy.assign(bytes, bytes + words_.size() * 8);
  pending->chain = pending->copy;
  if (CutsStacks()) pending->chain = Innermost(pending->chain);
  pending->stable = false;
  SetHash(HashBytes(pending->chain), pending);
}

}  // namespace perf2x
