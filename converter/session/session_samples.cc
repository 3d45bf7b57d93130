// The part of Session that turns SAMPLE records into samples of a trace.

#include <cstring>

#include "converter/base/byte_reader.h"
#include "converter/base/status_macros.h"
#include "converter/perf/wire.h"
#include "converter/session/session.h"

namespace perf2x {
namespace {

uint64_t MarkerOf(uint16_t misc) {
  switch (misc & kMiscCpuModeMask) {
    case kMiscKernel:
      return kContextKernel;
    case kMiscHypervisor:
      return kContextHypervisor;
    case kMiscGuestKernel:
      return kContextGuestKernel;
    case kMiscGuestUser:
      return kContextGuestUser;
    default:
      return kContextUser;
  }
}

CpuMode ModeOf(uint16_t misc) {
  switch (misc & kMiscCpuModeMask) {
    case kMiscKernel:
      return CpuMode::kKernel;
    case kMiscUser:
      return CpuMode::kUser;
    case kMiscHypervisor:
      return CpuMode::kHypervisor;
    case kMiscGuestKernel:
      return CpuMode::kGuestKernel;
    case kMiscGuestUser:
      return CpuMode::kGuestUser;
    default:
      return CpuMode::kUnknown;
  }
}

void Append(uint64_t word, std::vector<uint8_t>* chain) {
  const size_t at = chain->size();
  chain->resize(at + 8);
  Store(word, chain->data() + at, kHostOrder);
}

bool HasAddress(const WordSpan& ips) {
  for (size_t i = 0; i < ips.size(); ++i) {
    if (ips[i] < kContextMax) return true;
  }
  return false;
}

}  // namespace

absl::Status Session::On(const SampleRecord& sample, const Context& context) {
  if (seen_version_ != attrs_.version()) SyncEvents();
  const EventId event = attrs_.EventOf(context.raw);
  const RecordedEvent& recorded = attrs_.events()[event];
  const EventAttr& attr = recorded.attr;
  if (recorded.is_offcpu && sample.raw.size() >= 24) {
    return EmitOffCpu(sample, event, context);
  }
  if (attr.sample_type & kSampleRead) {
    absl::Status status;
    read_deltas_.Of(sample, attr, [&](uint64_t id, uint64_t growth) {
      const EventId member = attrs_.EventOfId(id);
      if (member == kNoEvent) {
        Skip(context.raw, "with a group member that is not known");
      } else if (status.ok()) {
        status = Emit(sample, member, growth, context);
      }
    });
    return status;
  }
  const uint64_t period = (attr.sample_type & kSamplePeriod) ? sample.period
                          : attr.freq()                      ? 1
                                        : attr.sample_period;
  return Emit(sample, event, period, context);
}

// perf since 6.16 puts what a BPF program found of a sleep into the raw data of
// a sample that says nothing itself (tools/perf/util/bpf_off_cpu.c): u32 pid,
// tid; u64 period, nr, ips[nr], cgroup.
absl::Status Session::EmitOffCpu(const SampleRecord& sample, EventId event,
                                 const Context& context) {
  ByteReader in(sample.raw, context.raw.order);
  SampleRecord sleep = sample;
  sleep.pid = static_cast<int32_t>(in.U32());
  sleep.tid = static_cast<int32_t>(in.U32());
  const uint64_t period = in.U64();
  sleep.nr = in.U64();
  sleep.ips = in.Words(sleep.nr);
  if (!in.ok()) {
    Skip(context.raw, "with off-CPU data shorter than its callchain");
    return absl::OkStatus();
  }
  sleep.ip = sleep.nr > 1 ? sleep.ips[1] : 0;
  return Emit(sleep, event, period, context);
}

absl::Status Session::Emit(const SampleRecord& record, EventId event,
                           uint64_t period, const Context& context) {
  ThreadState& thread = ThreadOf(record.pid, record.tid);
  ProcessState& process = *thread.process;
  Sample sample;
  sample.event = event;
  ASSIGN_OR_RETURN(sample.thread, Announce(thread, context.time));
  sample.stack = StackOf(record, record.ips, context.raw.misc,
                         (*context.raw.block)->stable(), process);
  sample.mode = ModeOf(context.raw.misc);
  sample.cpu = static_cast<int32_t>(record.cpu);
  sample.period = period;
  sample.ip = record.ip;
  sample.time = context.time;
  ++totals_[event].samples;
  totals_[event].period += period;
  if (process.executable != kNoId) {
    ++samples_by_executable_[process.executable];
  }
  if (!begun_) RETURN_IF_ERROR(Begin());
  return emitter_.OnSample(sample);
}

StackId Session::StackOf(const SampleRecord& sample, const WordSpan& ips,
                         uint16_t misc, bool stable, ProcessState& process) {
  const LayoutId layout = layouts_.Of(process);
  absl::Span<const uint8_t> chain = ips.bytes();
  const bool as_it_is =
      !ips.empty() && ips.order() == kHostOrder && ips[0] >= kContextMax;
  if (!as_it_is || !HasAddress(ips)) {
    // Put together in the form that all stacks have: a marker first, words in
    // the host's order. A sample without a callchain has its ip alone.
    chain_.clear();
    if (!HasAddress(ips)) {
      Append(MarkerOf(misc), &chain_);
      Append(sample.ip, &chain_);
    } else {
      if (ips[0] < kContextMax) Append(MarkerOf(misc), &chain_);
      for (size_t i = 0; i < ips.size(); ++i) Append(ips[i], &chain_);
    }
    chain = chain_;
    stable = false;
  }
  const Hash128 hash = StackTable::HashOf(layout, chain);
  return tables_.stacks.Intern(hash, layout, chain, stable);
}

}  // namespace perf2x
