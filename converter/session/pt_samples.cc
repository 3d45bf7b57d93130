// SPDX-License-Identifier: Apache-2.0
#include "converter/session/pt_samples.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "converter/base/byte_order.h"
#include "converter/base/saturating_add.h"
#include "converter/base/status_macros.h"
#include "converter/perf/records/wire.h"
#include "converter/session/aux_diagnostics.h"

namespace perf2x {
namespace {

using Kind = PtStep::Kind;
using Severity = Diagnostics::Severity;

// perf's names of the events that it makes of Intel PT
// (intel_pt_synth_events() in tools/perf/util/intel-pt.c).
constexpr const char* kPtEventNames[] = {
    "instructions", "branches", "transactions", "ptwrite", "mwait",
    "pwre",         "exstop",   "pwrx",         "cbr"};

// perf's default period.
constexpr uint64_t kDefaultPeriod = 100'000;  // ns

// As in TraceTracker. Gaps cost as much.
constexpr uint64_t kWorkPerSample = 8;

// Returns true if the instruction `from` was followed by that at `to` because
// it is a branch that was taken.
bool IsTaken(const PtStep& from, uint64_t to) {
  return from.branch != PtStep::Branch::kNone &&
         (from.branch != PtStep::Branch::kConditional ||
          to != from.ip + from.size);
}

bool IsKernel(uint64_t address) { return address >> 63 != 0; }

}  // namespace

absl::Status PtSamples::Apply(const PtQueue& queue,
                              std::optional<uint64_t> time, const PtStep& step,
                              PtPosition* position) {
  if (calls_.follows()) {
    RETURN_IF_ERROR(ApplyToCalls(
        {queue.tid(), time, queue.offset(), queue.cpu()}, step, *position));
  }
  switch (step.kind) {
    case Kind::kNone:
      return absl::OkStatus();
    case Kind::kInstruction:
      return OnInstruction(queue, time, step, position);
    case Kind::kInterrupt: {
      PtStep from;
      from.ip = step.ip;
      position->last = PtStep();
      return step.to == 0 ? absl::OkStatus()
                          : OnBranch(queue, time, from, step.to, position);
    }
    case Kind::kBegin:
    case Kind::kEnabled:
    case Kind::kDisabled:
      position->last = PtStep();
      return absl::OkStatus();
    case Kind::kTransaction:
      if (!deps_.options.transactions) return absl::OkStatus();
      return Emit(queue, time, {.event = kTransactions, .ip = step.ip},
                  *position);
    case Kind::kPtWrite:
      if (!deps_.options.ptwrites) return absl::OkStatus();
      return Emit(queue, time,
                  {.event = kPtWrite, .ip = step.ip, .addr = step.payload},
                  *position);
    case Kind::kPower:
      return OnPower(queue, time, step, position);
    case Kind::kOverflow:
      position->last = PtStep();
      return OnOverflow(queue, time);
    case Kind::kUnknownCode:
    case Kind::kLost:
      position->last = PtStep();
      CountLost(queue, step);
      return absl::OkStatus();
  }
  return absl::OkStatus();
}

// `position` is that of the step before.
absl::Status PtSamples::ApplyToCalls(const PtCalls::Place& place,
                                     const PtStep& step,
                                     const PtPosition& position) {
  const PtStep& last = position.last;
  // Where the last instruction led, if the step tells.
  const bool tells_next = step.kind == Kind::kInstruction ||
                          step.kind == Kind::kInterrupt ||
                          step.kind == Kind::kDisabled;
  if (tells_next && step.ip != 0 && last.kind != Kind::kNone &&
      IsTaken(last, step.ip)) {
    RETURN_IF_ERROR(calls_.OnBranch(place, last, step.ip));
  }
  switch (step.kind) {
    case Kind::kInstruction:
      return calls_.OnInstruction(place, step.ip);
    case Kind::kInterrupt:
      return calls_.OnInterrupt(place, step.ip, step.to);
    case Kind::kEnabled:
      return calls_.OnEnabled(place, step.ip);
    case Kind::kDisabled:
      return calls_.OnDisabled(place, last, step.ip);
    case Kind::kBegin:
    case Kind::kOverflow:
    case Kind::kUnknownCode:
    case Kind::kLost:
      return calls_.OnGap(place);
    default:
      return absl::OkStatus();
  }
}

absl::Status PtSamples::OnInstruction(const PtQueue& queue,
                                      std::optional<uint64_t> time,
                                      const PtStep& step,
                                      PtPosition* position) {
  const PtStep last = position->last;
  if (last.kind != Kind::kNone && IsTaken(last, step.ip)) {
    RETURN_IF_ERROR(OnBranch(queue, time, last, step.ip, position));
  }
  position->last = step;
  ++position->instructions;
  if (!deps_.options.instructions || !IsSampled(time, position)) {
    return absl::OkStatus();
  }
  const uint64_t period = std::exchange(position->instructions, 0);
  return Emit(queue, time, {.ip = step.ip, .period = period}, *position);
}

// Without times, a period of time stands for as many instructions.
bool PtSamples::IsSampled(std::optional<uint64_t> time,
                          PtPosition* position) const {
  const ItraceOptions& options = deps_.options;
  const bool is_default = options.unit == ItraceOptions::Unit::kDefault;
  const uint64_t period = is_default ? kDefaultPeriod : options.period;
  if (options.unit == ItraceOptions::Unit::kInstructions || !time.has_value()) {
    return position->instructions >= period;
  }
  if (position->next_sample.has_value() && *time < *position->next_sample) {
    return false;
  }
  const bool is_first = !position->next_sample.has_value();
  // Samples of all CPUs are taken at the same multiples of the period.
  position->next_sample = SaturatingAdd(*time - *time % period, period);
  return !is_first;
}

absl::Status PtSamples::OnBranch(const PtQueue& queue,
                                 std::optional<uint64_t> time,
                                 const PtStep& from, uint64_t to,
                                 PtPosition* position) {
  position->jumps[position->jump_count++ % PtPosition::kBranches] = {from.ip,
                                                                     to};
  const ItraceOptions& options = deps_.options;
  const bool some = options.calls || options.returns;
  if (some && calls_.reports()) return absl::OkStatus();
  const bool wanted =
      some ? (options.calls && from.branch == PtStep::Branch::kCall) ||
                 (options.returns && from.branch == PtStep::Branch::kReturn)
           : options.branches && options.is_explicit;
  if (!wanted) return absl::OkStatus();
  return Emit(queue, time, {.event = kBranches, .ip = from.ip, .addr = to},
              *position);
}

absl::Status PtSamples::OnPower(const PtQueue& queue,
                                std::optional<uint64_t> time,
                                const PtStep& step, PtPosition* position) {
  if (!deps_.options.power) return absl::OkStatus();
  const absl::string_view name = step.text;
  int event = kMwait;
  while (name != kPtEventNames[event]) ++event;
  // The ratio is repeated now and then.
  if (event == kCbr &&
      std::exchange(position->ratio, step.payload) == step.payload) {
    return absl::OkStatus();
  }
  return Emit(
      queue, time,
      {.event = static_cast<Event>(event), .ip = step.ip, .addr = step.payload},
      *position);
}

absl::Status PtSamples::OnOverflow(const PtQueue& queue,
                                   std::optional<uint64_t> time) {
  deps_.diagnostics.Add(Severity::kDamage,
                        "gap in an Intel PT trace, which the processor could "
                        "not write fast enough",
                        queue.decode_offset());
  RETURN_IF_ERROR(deps_.samples.Flush());
  RETURN_IF_ERROR(deps_.sink.EnsureBegun());
  AuxGap gap;
  gap.time = time;
  gap.cpu = queue.cpu();
  gap.reason = "overflow";
  deps_.work.Add(kWorkPerSample);
  ASSIGN_OR_RETURN(gap.thread, deps_.threads.AnnounceIfSeen(queue.tid(), time));
  return deps_.sink.Report(&Emitter::OnAuxGap, gap);
}

void PtSamples::CountLost(const PtQueue& queue, const PtStep& step) {
  std::string what;
  if (step.kind == Kind::kLost) {
    what = absl::StrCat(
        "stretch of Intel PT trace that does not fit the code: ", step.text);
  } else if (IsKernel(step.ip)) {
    what =
        "stretch of Intel PT trace through code of the kernel without an "
        "image (record with --kcore, or see --vmlinux)";
  } else {
    what = queue.tid() < 0
               ? "stretch of Intel PT trace of a thread that is not known"
               : kMissingIntelPtCode;
  }
  deps_.work.Add(kWorkPerSample);
  deps_.diagnostics.Add(Severity::kSkipped, what, queue.decode_offset());
}

void PtSamples::SetBranches(const PtPosition& position) {
  size_t words = 0;
  if (deps_.options.last_branch) {
    const uint64_t count =
        std::min<uint64_t>(position.jump_count, PtPosition::kBranches);
    for (uint64_t i = 1; i <= count; ++i) {
      const PtPosition::Jump& jump =
          position.jumps[(position.jump_count - i) % PtPosition::kBranches];
      for (const uint64_t word : {jump.from, jump.to, uint64_t{0}}) {
        branches_[words++] = word;
      }
    }
  }
  sample_.branch_nr = words / 3;
  sample_.branches = WordSpan(
      reinterpret_cast<const uint8_t*>(branches_.data()), words, kHostOrder);
}

void PtSamples::SetCallchain(int32_t tid, uint64_t ip) {
  const std::vector<uint64_t>& words = calls_.CallchainOf(tid, ip);
  sample_.nr = words.size();
  sample_.ips = WordSpan(reinterpret_cast<const uint8_t*>(words.data()),
                         words.size(), kHostOrder);
}

absl::Status PtSamples::Emit(const PtQueue& queue, std::optional<uint64_t> time,
                             const Sample& sample, const PtPosition& position) {
  const EventId id = EventOf(sample.event);
  const ThreadState* thread = deps_.threads.table().FindSeen(queue.tid());
  sample_.ip = sample.ip;
  sample_.addr = sample.addr;
  sample_.tid = queue.tid();
  sample_.pid = thread == nullptr ? -1 : thread->process->pid;
  sample_.cpu = static_cast<uint32_t>(queue.cpu());
  sample_.time = time.value_or(0);
  sample_.period = sample.period;
  SetBranches(position);
  sample_.nr = 0;
  sample_.ips = WordSpan();
  if (sample.event != kBranches) SetCallchain(queue.tid(), sample.ip);
  RawRecord raw;
  raw.type = kRecordSample;
  raw.order = kHostOrder;
  raw.misc = IsKernel(sample.ip) ? kMiscKernel : kMiscUser;
  raw.offset = queue.offset();
  raw.block = &queue.block();
  // A format may write a line for each branch. Callchains are not in the input.
  deps_.work.Add(kWorkPerSample + sample_.branch_nr + sample_.nr);
  return deps_.samples.ApplyFromTrace(sample_, id, raw, time,
                                      /*same_record=*/false);
}

EventId PtSamples::EventOf(Event event) {
  EventId& id = events_[event];
  if (id != kNoId) return id;
  const ItraceOptions& options = deps_.options;
  EventAttr attr;
  attr.type = kTypeHardware;
  attr.sample_period =
      event == kInstructions &&
              options.unit == ItraceOptions::Unit::kInstructions
          ? options.period
          : 1;
  attr.sample_type =
      kSampleIp | kSampleTid | kSampleTime | kSampleCpu | kSamplePeriod;
  if (event != kInstructions && event != kTransactions) {
    attr.sample_type |= kSampleAddr;
  }
  if (options.callchain != 0 && event != kBranches) {
    attr.sample_type |= kSampleCallchain;
  }
  if (options.last_branch) {
    attr.sample_type |= kSampleBranchStack;
    attr.branch_sample_type = kBranchAny;
  }
  id = deps_.attrs.AddTraceEvent(attr, kPtEventNames[event]);
  deps_.events.SyncIfStale();
  return id;
}

}  // namespace perf2x
