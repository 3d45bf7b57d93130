// SPDX-License-Identifier: Apache-2.0
#include "converter/session/etm_samples.h"

#include <algorithm>
#include <utility>

#include "converter/base/status_macros.h"
#include "converter/model/branch_bound.h"
#include "converter/perf/records/wire.h"
#include "converter/session/recording_time.h"

namespace perf2x {
namespace {

// PERF_COUNT_HW_* of linux/perf_event.h.
constexpr uint64_t kHardwareInstructions = 1, kHardwareBranches = 4;

// Returns the address of an instruction of a range. Those of T32 differ in
// size: their code is not looked at again, so the address is about right.
uint64_t AddressOf(const EtmElement& range, uint64_t index) {
  const uint64_t size = range.end - range.start;
  if (!range.thumb) return range.start + 4 * index;
  return range.start + (size * index / range.instructions & ~uint64_t{1});
}

}  // namespace

// perf's own default is 100,000 (itrace_synth_opts__set_default() in
// tools/perf/util/auxtrace.c), which it counts in instructions.
uint64_t EtmSamples::period() const {
  constexpr uint64_t kDefault = 100'000;
  return deps_.options.unit == ItraceOptions::Unit::kInstructions
             ? deps_.options.period
             : kDefault;
}

void EtmSamples::Begin(const Origin& origin) {
  origin_ = origin;
  for (auto& [number, cpu] : cpus_) {
    cpu.tid = origin.tid;
    cpu.time = origin.time;
  }
}

absl::Status EtmSamples::OnElement(const EtmElement& element) {
  const int32_t number = element.cpu;
  const auto [it, is_new] = cpus_.try_emplace(number);
  Cpu& cpu = it->second;
  if (is_new) {
    cpu.tid = origin_.tid;
    cpu.time = origin_.time;
  }
  if (element.kind == EtmElement::Kind::kTime && cpu.conversion != nullptr) {
    cpu.time = ToRecordingTime(*cpu.conversion, element.time);
  }
  if (element.kind == EtmElement::Kind::kContext) {
    const int32_t tid = element.thread >= 0 ? element.thread : origin_.tid;
    if (tid == cpu.tid) return absl::OkStatus();
    // The code of one thread does not follow that of another.
    if (const auto step = cpu.flow.End()) {
      RETURN_IF_ERROR(AddStep(*step, number, &cpu));
    }
    RETURN_IF_ERROR(EmitSteps(number, &cpu));
    cpu.ForgetSteps();
    cpu.tid = tid;
  }
  if (const auto step = cpu.flow.Add(element)) {
    RETURN_IF_ERROR(AddStep(*step, number, &cpu));
  }
  return element.kind == EtmElement::Kind::kRange
             ? AddRange(element, number, &cpu)
             : absl::OkStatus();
}

absl::Status EtmSamples::End() {
  for (auto& [number, cpu] : cpus_) {
    if (const auto step = cpu.flow.End()) {
      RETURN_IF_ERROR(AddStep(*step, number, &cpu));
    }
    RETURN_IF_ERROR(EmitSteps(number, &cpu));
    cpu.ForgetSteps();
  }
  return absl::OkStatus();
}

void EtmSamples::Abandon() {
  for (auto& [number, cpu] : cpus_) {
    cpu.flow = EtmFlow();
    cpu.ForgetSteps();
  }
}

// Emits the samples of `instructions` in a range.
absl::Status EtmSamples::AddRange(const EtmElement& range, int32_t number,
                                  Cpu* cpu) {
  if (!deps_.options.instructions) return absl::OkStatus();
  const uint64_t every = period();
  uint64_t next = every - cpu->instructions;  // counted from 1
  cpu->instructions = (cpu->instructions + range.instructions) % every;
  if (next > range.instructions) return absl::OkStatus();
  const bool with_stack = deps_.options.last_branch && !deps_.options.branches;
  const EventId event =
      EventOf(&instructions_, "instructions", kHardwareInstructions, every);
  for (; next <= range.instructions; next += every) {
    words_.clear();
    if (with_stack) SetBranches(cpu->steps, /*first_is_bound=*/false);
    RETURN_IF_ERROR(
        Emit(event, AddressOf(range, next - 1), 0, every, number, *cpu));
  }
  return absl::OkStatus();
}

absl::Status EtmSamples::AddStep(const EtmStep& step, int32_t number,
                                 Cpu* cpu) {
  const bool stacks =
      deps_.options.last_branch &&
      (!deps_.options.branches || deps_.sink.requirements().branches);
  if (stacks) {
    if (cpu->steps.size() >= kMaxSteps && !deps_.options.branches) {
      cpu->steps.erase(cpu->steps.begin());
    }
    cpu->steps.push_back(step);
    if (step.branch) ++cpu->branches;
    return deps_.options.branches && cpu->steps.size() > kMaxSteps
               ? EmitSteps(number, cpu)
               : absl::OkStatus();
  }
  if (!deps_.options.branches || !step.branch) return absl::OkStatus();
  words_.clear();
  if (deps_.options.last_branch) SetBranches({step}, false);
  return Emit(EventOf(&branches_, "branches", kHardwareBranches, 1),
              step.source, step.target, 1, number, *cpu);
}

// Emits a sample of `branches` for all steps so far. The last one remains, so
// that the code between it and the next is in the next branch stack.
absl::Status EtmSamples::EmitSteps(int32_t number, Cpu* cpu) {
  if (!deps_.options.branches || cpu->steps.empty()) return absl::OkStatus();
  SetBranches(cpu->steps, cpu->first_is_counted);
  const auto latest =
      std::find_if(cpu->steps.rbegin(), cpu->steps.rend(),
                   [](const EtmStep& step) { return step.branch; });
  const EtmStep step = latest == cpu->steps.rend() ? EtmStep() : *latest;
  const uint64_t count = std::exchange(cpu->branches, 0);
  cpu->steps.erase(cpu->steps.begin(), cpu->steps.end() - 1);
  cpu->first_is_counted = true;
  if (count == 0) return absl::OkStatus();
  return Emit(EventOf(&branches_, "branches", kHardwareBranches, 1),
              step.source, step.target, count, number, *cpu);
}

// Sets the branch stack of sample_, the latest first.
void EtmSamples::SetBranches(const std::vector<EtmStep>& steps,
                             bool first_is_bound) {
  words_.clear();
  const auto push = [this](uint64_t source, uint64_t target) {
    constexpr uint64_t kNoFlags = 0;
    words_.insert(words_.end(), {source, target, kNoFlags});
  };
  for (size_t i = steps.size(); i-- > 0;) {
    const EtmStep& step = steps[i];
    if (step.branch && !(i == 0 && first_is_bound)) {
      push(step.source, step.target);
      continue;
    }
    if (step.target != 0) push(kUnknownBranchEnd, step.target);
    if (step.source != 0 && i > 0) push(step.source, kUnknownBranchEnd);
  }
}

absl::Status EtmSamples::Emit(EventId event, uint64_t ip, uint64_t address,
                              uint64_t period, int32_t number, const Cpu& cpu) {
  const ThreadState* const thread = deps_.threads.FindSeen(cpu.tid);
  sample_.ip = ip;
  sample_.addr = address;
  sample_.tid = cpu.tid;
  sample_.pid = thread == nullptr ? -1 : thread->process->pid;
  sample_.cpu = static_cast<uint32_t>(number);
  sample_.time = cpu.time.value_or(0);
  sample_.period = period;
  sample_.branch_nr = words_.size() / 3;
  sample_.branches = WordSpan(reinterpret_cast<const uint8_t*>(words_.data()),
                              words_.size(), kHostOrder);
  RawRecord raw;
  raw.type = kRecordSample;
  raw.order = kHostOrder;
  raw.misc = ip >> 63 != 0 ? kMiscKernel : kMiscUser;
  raw.offset = origin_.offset;
  raw.block = &origin_.block;
  // Formats with a line or a packet for each sample take up to half a
  // microsecond for it, others a tenth.
  constexpr uint64_t kWorkPerSample = 8, kWorkPerKey = 2, kSmall = 8;
  deps_.work.Add(deps_.sink.needs_only_keys() ? kWorkPerKey : kWorkPerSample);
  deps_.counts.CountTowardCheck(kSmall);
  return deps_.samples.ApplyFromTrace(sample_, event, raw, cpu.time,
                                      /*same_record=*/false);
}

EventId EtmSamples::EventOf(EventId* id, const char* name, uint64_t config,
                            uint64_t period) {
  if (*id != kNoId) return *id;
  EventAttr attr;
  attr.type = kTypeHardware;
  attr.config = config;
  attr.sample_period = period;
  attr.sample_type = kSampleIp | kSampleTid | kSampleTime | kSampleAddr |
                     kSampleCpu | kSamplePeriod;
  if (deps_.options.last_branch) {
    attr.sample_type |= kSampleBranchStack;
    attr.branch_sample_type = kBranchAny;
  }
  *id = deps_.attrs.AddTraceEvent(attr, name);
  deps_.events.SyncIfStale();
  return *id;
}

}  // namespace perf2x
