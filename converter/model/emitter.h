// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_MODEL_EMITTER_H_
#define PERF2X_MODEL_EMITTER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/base/branch_details.h"
#include "converter/base/budget.h"
#include "converter/base/data_access.h"
#include "converter/base/diagnostics.h"
#include "converter/base/output.h"
#include "converter/base/pipeline.h"
#include "converter/model/model.h"
#include "converter/model/trace_tables.h"

namespace perf2x {

// A value with a name: a field of a tracepoint, of a sample (see SampleField)
// or of a record.
struct Field {
  // An address or a bit mask, to be shown in hexadecimal.
  struct Hex {
    uint64_t value;
  };
  absl::string_view name;
  std::variant<uint64_t, int64_t, double, Hex, absl::string_view> value;
};
using Fields = absl::Span<const Field>;

// The processor's mode at a sample (PERF_RECORD_MISC_CPUMODE_MASK).
enum class CpuMode : uint8_t {
  kUnknown,
  kKernel,
  kUser,
  kHypervisor,
  kGuestKernel,
  kGuestUser,
};

// Events of a trace. All times are ns on the recording's clock; a time is
// absent if the record has none. Spans and strings are valid during the call
// that passes the event.

// A branch that the processor took before a sample.
struct Branch {
  // A stack of two frames: the target is the leaf, the source its caller. kNoId
  // unless EmitterRequirements::branch_stacks.
  StackId stack = kNoId;
  bool mispredicted = false;  // false may also mean not known
  // If set, the trace's sample before counts the branch. It shows where the run
  // of code after it began.
  bool is_repeated = false;
  uint32_t cycles = 0;  // since the previous branch; 0: not known
  // Run-time addresses; see TraceTables::Locate.
  uint64_t source = 0, target = 0;
  // If set, the processor only speculated: the branch did not retire.
  bool wrong_path = false;
  // Set only if EmitterRequirements::branch_details.
  BranchDetails details;
};

// An access to data that an event measured.
struct MemoryAccess {
  // Number of the record. A record may become consecutive samples of several
  // events. These have equal numbers and describe one access.
  uint64_t number = 0;
  uint64_t address = 0;  // of the data, at run time; never 0
  uint64_t weight = 0;   // latency for most events; 0: not known
  DataAccess access;
};

// Which branches a branch stack has.
enum class BranchChoice : uint8_t {
  kAll,        // all that were taken, so code between two of them ran through
  kSome,       // only the kinds that the user asked for
  kCallStack,  // calls that have not returned (perf record --call-graph lbr)
};

// A sample of an event: what a thread ran at one moment.
struct Sample {
  EventId event = 0;
  ThreadId thread = 0;
  StackId stack = 0;                 // never kNoId
  AddressSpaceId address_space = 0;  // of the stack
  CpuMode mode = CpuMode::kUnknown;
  int32_t cpu = -1;  // -1: not known
  // Number of samples that this one stands for; `period` is then the sum of
  // their periods. Above 1 only in profiles and branch lists, which have sums
  // in place of single samples, and if EmitterRequirements::only_sums.
  uint64_t count = 1;
  uint64_t period = 1;  // in Event::unit
  uint64_t ip = 0;      // run-time address of the instruction; 0: not known
  std::optional<uint64_t> time;
  TagsId tags = 0;  // computed by stages; 0: none
  // Optional fields that the sample has, in the order of SampleFieldTable().
  // Empty unless EmitterRequirements::fields. May lack `id` unless
  // EmitterRequirements::event_ids.
  Fields fields;
  // Fields of a tracepoint's payload. Empty unless EmitterRequirements::fields.
  Fields tracepoint;
  // Branches before the sample, the latest first. Empty unless
  // EmitterRequirements::branches.
  absl::Span<const Branch> branches;
  BranchChoice branch_choice = BranchChoice::kAll;  // of `branches`
  // Null unless EmitterRequirements::accesses, and if the sample has no data
  // address.
  const MemoryAccess* access = nullptr;
};

// The thread `parent` started the thread `child`.
struct Fork {
  std::optional<uint64_t> time;
  ThreadId parent = 0, child = 0;
};

// A thread ended.
struct Exit {
  std::optional<uint64_t> time;
  ThreadId thread = 0;
};

// A thread replaced its program.
struct Exec {
  std::optional<uint64_t> time;
  ThreadId thread = 0;  // under its new name
};

// Executable memory was mapped into a process.
struct MapEvent {
  std::optional<uint64_t> time;
  ThreadId thread = kNoId;  // kNoId: mapped into the kernel
  DsoId dso = 0;
  // Run-time addresses and bytes; `offset` is that of `start` in the DSO's
  // file.
  uint64_t start = 0, length = 0, offset = 0;
};

// A thread was put on a CPU or taken off it.
struct Switch {
  std::optional<uint64_t> time;
  ThreadId thread = 0;
  int32_t cpu = -1;        // -1: not known
  bool out = false;        // off its CPU; else on it
  bool preempted = false;  // with `out`: still runnable
  // With `out`, the state in the scheduler's letters ("S", "D", "R+"); empty if
  // not known.
  absl::string_view state;
  // The next (out) or previous (in) thread on the CPU; kNoId: not known.
  ThreadId other = kNoId;
  StackId stack = kNoId;  // with `out`: where it ran; kNoId: not recorded
  // If set, earlier switches on this CPU were not recorded.
  bool after_gap = false;
};

// A thread was made runnable by another.
struct Wakeup {
  std::optional<uint64_t> time;
  ThreadId waker = kNoId;  // kNoId: not known
  ThreadId woken = 0;
  int32_t cpu = -1;         // the waker's; -1: not known
  int32_t target_cpu = -1;  // where the woken thread will run; -1: not known
};

// A change of a thread's calls, from a hardware trace. First, all calls except
// the outermost `depth` ended. Then, unless `function` is kNoId, a function was
// called. Changes before it may be missing. For each thread, times ascend.
struct Call {
  std::optional<uint64_t> time;
  ThreadId thread = 0;
  uint32_t depth = 0;
  StackId function = kNoId;  // a stack of one frame
  int32_t cpu = -1;          // -1: not known
};

// How much a counter of an event grew from `since` to `time`. Comes from `perf
// stat record`, READ records or samples with readings. Times from `perf stat
// record` count from its start.
struct Counter {
  std::optional<uint64_t> since;  // absent: not known
  std::optional<uint64_t> time;
  EventId event = 0;
  ThreadId thread = kNoId;  // kNoId: counted for a CPU or for all CPUs
  int32_t cpu = -1;         // -1: counted for a thread or for all CPUs
  // In Event::counter_unit. Scaled up if the event shared the CPU's counters
  // with others (multiplexing).
  double value = 0;
};

// Records or samples that the kernel could not store.
struct Lost {
  std::optional<uint64_t> time;
  uint64_t count = 0;       // lost records, or samples
  bool is_samples = false;  // lost samples; else records of any type
  int32_t cpu = -1;         // -1: not known
  // If `cpu` is not known: the thread that ran when the kernel wrote the
  // record; else kNoId.
  ThreadId thread = kNoId;
};

// Hardware trace data (AUX: Intel PT, Arm SPE, …) is missing at this time.
struct AuxGap {
  std::optional<uint64_t> time;
  ThreadId thread = kNoId;  // that ran; kNoId: not known
  int32_t cpu = -1;         // -1: not known
  // "truncated", "partial" or "collision"; several are separated by ", ".
  absl::string_view reason;
};

// The kernel began or stopped to throttle an event (THROTTLE, UNTHROTTLE).
struct Throttle {
  std::optional<uint64_t> time;
  EventId event = kNoId;    // kNoId: not known
  int32_t cpu = -1;         // -1: not known
  bool begin = true;        // false: UNTHROTTLE
  ThreadId thread = kNoId;  // as in Lost
};

// A record of the input as it is stored.
struct RecordEvent {
  uint64_t index = 0;        // number of the record in the input, from 0
  uint64_t bytes = 0;        // of the record with its header
  uint32_t type_number = 0;  // perf_event_header::type
  // Of the number: "MMAP2", as in TraceSummary::RecordCount.
  absl::string_view type;
  int32_t pid = -1, tid = -1, cpu = -1;  // -1: not known
  std::optional<uint64_t> time;
  Fields fields;  // the record's other fields that are not lists; static names
};

// The data that an emitter requests. Data that no emitter requests is not
// computed. Only OnSwitch may be called without being requested.
struct EmitterRequirements {
  bool fields = false;          // Sample::fields and Sample::tracepoint
  bool event_ids = false;       // with `fields`: `id` in Sample::fields
  bool records = false;         // OnRecord
  bool branches = false;        // Sample::branches
  bool branch_stacks = false;   // with `branches`: Branch::stack
  bool branch_details = false;  // with `branches`: Branch::details
  bool accesses = false;        // Sample::access
  bool callers = true;          // all of Sample::stack, not its leaf alone
  bool counters = false;        // OnCounter
  bool switches = false;        // OnSwitch
  // OnCall, in place of samples of calls and returns.
  bool calls = false;
  // The emitter only sums up samples. A stage may then pass one sample of a
  // derived event in place of all that have the same event, thread, stack and
  // tags. Its period and count are their sums; its time, CPU and other fields
  // are not known.
  bool only_sums = false;
  // SpillStacks may be called.
  bool spills = false;
};

// Writes one format. The calls are Begin, events, Finish and OnAdvice, all on
// one thread. The events of a recording come in time order, except for
// out-of-order records, and the switch by which a thread of a container went on
// its CPU, which is known when it goes off it. A RecordEvent may come before
// some earlier samples. Only Begin, OnSample and Finish must be implemented.
// After an error, which ends the conversion, no method is called.
class Emitter {
 public:
  virtual ~Emitter() = default;
  // Always returns the same value. May be called before Begin.
  virtual EmitterRequirements requirements() const { return {}; }

  // Called once, first. TraceTables::events may grow afterwards, as pipe
  // streams may describe an event late. It is complete in Finish.
  virtual absl::Status Begin(const TraceInfo& info) = 0;
  // Called for each sample.
  virtual absl::Status OnSample(const Sample& sample) = 0;
  // Called once, after the last event.
  virtual absl::Status Finish(const TraceSummary& summary) = 0;

  // A thread appears for the first time, or under a new name. Called before any
  // other event that has this id.
  virtual absl::Status OnThread(ThreadId, std::optional<uint64_t> /*time*/) {
    return absl::OkStatus();
  }
  // A hint: the next events are likely to have this thread, which was passed to
  // OnThread. Its data may be prefetched. By default, does nothing.
  virtual void ExpectThread(ThreadId) {}
  // Each of these reports one event; the type of its argument says when. By
  // default, they do nothing.
  virtual absl::Status OnFork(const Fork&) { return absl::OkStatus(); }
  virtual absl::Status OnExec(const Exec&) { return absl::OkStatus(); }
  virtual absl::Status OnExit(const Exit&) { return absl::OkStatus(); }
  virtual absl::Status OnMap(const MapEvent&) { return absl::OkStatus(); }
  virtual absl::Status OnSwitch(const Switch&) { return absl::OkStatus(); }
  virtual absl::Status OnWakeup(const Wakeup&) { return absl::OkStatus(); }
  virtual absl::Status OnCall(const Call&) { return absl::OkStatus(); }
  virtual absl::Status OnCounter(const Counter&) { return absl::OkStatus(); }
  virtual absl::Status OnLost(const Lost&) { return absl::OkStatus(); }
  virtual absl::Status OnAuxGap(const AuxGap&) { return absl::OkStatus(); }
  virtual absl::Status OnThrottle(const Throttle&) { return absl::OkStatus(); }
  virtual absl::Status OnRecord(const RecordEvent&) { return absl::OkStatus(); }

  // Called between two samples, if it was requested and the memory of stacks
  // has reached its limit. Moves what the emitter keeps of stacks to a
  // temporary file. The caller then frees all stacks: StackIds that the emitter
  // got before are not valid any more.
  virtual absl::Status SpillStacks() { return absl::OkStatus(); }

  // Called once, after a successful Finish, when all frames are symbolized. The
  // list may be empty. An emitter may write the end of its output in this call.
  // An emitter whose format has EmitterInfo::check_merge must not: a merged
  // trace ends with Finish.
  virtual absl::Status OnAdvice(absl::Span<const Advice>) {
    return absl::OkStatus();
  }
};

// What a format keeps of a recording, to compare another recording with it. See
// EmitterInfo::make_base.
class ComparisonBase {
 public:
  virtual ~ComparisonBase() = default;
};

// Opens the outputs of an emitter.
class OutputFactory {
 public:
  virtual ~OutputFactory() = default;
  // Opens the user's output if `name` is empty, else the file `name` in the
  // user's output folder. The caller owns and closes it. Fails if it cannot be
  // written.
  virtual absl::StatusOr<std::unique_ptr<Output>> Open(
      absl::string_view name) = 0;
  // As Open, if what is written is charged to a budget; it is charged to
  // `budget` in place of that.
  virtual absl::StatusOr<std::unique_ptr<Output>> OpenFor(
      absl::string_view name, Budget& /*budget*/) {
    return Open(name);
  }
};

// An option of one format: `--labels LIST`. The command line, its help, the man
// page and the completions list it. Strings are static.
struct EmitterOption {
  const char* name;   // "labels"
  const char* value;  // "LIST"; "a|b": one of these words; "": a flag ("true")
  const char* help;   // one line
  const char* default_value;  // value if the option is not given
};

// Arguments of EmitterInfo::make. References must outlive the emitter.
struct EmitterContext {
  TraceTables& tables;
  OutputFactory& outputs;
  // Values by option name; has every option of the format.
  const std::map<std::string, std::string>& options;
  // Decides which work of the emitter is done on other threads.
  Pipeline& pipeline;
  // For notes on data that is missing from the output; may be null.
  Diagnostics* diagnostics = nullptr;
  // The budget of the input; `outputs` charge it for the bytes written. An
  // emitter whose output or memory can grow faster than its samples must check
  // the budget. Once it is exhausted, the emitter skips and counts further
  // data.
  Budget& budget = Budget::Unlimited();
  // The recording to compare with, as the emitter of EmitterInfo::make_base
  // kept it. Null: there is none.
  std::shared_ptr<ComparisonBase> base = nullptr;
};

// A format: its name, help texts and factory. Strings are static.
struct EmitterInfo {
  const char* name;       // "pprof"
  const char* extension;  // ".pb.gz"
  const char* summary;    // one line
  absl::Span<const EmitterOption> options = {};
  // If set, the output is lines of text, written to standard output if the user
  // names no output.
  bool is_text = false;
  // If set, the format is about the code of one file. --dso then names that
  // file instead of filtering samples. `make` gets it as the option "dso";
  // empty if the user names none.
  bool is_about_one_dso = false;
  // If set, samples are shown at their times; else they are mainly summed up.
  bool has_time_line = false;
  // Returns a new emitter, which writes to the context's outputs. Fails if
  // option values are wrong or an output cannot be opened.
  absl::StatusOr<std::unique_ptr<Emitter>> (*make)(const EmitterContext&);
  // Fails if these option values are wrong; `make` then fails as well. Null:
  // all values are valid.
  absl::Status (*check)(const std::map<std::string, std::string>& options) =
      nullptr;
  // For formats that write a folder: returns the names of the folder's files
  // for these option values; empty if the values select one file. Fails if the
  // values are wrong.
  absl::StatusOr<std::vector<std::string>> (*file_names)(
      const std::map<std::string, std::string>& options) = nullptr;
  // For formats that write a folder: the option that selects one file.
  const char* one_file_option = "";
  // For formats that can add files to a folder shared by many conversions: the
  // option that names the folder. The files are named after
  // TraceInfo::recording_id, so those of two recordings differ.
  const char* dataset_option = "";
  // Fails if these option values do not allow several recordings in one output.
  // Null: no values allow it. For a merged trace, the emitter gets only Begin,
  // OnThread, OnSample and Finish.
  absl::Status (*check_merge)(
      const std::map<std::string, std::string>& options) = nullptr;
  // If set, the format needs the times of samples. Profiles lack them and
  // cannot be converted to it.
  bool needs_times = false;
  // If set, outputs are pprof profiles. Inputs that are profiles are then
  // copied or merged whole, without an emitter.
  bool is_profile = false;
  // For formats that compare recordings: the option that names the recording to
  // compare with.
  const char* base_option = "";
  // For formats with `base_option`: returns an emitter for the recording to
  // compare with. That recording is read first. The emitter's OnAdvice sets
  // `*kept`; `*kept` must outlive the emitter.
  absl::StatusOr<std::unique_ptr<Emitter>> (*make_base)(
      const EmitterContext&, std::shared_ptr<ComparisonBase>* kept) = nullptr;
  // For --open: commands that show an output, best first. A command gets the
  // output's path as last argument and runs until the user ends it. "$NAME"
  // stands for the commands in the environment variable NAME, separated by
  // colons.
  absl::Span<const char* const> viewers = {};
  // Advice if no viewer is installed; completes "to look at it, ".
  const char* advice = "";
};

}  // namespace perf2x

#endif  // PERF2X_MODEL_EMITTER_H_
