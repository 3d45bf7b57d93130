#include "converter/session/session.h"

#include <algorithm>
#include <type_traits>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "converter/base/status_macros.h"
#include "converter/perf/records/all_records.h"
#include "converter/perf/records/decode.h"
#include "converter/perf/records/wire.h"

namespace perf2x {

using Severity = Diagnostics::Severity;

Session::Session(std::string input, AttrTable& attrs, TraceTables& tables,
                 Emitter& emitter, Diagnostics& diagnostics,
                 HostEnvironment& environment, Budget& budget)
    : input_(std::move(input)),
      attrs_(attrs),
      tables_(tables),
      emitter_(emitter),
      diagnostics_(diagnostics),
      environment_(environment),
      budget_(budget),
      memory_(budget),
      files_(tables),
      threads_(tables),
      address_spaces_(tables, files_),
      jit_code_(files_, address_spaces_, threads_),
      requirements_(emitter.needs()),
      needs_only_keys_(!requirements_.fields && !requirements_.records &&
                       !requirements_.branches) {}

void Session::Skip(const RawRecord& record, absl::string_view why) {
  diagnostics_.Add(Severity::kSkipped,
                   absl::StrCat(RecordName(record.type), " record ", why),
                   record.offset, 8 + record.body.size());
}

void Session::SkipUnknown(const RawRecord& record) {
  // Damaged recordings may have any number of types.
  constexpr size_t kEnough = 16;
  diagnostics_.Add(Severity::kSkipped,
                   more_counts_.size() > kEnough
                       ? "record of unknown type"
                       : absl::StrCat("record of unknown type ", record.type),
                   record.offset, 8 + record.body.size());
}

template <class R>
absl::Status Session::DecodeAndApply(const RawRecord& record,
                                     std::optional<uint64_t> time) {
  R local;
  R* decoded = &local;
  const size_t trailer = attrs_.TrailerSize(record);
  const auto body = record.body.subspan(0, record.body.size() - trailer);
  if (!Decode(body, record.order, record.misc, attrs_.AttrOf(record),
              decoded)) {
    Skip(record, "shorter than its fields");
    return absl::OkStatus();
  }
  return On(*decoded, Context{record, time, attrs_.TrailerOf(record)});
}

absl::Status Session::Apply(const RawRecord& record,
                            std::optional<uint64_t> time) {
  if (seen_version_ != attrs_.version()) SyncEvents();
  const bool may_wait = defers_ && record.type == kRecordSample;
  if (!may_wait && deferred_stacks_.idle()) return ApplyNow(record, time, {});
  return ApplyInTurn(record, time);
}

absl::Status Session::ApplyNow(const RawRecord& record,
                               std::optional<uint64_t> time,
                               absl::Span<const uint64_t> deferred) {
  deferred_ = deferred;
  CountRecord(record);
  if (budget_.exhausted()) {
    SkipForBudget(record.type, record.offset, 8 + record.body.size());
    return absl::OkStatus();
  }
  if (requirements_.records) {
    RETURN_IF_ERROR(FlushPending());
    pending_record_ = selector_ != nullptr && record.type == kRecordSample
                          ? &record
                          : nullptr;
    if (pending_record_ == nullptr) RETURN_IF_ERROR(ReportRecord(record, time));
  }
  NoteTime(time);
  if (jit_code_.pending() && time) {
    RETURN_IF_ERROR(FlushPending());
    jit_code_.Advance(*time);
  }
  if (record.type == kRecordSample) {
    const uint32_t event = attrs_.EventOf(record);
    if (event == kNoEvent) {
      Skip(record, "of an event that is not known");
      return absl::OkStatus();
    }
    // The fields of the last sample are overwritten, all of them where samples
    // of an event all have the same.
    constexpr uint64_t kAtTimes =
        kSampleRead | kSampleRegsUser | kSampleStackUser | kSampleRegsIntr;
    const EventAttr& attr = attrs_.events()[event].attr;
    if (event != sample_event_ || (attr.sample_type & kAtTimes) != 0) {
      sample_ = SampleRecord();
      sample_event_ = event;
    }
    if (!Decode(record.body, record.order, record.misc, attr, &sample_)) {
      Skip(record, "shorter than its fields");
      return absl::OkStatus();
    }
    return On(sample_, Context{record, time, SampleId(), event});
  }
  // What is no sample may change what the samples before it mean.
  RETURN_IF_ERROR(FlushPending());
  if (record.type >= kRecordUserFirst) return ApplyHeader(record);
  absl::Status status;
  const bool known = AllRecords::Visit(record.type, [&](auto r) {
    using R = decltype(r);
    if constexpr (!std::is_same_v<R, SampleRecord>) {
      status = DecodeAndApply<R>(record, time);
    }
  });
  if (!known) SkipUnknown(record);
  return status;
}

// Formats of tracepoints: a header feature of files, a record of streams.
void Session::ObserveTracingData(const RawRecord& record) {
  absl::Span<const uint8_t> blob;
  if (record.type == kRecordHeaderTracingData) {
    blob = record.payload;
  } else if (record.type == kRecordHeaderFeature && record.body.size() >= 8 &&
             Load<uint64_t>(record.body.data(), record.order) ==
                 kFeatureTracingData) {
    blob = record.body.subspan(8);
  } else {
    return;
  }
  // A recording has them once; more are not worth their time.
  constexpr int kMaxTries = 4;
  if (formats_ || ++formats_tried_ > kMaxTries) return;
  auto formats = TracepointFormats::Parse(blob, diagnostics_);
  if (!formats.ok()) {
    diagnostics_.Add(Severity::kDamage, formats.status().message(),
                     record.offset, blob.size());
    return;
  }
  formats_ = *std::move(formats);
  // The names of all tracepoints may be others now.
  budget_.Spend(Budget::kWork, tables_.events.size());
  for (uint32_t i = 0; i < tables_.events.size(); ++i) SyncEvent(i);
}

absl::Status Session::ApplyHeader(const RawRecord& record) {
  ObserveTracingData(record);
  if (!features_.Observe(record)) {
    diagnostics_.Add(Severity::kDamage, "header feature is cut short",
                     record.offset);
  }
  const bool whole = ForEachBuildId(record, [&](const BuildIdEntry& entry) {
    const uint16_t mode = entry.misc & kMiscCpuModeMask;
    // A virtual machine's files may have the names of the host's.
    if (mode == kMiscGuestKernel || mode == kMiscGuestUser) return;
    files_.SetBuildId(entry.filename, entry.build_id);
  });
  if (!whole) {
    diagnostics_.Add(Severity::kDamage, "build ids are cut short",
                     record.offset);
  }
  TimeConvRecord conversion;
  if (record.type == kRecordTimeConv &&
      Decode(record.body, record.order, record.misc, EventAttr(),
             &conversion)) {
    jit_code_.SetTimeConversion(conversion);
  }
  if (RecordName(record.type).empty()) SkipUnknown(record);
  return ObserveStat(record);
}

absl::Status Session::Begin() {
  begun_ = true;
  SyncEvents();
  tables_.set_symbolizer(environment_.MakeSymbolizer(features_));
  address_spaces_.set_interrupt_entries([this](const Dso& kernel) {
    return environment_.InterruptEntries(kernel);
  });
  if (selector_ != nullptr && selector_->needs_symbols()) {
    selector_->set_symbolizer(environment_.MakeSymbolTable(features_));
  }
  fields_.set_arch(features_.machine());
  user_stacks_.emplace(tables_, features_.machine(),
                       environment_.MakeUnwindInfoSource(features_));
  TraceInfo info;
  info.input = input_;
  info.hostname = features_.hostname;
  info.os_release = features_.os_release;
  info.arch = features_.machine();
  info.perf_version = features_.perf_version;
  info.cpu_description = features_.cpu_description;
  info.command_line = features_.command_line;
  info.clock = "perf";
  if (!attrs_.events().empty() && attrs_.events().front().attr.use_clockid()) {
    const int32_t clock = attrs_.events().front().attr.clockid;
    switch (clock) {
      case 0:
        info.clock = "CLOCK_REALTIME";
        info.wall_clock_offset = 0;
        break;
      case 1:
        info.clock = "CLOCK_MONOTONIC";
        break;
      case 4:
        info.clock = "CLOCK_MONOTONIC_RAW";
        break;
      case 7:
        info.clock = "CLOCK_BOOTTIME";
        break;
      case 11:
        info.clock = "CLOCK_TAI";
        break;
      default:
        info.clock = absl::StrCat("clock ", clock);
        break;
    }
    if (clock != 0 && features_.clock_data &&
        static_cast<int32_t>(features_.clock_data->clockid) == clock) {
      info.wall_clock_offset = static_cast<int64_t>(
          features_.clock_data->wall_ns - features_.clock_data->clock_ns);
    }
  }
  RETURN_IF_ERROR(emitter_.Begin(info));
  for (EarlyRecord& early : std::exchange(early_records_, {})) {
    early.record.block = &early.block;
    RETURN_IF_ERROR(ReportRecord(early.record, early.time));
  }
  return absl::OkStatus();
}

// Brings tables_.events up to what is known of the recording's events. Emitters
// see the same list, which only grows; see Emitter::Begin.
void Session::SyncEvents() {
  seen_version_ = attrs_.version();
  tables_.events.resize(attrs_.events().size());
  totals_.resize(attrs_.events().size());
  for (const uint32_t event : attrs_.TakeChanged()) SyncEvent(event);
}

void Session::SyncEvent(uint32_t event) {
  const RecordedEvent& from = attrs_.events()[event];
  defers_ |= from.attr.defer_callchain();
  keeps_replaced_maps_ |= from.is_offcpu;
  Event& to = tables_.events[event];
  // One name in each of three tables.
  event_bytes_ += 3 * (from.name.size() - to.name.size());
  to.name = from.name;
  to.unit = from.is_time ? "nanoseconds" : "count";
  to.period = from.attr.sample_period;
  to.period_is_frequency = from.attr.freq();
  to.tracepoint = from.attr.type == kTypeTracepoint;
  to.counter_unit = from.unit;
  if (to.tracepoint && !from.named_by_writer && formats_) {
    if (const auto* format = formats_->Find(from.attr.config)) {
      to.name = absl::StrCat(format->system(), ":", format->name());
    }
  }
  if (selector_ != nullptr) to.named = selector_->PlaceOfEvent(to.name);
}

// The thread's id, of which the emitter has been told.
absl::StatusOr<ThreadId> Session::Announce(ThreadState& thread,
                                           std::optional<uint64_t> time) {
  bool is_new = false;
  const ThreadId id = threads_.IdOf(thread, &is_new);
  if (is_new) {
    if (!begun_) RETURN_IF_ERROR(Begin());
    RETURN_IF_ERROR(emitter_.OnThread(id, time));
  }
  return id;
}

absl::Status Session::On(const CommRecord& comm, const Context& context) {
  const bool exec = (context.raw.misc & kMiscCommExec) != 0;
  const absl::string_view name =
      CutName(comm.comm, kMaxThreadNameSize, context.raw.offset, &diagnostics_);
  threads_.Rename(comm.pid, comm.tid, name, exec);
  ASSIGN_OR_RETURN(const ThreadId thread,
                   Announce(ThreadOf(comm.pid, comm.tid), context.time));
  if (exec && context.time && !facts_.exec_time) {
    facts_.exec_time = context.time;
    started_pid_ = comm.pid;
  }
  return exec ? emitter_.OnExec({context.time, thread}) : absl::OkStatus();
}

absl::Status Session::On(const ForkRecord& fork, const Context& context) {
  // What perf makes up for tasks that ran before has their maps follow.
  const bool made_up = (context.raw.misc & kMiscForkExec) != 0;
  if (threads_.Fork(fork.pid, fork.tid, fork.ppid, fork.ptid, !made_up)) {
    address_spaces_.arena().Freeze();
  }
  environment_.OnFork(fork.pid, fork.tid, fork.ppid);
  Fork event;
  event.time = context.time;
  ASSIGN_OR_RETURN(event.parent,
                   Announce(ThreadOf(fork.ppid, fork.ptid), context.time));
  ASSIGN_OR_RETURN(event.child,
                   Announce(ThreadOf(fork.pid, fork.tid), context.time));
  return emitter_.OnFork(event);
}

absl::Status Session::On(const ExitRecord& exit, const Context& context) {
  // The thread stays: its last samples come after its exit.
  Exit event;
  event.time = context.time;
  if (exit.tid == started_pid_) facts_.exit_time = context.time;
  ASSIGN_OR_RETURN(event.thread,
                   Announce(ThreadOf(exit.pid, exit.tid), context.time));
  return emitter_.OnExit(event);
}

absl::Status Session::On(const SwitchRecord&, const Context& context) {
  return EmitSwitch(context, -1, -1, /*knows_other=*/false);
}
absl::Status Session::On(const SwitchCpuWideRecord& r, const Context& context) {
  return EmitSwitch(context, r.next_prev_pid, r.next_prev_tid,
                    /*knows_other=*/true);
}
absl::Status Session::EmitSwitch(const Context& context, int32_t other_pid,
                                 int32_t other_tid, bool knows_other) {
  Switch event;
  event.time = context.time;
  event.cpu = static_cast<int32_t>(context.id.cpu);
  event.out = (context.raw.misc & kMiscSwitchOut) != 0;
  event.preempted =
      event.out && (context.raw.misc & kMiscSwitchOutPreempt) != 0;
  ASSIGN_OR_RETURN(
      event.thread,
      Announce(ThreadOf(context.id.pid, context.id.tid), context.time));
  if (knows_other) {
    ASSIGN_OR_RETURN(event.other,
                     Announce(ThreadOf(other_pid, other_tid), context.time));
  }
  return emitter_.OnSwitch(event);
}

absl::Status Session::On(const CgroupRecord& cgroup, const Context& context) {
  fields_.AddCgroup(cgroup.id, PathIn(cgroup.path, context));
  return absl::OkStatus();
}

absl::Status Session::EndRecords() {
  RETURN_IF_ERROR(ReleaseDeferred(/*all=*/true));
  return FlushPending();
}

absl::Status Session::Finish(const ByteAccount& bytes) {
  if (!begun_) RETURN_IF_ERROR(Begin());
  SyncEvents();
  if (selector_ != nullptr) RETURN_IF_ERROR(selector_->Check());
  SummarizeRecords(bytes);
  summary_.main_file = threads_.MainProgram();
  if (summary_.lost_records > 0) {
    summary_.losses.push_back(absl::StrCat(
        summary_.lost_records, " records lost by the kernel (LOST)"));
  }
  if (summary_.lost_samples > 0) {
    summary_.losses.push_back(absl::StrCat(
        summary_.lost_samples, " samples lost by the kernel (LOST_SAMPLES)"));
  }
  if (dropped_samples_ > 0) {
    summary_.losses.push_back(absl::StrCat(
        dropped_samples_, " samples dropped by a filter while recording"));
  }
  NoteSkipped("record", skipped_.resource, skipped_.records, &diagnostics_,
              skipped_.first_offset, skipped_.bytes);
  user_stacks_->Report(&diagnostics_);
  GatherFacts();
  user_stacks_.reset();  // its tables, before the emitter makes larger ones
  if (deferred_stacks_.unresolved() > 0) {
    diagnostics_.Add(Severity::kNote, "deferred user callchain never came", 0,
                     0, deferred_stacks_.unresolved());
  }
  for (const auto& [what, entry] : diagnostics_.entries()) {
    if (entry.severity == Severity::kNote) continue;
    summary_.losses.push_back(absl::StrCat(
        entry.count, " x ", what, ", first at offset ", entry.first_offset));
  }
  return emitter_.Finish(summary_);
}

}  // namespace perf2x
