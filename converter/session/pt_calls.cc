// SPDX-License-Identifier: Apache-2.0
#include "converter/session/pt_calls.h"

#include <algorithm>
#include <utility>

#include "converter/base/saturating_add.h"
#include "converter/base/status_macros.h"
#include "converter/model/emitter.h"
#include "converter/perf/records/wire.h"

namespace perf2x {
namespace {

// Programs have the lower half of the addresses.
uint64_t MarkerOf(uint64_t address) {
  return address >> 63 != 0 ? kContextKernel : kContextUser;
}

}  // namespace

PtCalls::PtCalls(const Deps& deps)
    : deps_(deps),
      reports_(deps.sink.requirements().calls &&
               (deps.options.calls || deps.options.returns)),
      makes_chains_(deps.options.callchain != 0),
      tail_calls_(deps.tables, deps.spaces, deps.work) {}

PtCalls::State* PtCalls::StateOf(int32_t tid) {
  constexpr uint64_t kOfState = sizeof(State) + 64;
  if (tid == recent_tid_) return recent_;
  std::unique_ptr<State>& known = states_[tid];
  if (known == nullptr) {
    known = std::make_unique<State>();
    memory_ += kOfState;
  }
  State& state = *known;
  if (state.thread == nullptr) {
    state.thread = deps_.threads.table().FindSeen(tid);
    if (state.thread != nullptr) {
      state.process = state.thread->process;
      state.program = state.process->program;
    }
  }
  if (state.thread == nullptr) return nullptr;
  recent_tid_ = tid;
  recent_ = &state;
  return recent_;
}

void PtCalls::Account(State& state) {
  const uint64_t now = state.stack.memory();
  memory_ += now - state.memory;
  state.memory = now;
}

absl::Status PtCalls::OnInstruction(const Place& place, uint64_t ip) {
  constexpr int kOfStub = 3;
  State* state = StateOf(place.tid);
  if (state == nullptr) return absl::OkStatus();
  if (state->waiting.begins && ++state->instructions > kOfStub) {
    RETURN_IF_ERROR(Flush(*state));
  }
  const CallStack::Change change = state->stack.OnInstruction(ip);
  return change.has_value() ? Apply(*state, place, change) : absl::OkStatus();
}

absl::Status PtCalls::OnBranch(const Place& place, const PtStep& from,
                               uint64_t to) {
  State* state = StateOf(place.tid);
  if (state == nullptr) return absl::OkStatus();
  if (from.branch == PtStep::Branch::kJump && state->waiting.begins) {
    state->waiting.function = to;
    state->instructions = 0;
    state->stack.Rename(to);
    return absl::OkStatus();
  }
  // Stacks are made of return addresses, which a tail call leaves as they are.
  if (from.branch == PtStep::Branch::kJump && reports_ &&
      tail_calls_.Has(*state->thread->process, from.ip, to)) {
    return Apply(*state, place, state->stack.OnTailCall(to));
  }
  if (from.is_far) {
    // A thread that has exited runs no more than the kernel.
    if (state->exited && to >> 63 == 0) Restart(*state);
    RETURN_IF_ERROR(CheckProgram(*state, place));
  }
  return Apply(*state, place, state->stack.OnBranch(from, to));
}

absl::Status PtCalls::OnInterrupt(const Place& place, uint64_t from,
                                  uint64_t to) {
  State* state = StateOf(place.tid);
  if (state == nullptr) return absl::OkStatus();
  return Apply(*state, place, state->stack.OnInterrupt(from, to));
}

absl::Status PtCalls::OnDisabled(const Place& place, const PtStep& last,
                                 uint64_t at) {
  State* state = StateOf(place.tid);
  if (state == nullptr) return absl::OkStatus();
  RETURN_IF_ERROR(Flush(*state));
  return Apply(*state, place, state->stack.OnDisabled(last, at));
}

absl::Status PtCalls::OnEnabled(const Place& place, uint64_t ip) {
  State* state = StateOf(place.tid);
  if (state == nullptr) return absl::OkStatus();
  if (state->exited) Restart(*state);
  RETURN_IF_ERROR(CheckProgram(*state, place));
  return Apply(*state, place, state->stack.OnEnabled(ip));
}

absl::Status PtCalls::OnGap(const Place& place) {
  State* state = StateOf(place.tid);
  if (state == nullptr) return absl::OkStatus();
  RETURN_IF_ERROR(Flush(*state));
  return Apply(*state, place, state->stack.OnGap());
}

absl::Status PtCalls::OnExit(int32_t tid) {
  const auto it = states_.find(tid);
  if (it == states_.end()) return absl::OkStatus();
  RETURN_IF_ERROR(Flush(*it->second));
  it->second->exited = true;
  return absl::OkStatus();
}

absl::Status PtCalls::OnFork(int32_t tid) {
  const auto it = states_.find(tid);
  if (it == states_.end()) return absl::OkStatus();
  RETURN_IF_ERROR(Flush(*it->second));
  Restart(*it->second);
  // The record has yet to be applied to the thread.
  it->second->thread = nullptr;
  recent_ = nullptr;
  recent_tid_ = -1;
  return absl::OkStatus();
}

absl::Status PtCalls::End() {
  if (deeper_ > 0) {
    deps_.diagnostics.Add(
        Diagnostics::Severity::kNote,
        "call in an Intel PT trace that is not followed: its thread had 4,096 "
        "others",
        deeper_offset_, 0, deeper_);
  }
  std::vector<int32_t> tids;
  for (const auto& [tid, state] : states_) {
    if (state->waiting.begins) tids.push_back(tid);
  }
  std::sort(tids.begin(), tids.end());
  for (const int32_t tid : tids) RETURN_IF_ERROR(Flush(*states_[tid]));
  return absl::OkStatus();
}

// Forgets the calls of a thread that had the same number before.
void PtCalls::Restart(State& state) {
  state.stack = CallStack();
  state.exited = false;
  Account(state);
}

// Ends the calls of a program that the process has replaced by another, and of
// a process that had the thread's number before.
absl::Status PtCalls::CheckProgram(State& state, const Place& place) {
  ProcessState* const process = state.thread->process;
  if (state.process == process && state.program == process->program) {
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(Flush(state));
  state.process = process;
  state.program = process->program;
  state.exited = false;
  return Apply(state, place, state.stack.OnGap());
}

absl::Status PtCalls::Apply(State& state, const Place& place,
                            const CallStack::Change& change) {
  deps_.work.Add(state.stack.TakeWork());
  if (const uint64_t deeper = state.stack.TakeDeeper(); deeper > 0) {
    if (deeper_ == 0) deeper_offset_ = place.offset;
    deeper_ += deeper;
  }
  if (!change.has_value()) return absl::OkStatus();
  Account(state);
  if (!reports_ || state.exited) return absl::OkStatus();
  RETURN_IF_ERROR(Flush(state));
  if (!change->begins) return Report(state, *change, place);
  state.waiting = *change;
  state.since = place;
  state.instructions = 0;
  return absl::OkStatus();
}

absl::Status PtCalls::Flush(State& state) {
  if (!state.waiting.begins) return absl::OkStatus();
  return Report(state, std::exchange(state.waiting, CallChange()), state.since);
}

absl::Status PtCalls::Report(State& state, const CallChange& change,
                             const Place& place) {
  constexpr uint64_t kWorkPerCall = 8;  // as a sample
  if (!place.time.has_value()) {
    deps_.diagnostics.Add(Diagnostics::Severity::kNote,
                          "call or return in an Intel PT trace without times, "
                          "which has no place on a time line",
                          place.offset);
    return absl::OkStatus();
  }
  deps_.work.Add(kWorkPerCall);
  state.last = std::max(*place.time, SaturatingAdd(state.last, 1));
  Call call;
  call.time = state.last;
  call.depth = change.depth;
  call.cpu = place.cpu;
  RETURN_IF_ERROR(deps_.sink.EnsureBegun());
  ASSIGN_OR_RETURN(call.thread,
                   deps_.threads.Announce(*state.thread, call.time));
  if (change.begins) {
    ++reported_;
    call.function =
        deps_.stacks.InternFunction(change.function, *state.process);
  }
  return deps_.sink.Report(&Emitter::OnCall, call);
}

const std::vector<uint64_t>& PtCalls::CallchainOf(int32_t tid, uint64_t ip) {
  chain_.clear();
  const State* state = makes_chains_ ? StateOf(tid) : nullptr;
  if (state == nullptr || ip >= kContextMax) return chain_;
  chain_ = {ip};
  uint64_t marker = MarkerOf(ip), addresses = 1;
  const auto& frames = state->stack.frames();
  for (size_t i = frames.size();
       i-- > 0 && addresses < deps_.options.callchain;) {
    const uint64_t address = frames[i].resume;
    if (address == 0 || address >= kContextMax) continue;
    if (const uint64_t own = MarkerOf(address); own != marker) {
      chain_.push_back(marker = own);
    }
    chain_.push_back(address);
    ++addresses;
  }
  return chain_;
}

}  // namespace perf2x
