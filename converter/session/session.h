#ifndef PERF2X_SESSION_SESSION_H_
#define PERF2X_SESSION_SESSION_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "converter/base/budget.h"
#include "converter/base/cut_name.h"
#include "converter/base/diagnostics.h"
#include "converter/model/emitter.h"
#include "converter/model/sample_selector.h"
#include "converter/model/trace_tables.h"
#include "converter/perf/header/attr_table.h"
#include "converter/perf/header/features.h"
#include "converter/perf/records/kernel_records.h"
#include "converter/perf/records/raw_record.h"
#include "converter/perf/records/sample.h"
#include "converter/perf/records/stat_records.h"
#include "converter/perf/records/user_records.h"
#include "converter/perf/stream/ordered_reader.h"
#include "converter/perf/stream/record_reader.h"
#include "converter/session/address_spaces.h"
#include "converter/session/counter_readings.h"
#include "converter/session/counting_times.h"
#include "converter/session/deferred_stacks.h"
#include "converter/session/dso_table.h"
#include "converter/session/host_environment.h"
#include "converter/session/jit_code.h"
#include "converter/session/lbr_stacks.h"
#include "converter/session/read_deltas.h"
#include "converter/session/recording_facts.h"
#include "converter/session/sample_fields.h"
#include "converter/session/sched_events.h"
#include "converter/session/threads.h"
#include "converter/session/user_stacks.h"
#include "converter/tracepoint/formats.h"

namespace perf2x {

// Samples of one event that reached the emitter.
struct EventTotals {
  uint64_t samples = 0;
  uint64_t period = 0;
};

// Applies records, in time order, to threads and address spaces, and tells an
// emitter what happened. Gets them as OrderedReader::Sink does.
class Session {
 public:
  // All must outlive the session. `input` is the recording's name. Records that
  // come when `budget` is exhausted are counted and left out.
  Session(std::string input, AttrTable& attrs, TraceTables& tables,
          Emitter& emitter, Diagnostics& diagnostics,
          HostEnvironment& environment, Budget& budget);

  // What to leave out; must outlive the session. To be called before the first
  // record.
  void set_selector(SampleSelector* selector) { selector_ = selector; }

  // An error comes from the emitter; records that cannot be decoded are counted
  // and left out.
  absl::Status Apply(const RawRecord& record, std::optional<uint64_t> time);
  bool needs_only_keys() const { return needs_only_keys_; }
  absl::Status ApplyKeys(const OrderedRecords& samples, ByteOrder order);
  absl::Status Flush() {
    AccountForMemory();
    return FlushPending();
  }
  // Records that were not applied, because no one wants them, are counted all
  // the same.
  void CountSkipped(const OrderedReader::SkippedParts& skipped);
  // No record comes any more: applies those that were held back.
  absl::Status EndRecords();
  // Ends the trace, after EndRecords. `bytes` is the reader's account.
  absl::Status Finish(const ByteAccount& bytes);

  // By event.
  const std::vector<EventTotals>& totals() const { return totals_; }
  const HeaderFeatures& features() const { return features_; }
  const TraceSummary& summary() const { return summary_; }
  // That `perf record --filter` was told to drop: they are not lost.
  uint64_t dropped_samples() const { return dropped_samples_; }
  // Complete once Finish was called.
  RecordingFacts& facts() { return facts_; }

 private:
  // What On() gets beside the record itself.
  struct Context {
    const RawRecord& raw;
    std::optional<uint64_t> time;
    SampleId id;
    uint32_t event = kNoEvent;  // of a sample
  };
  absl::Status On(const SampleRecord& sample, const Context& context);
  absl::Status On(const MmapRecord& mmap, const Context& context);
  absl::Status On(const Mmap2Record& mmap, const Context& context);
  absl::Status On(const CommRecord& comm, const Context& context);
  absl::Status On(const ForkRecord& fork, const Context& context);
  absl::Status On(const ExitRecord& exit, const Context& context);
  absl::Status On(const LostRecord& lost, const Context& context);
  absl::Status On(const LostSamplesRecord& lost, const Context& context);
  absl::Status On(const ThrottleRecord& throttle, const Context& context);
  absl::Status On(const UnthrottleRecord& throttle, const Context& context);
  absl::Status On(const KsymbolRecord& ksymbol, const Context& context);
  absl::Status On(const SwitchRecord& record, const Context& context);
  absl::Status On(const SwitchCpuWideRecord& record, const Context& context);
  absl::Status On(const ReadRecord& read, const Context& context);
  absl::Status On(const AuxRecord& aux, const Context& context);
  absl::Status On(const CgroupRecord& cgroup, const Context& context);
  absl::Status On(const NamespacesRecord& namespaces, const Context& context);
  // Records that have no bearing on a trace.
  template <class R>
  absl::Status On(const R&, const Context&) {
    return absl::OkStatus();
  }

  absl::Status ApplyInTurn(const RawRecord& record,
                           std::optional<uint64_t> time);
  absl::Status ApplyNow(const RawRecord& record, std::optional<uint64_t> time,
                        absl::Span<const uint64_t> deferred);
  absl::Status ReleaseDeferred(bool all);
  template <class R>
  absl::Status DecodeAndApply(const RawRecord& record,
                              std::optional<uint64_t> time);
  absl::Status ApplyHeader(const RawRecord& record);
  void ObserveTracingData(const RawRecord& record);
  absl::Status Begin();
  void CountRecord(const RawRecord& record);
  void NoteTime(std::optional<uint64_t> time) {
    // perf gives sleeps that it sums up itself, at the end, times from here on
    // (tools/perf/util/bpf_off_cpu.c).
    constexpr uint64_t kNoRealTime = 0xffffffff00000000;
    if (!time || *time >= kNoRealTime) return;
    std::optional<uint64_t>& first = summary_.first_time;
    std::optional<uint64_t>& last = summary_.last_time;
    if (!first || *time < *first) first = time;
    if (!last || *time > *last) last = time;
  }
  void GatherFacts();
  void SummarizeRecords(const ByteAccount& bytes);
  // Notes a record that is left out because the budget is exhausted.
  void SkipForBudget(uint32_t type, uint64_t offset, uint64_t bytes);
  void AccountForMemory();
  // Spends on what is not in proportion to the bytes of the record at hand.
  void Work(uint64_t amount) {
    work_ += amount;
    if (work_ >= kWorkAtOnce) SpendWork();
  }
  void SpendWork() { budget_.Spend(Budget::kWork, std::exchange(work_, 0)); }
  absl::Status ReportRecord(const RawRecord& record,
                            std::optional<uint64_t> time);
  void SyncEvents();
  void SyncEvent(uint32_t event);
  void Skip(const RawRecord& record, absl::string_view why);
  void SkipUnknown(const RawRecord& record);

  absl::Status Emit(const SampleRecord& sample, EventId event, uint64_t period,
                    const Context& context);
  void PrefetchFor(absl::Span<const TimedRecord* const> samples) const;
  absl::Status EmitHead(const TimedRecord& sample, const BlockRef& block);
  absl::Status EmitOffCpu(const SampleRecord& sample, EventId event,
                          const Context& context);
  // `sample` is what `record` became.
  absl::Status EmitSched(const TracepointFormat& format,
                         const SampleRecord& record, const Sample& sample,
                         const Context& context);
  // `reader_tid`: whose counter it is, -1 where it is not one a thread.
  absl::Status EmitCounter(uint64_t id, int32_t reader_tid,
                           const CounterReading& reading, Counter* counter);
  absl::Status EmitReadings(const ReadValues& read, uint64_t own_id,
                            ThreadState& thread, int32_t cpu,
                            const Context& context);
  absl::Status ObserveStat(const RawRecord& record);
  void ObserveThreadMap(const ThreadMapRecord& map);
  absl::Status EmitStatRound(uint64_t time);
  absl::StatusOr<ThreadId> ThreadWithoutCpu(const Context& context);
  absl::Status EmitLost(Lost lost, const Context& context);
  absl::Status EmitThrottle(const ThrottleFields& record, bool begin,
                            const Context& context);
  absl::Status EmitSwitch(const Context& context, int32_t other_pid,
                          int32_t other_tid, bool knows_other);
  // Samples are handed on a few records late: meanwhile the memory arrives that
  // finding their stack touches.
  struct Pending {
    Sample sample;
    Hash128 hash;
    AddressSpaceId layout = 0;
    absl::Span<const uint8_t> chain;
    bool stable = false;
    std::vector<uint8_t> copy;  // of the chain, where it is put together
  };
  void SetStack(const SampleRecord& sample, const Context& context,
                ProcessState& process, Pending* pending);
  void SetUserStack(const SampleRecord& sample, const Context& context,
                    ProcessState& process, Pending* pending);
  bool InsertLeafCaller(const SampleRecord& sample, const Context& context,
                        const ProcessState& process);
  void SetWords(Pending* pending);
  void SetPlainStack(const Hash128& hash, absl::Span<const uint8_t> chain,
                     const BlockRef& block, Pending* pending);
  void SetAddress(uint16_t misc, uint64_t ip, Pending* pending);
  void SetHash(const Hash128& of_chain, Pending* pending);
  void SetBranches(const SampleRecord& sample, const ProcessState& process,
                   Pending* pending);
  // The stack of a sample, for the others of its group.
  struct GroupStack {
    Hash128 hash;
    AddressSpaceId layout = 0;
  };
  absl::Status FlushOldest(Pending& pending);
  absl::Status FlushPending();

  absl::Status Queue(const SampleKey& head, uint16_t misc,
                     std::optional<uint64_t> time, ThreadState& thread,
                     Pending** to);
  bool Selects(const SampleKey& head, uint16_t misc,
               std::optional<uint64_t> time, ThreadId thread,
               ProcessState& process);
  bool CutsStacks() const {
    return selector_ != nullptr && selector_->max_stack() != 0;
  }
  absl::Span<const uint8_t> Innermost(absl::Span<const uint8_t> chain) const;

  // A path that a record gives, within limits.
  absl::string_view PathIn(absl::string_view path, const Context& context) {
    return CutPath(path, context.raw.offset, &diagnostics_);
  }
  absl::Status MapUser(int32_t pid, int32_t tid, const MappedFile& file,
                       const MapEntry& where, const Context& context);
  absl::Status MapKernel(absl::string_view name, const MapEntry& where,
                         uint64_t pgoff, const Context& context);
  DsoId NewKernelFunction(absl::string_view name, uint64_t start, uint64_t end);
  void MapGuest(int32_t pid, absl::string_view name, const MapEntry& where,
                uint64_t pgoff, const BuildId& build_id,
                const Context& context);
  absl::StatusOr<ThreadId> Announce(ThreadState& thread,
                                    std::optional<uint64_t> time);
  ThreadState& ThreadOf(int32_t pid, int32_t tid) {
    ThreadState*& recent =
        recent_threads_[static_cast<uint32_t>(tid) % recent_threads_.size()];
    if (recent == nullptr || recent->tid != tid ||
        recent->process->pid != pid) {
      recent = &threads_.Find(pid, tid);
    }
    return *recent;
  }

  const std::string input_;
  AttrTable& attrs_;
  TraceTables& tables_;
  Emitter& emitter_;
  Diagnostics& diagnostics_;
  HostEnvironment& environment_;
  Budget& budget_;
  Budget::Share memory_;  // of the tables, and of all that goes by thread
  static constexpr uint64_t kWorkAtOnce = 1 << 16;
  uint64_t work_ = 0;         // not spent yet
  uint64_t event_bytes_ = 0;  // memory of all events
  struct {
    uint64_t records = 0, bytes = 0, first_offset = 0;
    const char* resource = "";
  } skipped_;
  SampleSelector* selector_ = nullptr;  // null: all samples are selected
  // A sample that the emitter is told of as a record once it is wanted.
  const RawRecord* pending_record_ = nullptr;
  HeaderFeatures features_;
  DsoTable files_;
  Threads threads_;
  AddressSpaces address_spaces_;
  JitCode jit_code_;
  ReadDeltas read_deltas_;
  CounterReadings readings_;
  CountingTimes counting_times_;
  // Of the round that has not ended, and the threads they number.
  std::vector<StatRecord> stat_values_;
  std::vector<int32_t> stat_threads_;
  SampleFields fields_;
  std::vector<Branch> branches_;  // of the sample at hand
  SchedEvents sched_;
  std::optional<TracepointFormats> formats_;
  const EmitterRequirements requirements_;
  const bool needs_only_keys_;             // no one wants more of samples
  std::optional<UserStacks> user_stacks_;  // from Begin() on
  LbrStacks lbr_stacks_;
  size_t bpf_lines_ = 0;  // given to symbols so far
  int formats_tried_ = 0;
  // Processes, and jitdumps that they have mapped.
  absl::flat_hash_set<std::pair<int32_t, std::string>> jit_dumps_;
  DeferredStacks deferred_stacks_;
  uint64_t released_ = 0;  // records that were held back
  bool defers_ = false;    // some event's user callchains come later
  // Sums of sleeps come when all is over, also those of replaced programs.
  bool keeps_replaced_maps_ = false;
  // The deferred user part of the sample that is being applied.
  absl::Span<const uint64_t> deferred_;
  std::vector<uint64_t> words_;  // a chain while it is put together
  TraceSummary summary_;
  uint64_t dropped_samples_ = 0;
  RecordingFacts facts_;
  int32_t started_pid_ = -1;  // of the program that facts_.exec_time is of
  std::vector<EventTotals> totals_;

  struct Count {
    uint64_t records = 0, bytes = 0;
  };
  std::array<Count, 128> counts_{};        // by type; the few above are in
  std::map<uint32_t, Count> more_counts_;  // here
  // Records that came before the emitter could be told of any.
  struct EarlyRecord {
    RawRecord record;
    BlockRef block;
    std::optional<uint64_t> time;
  };
  std::vector<EarlyRecord> early_records_;
  uint64_t early_bytes_ = 0;
  std::vector<Field> record_fields_;

  bool begun_ = false;
  uint32_t seen_version_ = 0;
  // The threads seen last, by tid.
  std::array<ThreadState*, 8192> recent_threads_{};
  // A ring; the oldest of pending_count_ is at pending_first_.
  std::array<Pending, 16> pending_;
  bool in_group_ = false;  // several samples are made of the one at hand
  std::optional<GroupStack> group_stack_;
  size_t pending_first_ = 0, pending_count_ = 0;
  SampleRecord sample_;               // reused, it is large
  uint32_t sample_event_ = kNoEvent;  // that sample_ is of
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_SESSION_H_
