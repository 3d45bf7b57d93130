// SPDX-License-Identifier: Apache-2.0
#ifdef PERF2X_INTEL_PT
#include "converter/hwtrace/pt_event.h"

#include <cstdint>

namespace perf2x {
namespace {

using Kind = PtStep::Kind;
using Branch = PtStep::Branch;

Branch BranchOf(pt_insn_class instruction) {
  switch (instruction) {
    case ptic_cond_jump:
      return Branch::kConditional;
    case ptic_jump:
    case ptic_far_jump:
      return Branch::kJump;
    case ptic_call:
    case ptic_far_call:
      return Branch::kCall;
    case ptic_return:
    case ptic_far_return:
      return Branch::kReturn;
    default:
      return Branch::kNone;
  }
}

bool IsFar(pt_insn_class instruction) {
  return instruction == ptic_far_jump || instruction == ptic_far_call ||
         instruction == ptic_far_return;
}

void SetPower(const char* name, uint64_t payload, PtStep* step) {
  step->kind = Kind::kPower;
  step->text = name;
  step->payload = payload;
}

// Sets `*step` to a change of power with its packet's fields, the first one in
// the lowest bits. Returns false for other events.
bool ReadPower(const pt_event& event, PtStep* step) {
  const auto& v = event.variant;
  switch (event.type) {
    case ptev_exstop:
      SetPower("exstop", 0, step);
      if (event.ip_suppressed == 0) step->ip = v.exstop.ip;
      return true;
    case ptev_mwait:
      SetPower("mwait", v.mwait.hints | uint64_t{v.mwait.ext} << 32, step);
      if (event.ip_suppressed == 0) step->ip = v.mwait.ip;
      return true;
    case ptev_pwre:
      SetPower("pwre",
               v.pwre.state | v.pwre.sub_state << 8 |
                   static_cast<uint64_t>(v.pwre.hw) << 16,
               step);
      return true;
    case ptev_pwrx:
      SetPower("pwrx",
               v.pwrx.last | v.pwrx.deepest << 8 |
                   static_cast<uint64_t>(v.pwrx.interrupt) << 16 |
                   static_cast<uint64_t>(v.pwrx.store) << 17 |
                   static_cast<uint64_t>(v.pwrx.autonomous) << 18,
               step);
      return true;
    case ptev_cbr:
      SetPower("cbr", v.cbr.ratio, step);
      return true;
    default:
      return false;
  }
}

}  // namespace

void ReadPtInstruction(const pt_insn& instruction, PtStep* step) {
  step->kind = Kind::kInstruction;
  step->branch = BranchOf(instruction.iclass);
  step->is_far = IsFar(instruction.iclass);
  step->size = instruction.size;
  step->ip = instruction.ip;
}

bool ReadPtEvent(const pt_event& event, PtStep* step) {
  const auto& v = event.variant;
  switch (event.type) {
    case ptev_enabled:
      step->kind = Kind::kEnabled;
      step->ip = v.enabled.ip;
      return true;
    case ptev_disabled:
      step->kind = Kind::kDisabled;
      return true;
    case ptev_async_disabled:
      step->kind = Kind::kDisabled;
      step->ip = v.async_disabled.at;
      return true;
    case ptev_async_branch:
      step->kind = Kind::kInterrupt;
      step->ip = v.async_branch.from;
      step->to = event.ip_suppressed != 0 ? 0 : v.async_branch.to;
      return true;
    case ptev_overflow:
      step->kind = Kind::kOverflow;
      step->ip = event.ip_suppressed != 0 ? 0 : v.overflow.ip;
      return true;
    case ptev_tsx:
      step->kind = Kind::kTransaction;
      step->ip = event.ip_suppressed != 0 ? 0 : v.tsx.ip;
      step->text = v.tsx.aborted != 0       ? "aborted"
                   : v.tsx.speculative != 0 ? "begins"
                                            : "ends";
      return true;
    case ptev_ptwrite:
      step->kind = Kind::kPtWrite;
      step->ip = event.ip_suppressed != 0 ? 0 : v.ptwrite.ip;
      step->payload = v.ptwrite.payload;
      return true;
    default:
      return ReadPower(event, step);
  }
}

}  // namespace perf2x

#endif  // PERF2X_INTEL_PT
