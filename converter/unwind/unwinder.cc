// SPDX-License-Identifier: Apache-2.0
#include "converter/unwind/unwinder.h"

#include <array>
#include <cstring>

#include "converter/symbolize/elf/call_site.h"
#include "converter/unwind/signal_frame.h"

namespace perf2x {
namespace {

constexpr size_t kCacheSize = 1 << 13;
// Words above the stack pointer that are searched for a saved return address.
constexpr int kSavedLinkReach = 64;

constexpr absl::string_view kDescriptions[kUnwindStops] = {
    "outermost frame", "end of the stack dump", "no call frame information",
    "no module",       "bad address",           "no progress",
    "too many frames", "machine not known",
};

uint64_t PlainAddress(const Machine& machine, uint64_t address) {
  return address & machine.return_address_mask;
}

UnwindStop Fault(const ProcessMemory& memory) {
  return memory.stack_ended() ? UnwindStop::kStackEnd : UnwindStop::kBadAddress;
}

// Returns the stack pointer at entry of an innermost function without unwind
// information. 32-bit ARM functions push the return address above all else that
// they save; if it is not found, nothing was pushed.
uint64_t CallerSp(const Machine& machine, uint64_t sp, uint64_t link,
                  ProcessMemory* memory) {
  if (!machine.has_exidx) return sp;
  for (int i = 0; i < kSavedLinkReach; ++i) {
    uint64_t word = 0;
    const uint64_t at = sp + 4 * static_cast<uint64_t>(i);
    if (!memory->ReadAddress(at, &word)) break;
    if (word == link) return at + 4;
  }
  return sp;
}

}  // namespace

absl::string_view DescriptionOf(UnwindStop stop) {
  return kDescriptions[static_cast<int>(stop)];
}

Unwinder::Unwinder(const Machine& machine, UnwindTables& tables)
    : machine_(machine),
      tables_(tables),
      values_(machine),
      cache_(kCacheSize) {}

UnwindStop Unwinder::Unwind(const Registers& registers,
                            const UserStackDump& stack, MapLookup maps,
                            size_t max_frames, std::vector<uint64_t>* ips) {
  values_.BeginStack(tables_.rules());
  guesses_ = 0;
  UnwindStop stop = UnwindStop::kLimit;
  State state;
  if (!registers.pc.has_value() || max_frames == 0) {
    stop = UnwindStop::kBadAddress;
  } else if (!maps(*registers.pc, &state.location)) {
    // Happens while a process replaces its program: the registers are those of
    // the old program.
    stop = UnwindStop::kNoFile;
  } else {
    ProcessMemory memory(machine_, stack, maps, &tables_);
    state.registers = registers;
    state.pc = *registers.pc;
    ips->push_back(kUserContext);
    ips->push_back(state.pc);
    for (size_t frames = 1; frames < max_frames; ++frames) {
      const std::optional<UnwindStop> ended = Step(&memory, maps, &state);
      if (tables_.missed()) break;
      if (ended.has_value()) {
        stop = *ended;
        break;
      }
      if (state.exact) {
        // The frame before, to which the handler returns, was not called
        // either.
        if (*(ips->end() - 2) != kUserContext) {
          ips->insert(ips->end() - 1, kUserContext);
        }
        ips->push_back(kUserContext);
      }
      ips->push_back(state.pc);
    }
  }
  return stop;
}

std::optional<uint64_t> Unwinder::LeafCaller(const Registers& registers,
                                             uint64_t pc, uint64_t next,
                                             MapLookup maps) {
  CodeLocation location;
  if (machine_.link == kNoRegister || !registers.known(machine_.link) ||
      !maps(pc, &location) || location.dso == kNoId) {
    return std::nullopt;
  }
  const uint64_t link = registers[machine_.link];
  const uint64_t caller = PlainAddress(machine_, link);
  CodeLocation at_caller;
  if (caller == 0 || !maps(caller - 1, &at_caller)) return std::nullopt;
  const RuleId id = FindRule(location);
  if (id != kNoRule) {
    const FrameRule& rule = tables_.rules().rule(id);
    bool in_link = rule.return_register == machine_.link && !rule.signal;
    for (const RegisterRule& r : tables_.rules().registers(rule)) {
      in_link &= r.reg != machine_.link;
    }
    return in_link ? std::optional<uint64_t>(caller) : std::nullopt;
  }
  if ((!IsPresent(location) && !location.vdso) || caller == next) {
    return std::nullopt;
  }
  const UserStackDump no_stack;
  ProcessMemory memory(machine_, no_stack, maps, &tables_);
  return MayReturnTo(link, &memory, maps) ? std::optional<uint64_t>(caller)
                                          : std::nullopt;
}

std::optional<UnwindStop> Unwinder::Step(ProcessMemory* memory, MapLookup maps,
                                         State* state) {
  RuleId id = kNoRule;
  if (state->location.dso != kNoId) id = FindRule(state->location);
  if (machine_.pc != kNoRegister) state->registers.Set(machine_.pc, state->pc);
  if (id != kNoRule) {
    return StepByRule(tables_.rules().rule(id), memory, maps, state);
  }
  return StepWithoutRule(memory, maps, state);
}

RuleId Unwinder::FindRule(const CodeLocation& location) {
  const uint64_t mixed =
      (location.offset ^ uint64_t{location.dso} << 40) * 0x9e3779b97f4a7c15;
  CachedRule& slot = cache_[mixed >> 32 & (kCacheSize - 1)];
  if (slot.dso != location.dso || slot.offset != location.offset) {
    const RuleId rule = tables_.Find(location.dso, location.offset);
    if (tables_.missed()) return kNoRule;
    slot = {location.dso, rule, location.offset};
  }
  return slot.rule;
}

// Unwinds a frame whose return address is undefined.
std::optional<UnwindStop> Unwinder::StepWithoutReturn(ProcessMemory* memory,
                                                      MapLookup maps,
                                                      State* state) {
  // .ARM.exidx has this rule for assembly and for C that throws nothing, too.
  if (!machine_.has_exidx || !state->innermost) return UnwindStop::kComplete;
  State caller = *state;
  if (!LinkLeavesFile(*state, maps) || !StepByLink(memory, maps, &caller) ||
      LeadsAstray(caller, memory, maps)) {
    return UnwindStop::kNoCfi;
  }
  *state = caller;
  return std::nullopt;
}

std::optional<UnwindStop> Unwinder::StepByRule(const FrameRule& rule,
                                               ProcessMemory* memory,
                                               MapLookup maps, State* state) {
  const Registers& old = state->registers;
  const std::optional<uint64_t> known_cfa = values_.Cfa(rule, old, memory);
  if (!known_cfa.has_value()) {
    return rule.cfa_register != kNoRegister ? UnwindStop::kBadAddress
                                            : Fault(*memory);
  }
  const uint64_t cfa = *known_cfa;

  if (rule.saved_below != 0) {
    if (const uint8_t* saved =
            memory->StackWords(cfa - rule.saved_below, rule.saved_below)) {
      return StepBySaved(rule, saved + rule.saved_below, cfa, maps, state);
    }
  }

  // Rules refer to the frame's own registers, which therefore change only after
  // all values are computed.
  std::array<uint64_t, kMaxRegisters> values;
  uint64_t known = 0;  // bit i: values[i] is known
  const absl::Span<const RegisterRule> changes =
      tables_.rules().registers(rule);
  bool returns = old.known(rule.return_register);
  uint64_t pc = returns ? old[rule.return_register] : 0;
  for (size_t i = 0; i < changes.size(); ++i) {
    const RegisterRule& r = changes[i];
    if (r.reg == rule.return_register && r.kind == RegisterRule::kUndefined) {
      return StepWithoutReturn(memory, maps, state);
    }
    const bool found = values_.ValueOf(r, cfa, old, memory, &values[i]);
    if (found) {
      values[i] &= machine_.address_mask();
      known |= uint64_t{1} << i;
    }
    if (r.reg == rule.return_register) {
      returns = found;
      pc = values[i];
    }
  }
  if (!returns) return Fault(*memory);
  if (pc == 0) return UnwindStop::kComplete;
  state->exact = rule.signal;
  if (auto stop = MoveTo(pc, cfa, maps, state); stop.has_value()) return stop;
  for (size_t i = 0; i < changes.size(); ++i) {
    if ((known >> i & 1) != 0) {
      state->registers.Set(changes[i].reg, values[i]);
    } else {
      state->registers.Forget(changes[i].reg);
    }
  }
  return std::nullopt;
}

// Unwinds a frame whose changed registers are all saved below its CFA. `at_cfa`
// points to the bytes at the CFA. The result is that of StepByRule, but without
// a decision per register.
std::optional<UnwindStop> Unwinder::StepBySaved(const FrameRule& rule,
                                                const uint8_t* at_cfa,
                                                uint64_t cfa, MapLookup maps,
                                                State* state) {
  uint64_t pc = 0;
  for (const RegisterRule& r : tables_.rules().registers(rule)) {
    uint64_t value = cfa;
    if (r.kind == RegisterRule::kAtCfa) {
      std::memcpy(&value, at_cfa + r.value, sizeof(value));
    }
    if (r.reg == rule.return_register) pc = value;
    state->registers.Set(r.reg, value);
  }
  if (pc == 0) return UnwindStop::kComplete;
  state->exact = rule.signal;
  return MoveTo(pc, cfa, maps, state);
}

// Guesses the frame of code without a rule: a signal handler returns to the
// code, or (innermost) the code has no frame of its own, or it was compiled
// with frame pointers. The last two guesses must lead to an address after a
// call.
std::optional<UnwindStop> Unwinder::StepWithoutRule(ProcessMemory* memory,
                                                    MapLookup maps,
                                                    State* state) {
  ++guesses_;
  const bool present = IsPresent(state->location);
  if (!state->innermost && StepBySignal(memory, maps, state)) {
    return std::nullopt;
  }
  // The code may be a PLT entry or assembly. If its file was not found, the
  // frame pointer is the better guess, except for the vDSO, which calls no
  // function.
  if (state->innermost && (present || state->location.vdso) &&
      StepByLink(memory, maps, state)) {
    return std::nullopt;
  }
  if (StepByFramePointer(memory, maps, state)) return std::nullopt;
  return present ? UnwindStop::kNoCfi : UnwindStop::kNoFile;
}

// Unwinds from the trampoline, to which a signal handler returns, to the
// interrupted code. The vDSO calls no function. A function that returns to it
// is therefore a signal handler, even if the vDSO's code was not found.
bool Unwinder::StepBySignal(ProcessMemory* memory, MapLookup maps,
                            State* state) {
  const auto read = [memory](uint64_t address, int size, uint64_t* value) {
    return memory->Read(address, size, value);
  };
  if (!state->registers.known(machine_.sp)) return false;
  const uint64_t sp = state->registers[machine_.sp];
  std::optional<SignalFrameForm> frame =
      DetectSigreturnTrampoline(machine_, state->pc, read);
  if (!frame.has_value()) {
    if (!state->location.vdso || state->from_vdso ||
        IsPresent(state->location)) {
      return false;
    }
    frame = SignalFrameForm::kRealTime;
  }
  const std::optional<Registers> before =
      InterruptedRegisters(machine_, *frame, sp, read);
  if (!before.has_value()) return false;
  state->exact = true;
  if (MoveTo(*before->pc, sp, maps, state).has_value()) {
    state->exact = false;
    return false;
  }
  state->registers = *before;
  return true;
}

// Returns true if the link register leads to another DSO. If so, it is not
// left over from a call that the function made itself, but has the function's
// own return address.
bool Unwinder::LinkLeavesFile(const State& state, MapLookup maps) const {
  CodeLocation location;
  return state.registers.known(machine_.link) &&
         maps(PlainAddress(machine_, state.registers[machine_.link]) - 1,
              &location) &&
         location.dso != kNoId && location.dso != state.location.dso;
}

// Returns true if no frame can have called `caller`, to which the link register
// led. The register may be left over from a call that a callback made, and the
// stack then is not as it was at that call.
bool Unwinder::LeadsAstray(State caller, ProcessMemory* memory,
                           MapLookup maps) {
  const std::optional<UnwindStop> stop = Step(memory, maps, &caller);
  return stop == UnwindStop::kBadAddress || stop == UnwindStop::kLoop;
}

// Unwinds a function that has not saved its return address or, on 32-bit ARM,
// whose stack is searched for the saved address.
bool Unwinder::StepByLink(ProcessMemory* memory, MapLookup maps, State* state) {
  Registers& registers = state->registers;
  if (machine_.link == kNoRegister || !registers.known(machine_.link) ||
      !registers.known(machine_.sp)) {
    return false;
  }
  const uint64_t link = registers[machine_.link];
  if (!MayReturnTo(link, memory, maps)) return false;
  const uint64_t sp = CallerSp(machine_, registers[machine_.sp], link, memory);
  state->exact = false;
  if (MoveTo(link, sp, maps, state).has_value()) return false;
  registers.Set(machine_.sp, sp);
  return true;
}

bool Unwinder::StepByFramePointer(ProcessMemory* memory, MapLookup maps,
                                  State* state) {
  Registers& registers = state->registers;
  if (!machine_.frame_pair_offset.has_value() ||
      !registers.known(machine_.fp) || !registers.known(machine_.sp)) {
    return false;
  }
  const uint64_t pair = registers[machine_.fp] +
                        static_cast<uint64_t>(*machine_.frame_pair_offset);
  uint64_t caller_fp = 0, pc = 0;
  if (pair < registers[machine_.sp] || pair % machine_.address_size != 0 ||
      !memory->ReadAddress(pair, &caller_fp) ||
      !memory->ReadAddress(pair + machine_.address_size, &pc) ||
      !MayReturnTo(pc, memory, maps)) {
    return false;
  }
  const uint64_t cfa = pair + 2 * machine_.address_size;
  state->exact = false;
  if (MoveTo(pc, cfa, maps, state).has_value()) return false;
  registers.Set(machine_.fp, caller_fp);
  registers.Set(machine_.sp, cfa);
  return true;
}

// Returns true if `address`, which no table confirms, may be a return address.
bool Unwinder::MayReturnTo(uint64_t address, ProcessMemory* memory,
                           MapLookup maps) const {
  CodeLocation location;
  if (!maps(PlainAddress(machine_, address) - 1, &location) || location.data) {
    return false;
  }
  if (!machine_.has_odd_code()) address = PlainAddress(machine_, address);
  return MayFollowCall(machine_, address,
                       [memory](uint64_t at, int size, uint64_t* value) {
                         return memory->Read(at, size, value);
                       });
}

// Moves to the caller at `pc`, if `pc` is mapped and the stack makes progress;
// else returns the reason.
std::optional<UnwindStop> Unwinder::MoveTo(uint64_t pc, uint64_t cfa,
                                           MapLookup maps, State* state) const {
  pc = PlainAddress(machine_, pc);
  // A signal handler may run on a stack of its own, anywhere.
  const bool progress = state->innermost || state->exact || cfa > state->cfa ||
                        (cfa == state->cfa && pc != state->pc);
  if (!progress) return UnwindStop::kLoop;
  CodeLocation location;
  if (!maps(state->exact ? pc : pc - 1, &location)) {
    return UnwindStop::kBadAddress;
  }
  state->from_vdso = state->location.vdso;
  state->location = location;
  state->pc = pc;
  state->cfa = cfa;
  state->innermost = false;
  return std::nullopt;
}

}  // namespace perf2x
