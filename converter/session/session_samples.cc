// The part of Session that turns SAMPLE records into samples of a trace.

#include "converter/base/byte_reader.h"
#include "converter/base/prefetch.h"
#include "converter/base/status_macros.h"
#include "converter/perf/records/wire.h"
#include "converter/session/cpu_mode.h"
#include "converter/session/session.h"

namespace perf2x {

absl::Status Session::On(const SampleRecord& sample, const Context& context) {
  const EventId event = context.event;
  const RecordedEvent& recorded = attrs_.events()[event];
  const EventAttr& attr = recorded.attr;
  if (recorded.is_offcpu && sample.raw.size() >= 24) {
    return EmitOffCpu(sample, event, context);
  }
  if (attr.sample_type & kSampleRead) {
    absl::Status status;
    bool grew = false;
    counting_times_.Note({sample.id, attr.inherit() ? sample.tid : -1}, event,
                         sample.read.time_enabled, sample.read.time_running);
    if (requirements_.counters) {
      status =
          EmitReadings(sample.read, sample.id, ThreadOf(sample.pid, sample.tid),
                       static_cast<int32_t>(sample.cpu), context);
    }
    // All of a group have the same stack.
    in_group_ = true;
    group_stack_.reset();
    bool spent = false;
    const auto emit = [&](uint64_t id, uint64_t growth) {
      grew = true;
      // A group may have thousands of members.
      spent = spent || budget_.exhausted();
      if (spent) return;
      const EventId member = attrs_.EventOfId(id);
      if (member == kNoEvent) {
        Skip(context.raw, "with a group member that is not known");
      } else if (status.ok()) {
        status = Emit(sample, member, growth, context);
      }
    };
    const bool backwards = read_deltas_.Of(sample, attr, emit) > 0;
    in_group_ = false;
    if (spent) {
      SkipForBudget(kRecordSample, context.raw.offset,
                    8 + context.raw.body.size());
    }
    if (backwards) {
      Skip(context.raw, "with a counter that runs backwards");
    } else if (!grew) {
      diagnostics_.Add(Diagnostics::Severity::kNote,
                       "SAMPLE record in which no counter grew",
                       context.raw.offset, 8 + context.raw.body.size());
    }
    return status;
  }
  const uint64_t period = (attr.sample_type & kSamplePeriod)
                              ? sample.period
                              : recorded.default_period();
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
  SampleKey head;
  head.event = event;
  head.pid = record.pid;
  head.tid = record.tid;
  head.cpu = record.cpu;
  head.ip = record.ip;
  head.period = period;
  ThreadState& thread = ThreadOf(head.pid, head.tid);
  ProcessState& process = *thread.process;
  Pending* pending = nullptr;
  RETURN_IF_ERROR(
      Queue(head, context.raw.misc, context.time, thread, &pending));
  if (pending == nullptr) return absl::OkStatus();
  if (pending_record_ != nullptr) {
    RETURN_IF_ERROR(
        ReportRecord(*std::exchange(pending_record_, nullptr), context.time));
  }
  if (in_group_ && group_stack_.has_value()) {
    // Is in the table by the time that this one is looked for.
    pending->chain = {};
    pending->hash = group_stack_->hash;
    pending->layout = group_stack_->layout;
  } else {
    SetStack(record, context, process, pending);
    if (in_group_) group_stack_ = {pending->hash, pending->layout};
  }
  if (requirements_.branches) SetBranches(record, process, pending);
  if (!requirements_.fields) {
    return requirements_.branches ? FlushPending() : absl::OkStatus();
  }
  if (in_group_) Work(record.read.members.size() + record.branches.size());
  // The fields do not outlive this call, so that the sample cannot wait.
  Sample& sample = pending->sample;
  const EventAttr& attr = attrs_.events()[context.event].attr;
  sample.fields = fields_.Of(record, attr);
  const TracepointFormat* format = nullptr;
  if (attr.type == kTypeTracepoint && formats_ && !record.raw.empty()) {
    format = formats_->Find(attr.config);
    if (format != nullptr) {
      sample.tracepoint = fields_.OfTracepoint(*format, record.raw);
      // Fields may share their bytes, and each becomes a line of text.
      constexpr uint64_t kOfField = 4;
      Work(kOfField * sample.tracepoint.size());
    }
  }
  RETURN_IF_ERROR(FlushPending());
  if (format == nullptr) return absl::OkStatus();
  return EmitSched(*format, record, sample, context);
}

absl::Status Session::ApplyKeys(const OrderedRecords& samples,
                                ByteOrder order) {
  if (seen_version_ != attrs_.version()) SyncEvents();
  if (budget_.exhausted()) {
    for (const TimedRecord* sample : samples.records) {
      SkipForBudget(kRecordSample, sample->offset, 8 + sample->size);
    }
    return absl::OkStatus();
  }
  // What may change between two samples needs them one by one.
  const bool in_turn =
      defers_ || !deferred_stacks_.idle() || jit_code_.pending();
  Count& count = counts_[kRecordSample];
  for (size_t i = 0; i < samples.records.size(); ++i) {
    const TimedRecord& sample = *samples.records[i];
    const BlockRef& block = samples.BlockOf(sample);
    PrefetchFor(samples.records.subspan(i));
    if (in_turn || attrs_.events()[sample.head.event].is_offcpu) {
      RawRecord record;
      record.order = order;
      sample.Get(&record);
      record.block = &block;
      RETURN_IF_ERROR(Apply(record, sample.time));
      continue;
    }
    ++count.records;
    count.bytes += 8 + sample.size;
    NoteTime(sample.time);
    RETURN_IF_ERROR(EmitHead(sample, block));
  }
  return absl::OkStatus();
}

// Starts to fetch what the samples behind the first of these will need. They
// come from another processor's cache, their threads from wherever.
void Session::PrefetchFor(absl::Span<const TimedRecord* const> samples) const {
  constexpr size_t kFar = 24, kThread = 6, kProcess = 3;
  const auto thread_of = [&](size_t i) {
    const auto tid = static_cast<uint32_t>(samples[i]->head.tid);
    return recent_threads_[tid % recent_threads_.size()];
  };
  if (samples.size() <= kFar) return;
  PrefetchAll(samples[kFar], sizeof(TimedRecord));
  if (const ThreadState* thread = thread_of(kThread)) Prefetch(thread);
  if (const ThreadState* thread = thread_of(kProcess)) {
    PrefetchAll(thread->process, sizeof(ProcessState));
  }
}

// A sample of which no one wants more than its head and its stack.
absl::Status Session::EmitHead(const TimedRecord& sample,
                               const BlockRef& block) {
  ThreadState& thread = ThreadOf(sample.head.pid, sample.head.tid);
  Pending* pending = nullptr;
  RETURN_IF_ERROR(
      Queue(sample.head, sample.misc, sample.time, thread, &pending));
  if (pending == nullptr) return absl::OkStatus();
  pending->layout = address_spaces_.Of(*thread.process);
  if (sample.callchain_words != 0) {
    SetPlainStack(sample.head.callchain_hash, sample.chain(), block, pending);
  } else {
    SetAddress(sample.misc, sample.head.ip, pending);
  }
  return absl::OkStatus();
}

// Puts a sample into the queue of those that wait to be handed on, all but its
// stack. Leaves `*to` alone if it is not wanted.
absl::Status Session::Queue(const SampleKey& head, uint16_t misc,
                            std::optional<uint64_t> time, ThreadState& thread,
                            Pending** to) {
  ProcessState& process = *thread.process;
  if (!Threads::HasId(thread)) {
    RETURN_IF_ERROR(Announce(thread, time).status());
  }
  if (!begun_) RETURN_IF_ERROR(Begin());
  if (selector_ != nullptr && !Selects(head, misc, time, thread.id, process)) {
    return absl::OkStatus();
  }
  if (pending_count_ == pending_.size()) {
    RETURN_IF_ERROR(FlushOldest(pending_[pending_first_]));
    pending_first_ = (pending_first_ + 1) % pending_.size();
    --pending_count_;
  }
  Pending& pending =
      pending_[(pending_first_ + pending_count_++) % pending_.size()];
  Sample& sample = pending.sample;
  if (!needs_only_keys_) {
    // Copied, because what was just stored in small pieces cannot be loaded in
    // large ones at once.
    static const Sample kNothing;
    sample = kNothing;
  }
  sample.event = head.event;
  sample.thread = thread.id;
  sample.mode = CpuModeOf(misc);
  sample.cpu = static_cast<int32_t>(head.cpu);
  sample.period = head.period;
  sample.ip = head.ip;
  sample.time = time;
  ++totals_[head.event].samples;
  totals_[head.event].period += head.period;
  if (process.executable != kNoId) ++process.samples;
  if (sample.mode == CpuMode::kUser && !process.replaced_map.empty() &&
      !keeps_replaced_maps_) {
    process.replaced_map = AddressMap();
  }
  *to = &pending;
  return absl::OkStatus();
}

bool Session::Selects(const SampleKey& head, uint16_t misc,
                      std::optional<uint64_t> time, ThreadId thread,
                      ProcessState& process) {
  SampleSelector::Candidate candidate;
  candidate.event = head.event;
  candidate.thread = thread;
  candidate.cpu = static_cast<int32_t>(head.cpu);
  candidate.time = time;
  if (selector_->needs_place()) {
    candidate.file = address_spaces_.Locate(address_spaces_.Of(process),
                                            ContextMarkerOf(misc), head.ip,
                                            &candidate.address);
  }
  return selector_->Selects(candidate);
}

// What the scheduler's tracepoints say beside being samples.
absl::Status Session::EmitSched(const TracepointFormat& format,
                                const SampleRecord& record,
                                const Sample& sample, const Context& context) {
  const EventAttr& attr = attrs_.events()[context.event].attr;
  // How many of them the sample stands for is not known.
  if (attr.freq() && (attr.sample_type & kSamplePeriod) == 0) {
    return absl::OkStatus();
  }
  const std::optional<SchedEvent> event = sched_.Decode(format, record.raw);
  if (!event.has_value()) return absl::OkStatus();
  // The tracepoints know threads by their numbers alone; one that nothing else
  // told of is none of those that were recorded.
  const auto known = [&](int32_t tid) -> absl::StatusOr<ThreadId> {
    ThreadState* thread = threads_.Known(tid);
    if (thread == nullptr) return kNoId;
    return Announce(*thread, context.time);
  };
  const auto cpu = static_cast<int32_t>(record.cpu);
  if (event->kind == SchedEvent::Kind::kWakeup) {
    Wakeup wakeup;
    wakeup.time = context.time;
    wakeup.waker = sample.thread;
    wakeup.cpu = cpu;
    wakeup.target_cpu = event->target_cpu;
    ASSIGN_OR_RETURN(wakeup.woken, known(event->tid));
    return wakeup.woken == kNoId ? absl::OkStatus() : emitter_.OnWakeup(wakeup);
  }
  Switch out;
  out.time = context.time;
  out.cpu = cpu;
  out.out = true;
  out.state = event->state;
  out.preempted = out.state.back() == '+';
  out.after_gap = sample.period > 1;
  ASSIGN_OR_RETURN(out.thread, known(event->tid));
  if (out.thread == sample.thread) out.stack = sample.stack;
  ASSIGN_OR_RETURN(out.other, known(event->next_tid));
  if (out.thread != kNoId) RETURN_IF_ERROR(emitter_.OnSwitch(out));
  if (out.other == kNoId) return absl::OkStatus();
  Switch in;
  in.time = context.time;
  in.cpu = cpu;
  in.thread = out.other;
  in.other = out.thread;
  return emitter_.OnSwitch(in);
}

// A callchain that is kept as it lies in its block.
void Session::SetPlainStack(const Hash128& hash,
                            absl::Span<const uint8_t> chain,
                            const BlockRef& block, Pending* pending) {
  pending->chain = chain;
  pending->stable = block->stable();
  if (!CutsStacks()) return SetHash(hash, pending);
  pending->chain = Innermost(chain);
  SetHash(HashBytes(pending->chain), pending);
}

// The stack of a sample of which no more is known than where it was taken.
void Session::SetAddress(uint16_t misc, uint64_t ip, Pending* pending) {
  pending->copy.resize(2 * 8);
  Store(ContextMarkerOf(misc), pending->copy.data(), kHostOrder);
  Store(ip, pending->copy.data() + 8, kHostOrder);
  pending->chain = pending->copy;
  pending->stable = false;
  SetHash(HashBytes(pending->chain), pending);
}

// Names the stack by the hash of its chain.
void Session::SetHash(const Hash128& of_chain, Pending* pending) {
  const Hash128 hash = StackTable::HashOf(pending->layout, of_chain);
  tables_.stacks.Prefetch(hash);
  // By halves: what was just put together from them cannot be copied at once.
  pending->hash.low = hash.low;
  pending->hash.high = hash.high;
}

// The innermost part of a chain that has as many addresses as are wanted. What
// comes ahead of the first address stays.
absl::Span<const uint8_t> Session::Innermost(
    absl::Span<const uint8_t> chain) const {
  uint32_t addresses = 0;
  for (size_t at = 0; at + 8 <= chain.size(); at += 8) {
    if (Load<uint64_t>(&chain[at], kHostOrder) >= kContextMax) continue;
    if (++addresses == selector_->max_stack()) return chain.subspan(0, at + 8);
  }
  return chain;
}

absl::Status Session::FlushOldest(Pending& pending) {
  pending.sample.layout = pending.layout;
  pending.sample.stack = tables_.stacks.Intern(pending.hash, pending.layout,
                                               pending.chain, pending.stable);
  facts_.stacks.Add(pending.sample.stack);
  return emitter_.OnSample(pending.sample);
}

absl::Status Session::FlushPending() {
  while (pending_count_ > 0) {
    RETURN_IF_ERROR(FlushOldest(pending_[pending_first_]));
    pending_first_ = (pending_first_ + 1) % pending_.size();
    --pending_count_;
  }
  return absl::OkStatus();
}

}  // namespace perf2x
