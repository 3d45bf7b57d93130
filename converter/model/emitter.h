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
#include "converter/base/budget.h"
#include "converter/base/diagnostics.h"
#include "converter/base/output.h"
#include "converter/model/model.h"
#include "converter/model/trace_tables.h"

namespace perf2x {

// A named value: of a tracepoint, of an optional sample field, of a record.
struct Field {
  // Addresses and bit masks, best shown in hexadecimal.
  struct Hex {
    uint64_t value;
  };
  absl::string_view name;
  std::variant<uint64_t, int64_t, double, Hex, absl::string_view> value;
};
using Fields = absl::Span<const Field>;

enum class CpuMode : uint8_t {
  kUnknown,
  kKernel,
  kUser,
  kHypervisor,
  kGuestKernel,
  kGuestUser,
};

// All times are ns on the recording's clock; absent when the record has none.
// Spans and strings live until the call that got them returns.

// A branch that the processor took before a sample.
struct Branch {
  // Two frames, where it led to and where it came from.
  StackId stack = 0;
  bool mispredicted = false;
  uint32_t cycles = 0;  // since the branch before; 0: not known
};

struct Sample {
  EventId event = 0;
  ThreadId thread = 0;
  StackId stack = 0;
  AddressSpaceId layout = 0;  // of the stack
  CpuMode mode = CpuMode::kUnknown;
  int32_t cpu = -1;  // -1: not known
  uint64_t period = 1;
  uint64_t ip = 0;
  std::optional<uint64_t> time;
  // Optional fields of the sample, decoded: "addr", "phys_addr", "weight",
  // "data_src", … Empty unless EmitterRequirements::fields.
  Fields fields;
  // Fields of a tracepoint's payload. Empty unless EmitterRequirements::fields.
  Fields tracepoint;
  // What the processor recorded of branches, the latest first. Empty unless
  // EmitterRequirements::branches.
  absl::Span<const Branch> branches;
};

struct Fork {
  std::optional<uint64_t> time;
  ThreadId parent = 0, child = 0;
};

struct Exit {
  std::optional<uint64_t> time;
  ThreadId thread = 0;
};

// A thread went on with another program.
struct Exec {
  std::optional<uint64_t> time;
  ThreadId thread = 0;  // under its new name
};

// Executable memory, of a file or not, appeared in a process.
struct MapEvent {
  std::optional<uint64_t> time;
  ThreadId thread = kNoId;  // kNoId: the kernel's
  DsoId file = 0;
  uint64_t start = 0, length = 0, offset = 0;
};

// A thread was put on a CPU or taken off it.
struct Switch {
  std::optional<uint64_t> time;
  ThreadId thread = 0;
  int32_t cpu = -1;
  bool out = false;
  bool preempted = false;  // with `out`: still runnable
  // With `out`, why, in the scheduler's letters ("S", "D", "R+"); empty when
  // the recording does not say.
  absl::string_view state;
  ThreadId other = kNoId;  // next (out) or previous (in) thread, if known
  StackId stack = kNoId;   // with `out`: where it was, if recorded
  // Switches of this CPU went before it that were not recorded.
  bool after_gap = false;
};

// A thread was made runnable by another.
struct Wakeup {
  std::optional<uint64_t> time;
  ThreadId waker = kNoId;  // kNoId: not known
  ThreadId woken = 0;
  int32_t cpu = -1;         // of the waker
  int32_t target_cpu = -1;  // where the woken thread will run
};

// What an event counted from `since` to `time`, as `perf stat record`, READ
// records and samples with readings give it.
struct Counter {
  std::optional<uint64_t> since;  // absent: not known
  std::optional<uint64_t> time;
  EventId event = 0;
  ThreadId thread = kNoId;  // kNoId: of a CPU or of all
  int32_t cpu = -1;
  // In Event::counter_unit, and scaled up where the event had to share the
  // CPU's counters with others.
  double value = 0;
};

// Records or samples that the kernel could not store.
struct Lost {
  std::optional<uint64_t> time;
  uint64_t count = 0;
  bool samples = false;  // else records of any type
  int32_t cpu = -1;
  // Who ran when the kernel said so, where it did not say on which CPU.
  ThreadId thread = kNoId;
};

// Trace data of the CPU itself (AUX: Intel PT, Arm SPE, …) is missing here.
struct AuxGap {
  std::optional<uint64_t> time;
  ThreadId thread = kNoId;
  int32_t cpu = -1;
  absl::string_view why;  // "truncated", "partial", "collision"
};

// An event was slowed down from here on, or no longer is.
struct Throttle {
  std::optional<uint64_t> time;
  EventId event = kNoId;
  int32_t cpu = -1;
  bool begin = true;
  ThreadId thread = kNoId;  // as in Lost
};

// Any record of the input, for those who want to see it raw.
struct RecordEvent {
  uint64_t index = 0;  // in the input
  uint64_t bytes = 0;
  absl::string_view type;
  int32_t pid = -1, tid = -1, cpu = -1;  // -1: not known
  std::optional<uint64_t> time;
  Fields fields;
};

// What an emitter wants prepared for it. What no one wants is not built.
struct EmitterRequirements {
  bool fields = false;    // Sample::fields and Sample::tracepoint
  bool records = false;   // OnRecord
  bool branches = false;  // Sample::branches
  bool counters = false;  // OnCounter
  bool switches = false;  // OnSwitch
};

// Writes one format. Gets the events of a recording in time order; everything
// but Begin, OnSample and Finish may be ignored. An error ends the conversion.
class Emitter {
 public:
  virtual ~Emitter() = default;
  virtual EmitterRequirements needs() const { return {}; }

  // Before everything else. Streams may describe more events later: tables that
  // go by EventId grow with the samples, tables.events is complete in Finish.
  virtual absl::Status Begin(const TraceInfo& info) = 0;
  virtual absl::Status OnSample(const Sample& sample) = 0;
  virtual absl::Status Finish(const TraceSummary& summary) = 0;

  // A thread was seen for the first time, or under a new name.
  virtual absl::Status OnThread(ThreadId, std::optional<uint64_t> /*time*/) {
    return absl::OkStatus();
  }
  virtual absl::Status OnFork(const Fork&) { return absl::OkStatus(); }
  virtual absl::Status OnExec(const Exec&) { return absl::OkStatus(); }
  virtual absl::Status OnExit(const Exit&) { return absl::OkStatus(); }
  virtual absl::Status OnMap(const MapEvent&) { return absl::OkStatus(); }
  virtual absl::Status OnSwitch(const Switch&) { return absl::OkStatus(); }
  virtual absl::Status OnWakeup(const Wakeup&) { return absl::OkStatus(); }
  virtual absl::Status OnCounter(const Counter&) { return absl::OkStatus(); }
  virtual absl::Status OnLost(const Lost&) { return absl::OkStatus(); }
  virtual absl::Status OnAuxGap(const AuxGap&) { return absl::OkStatus(); }
  virtual absl::Status OnThrottle(const Throttle&) { return absl::OkStatus(); }
  virtual absl::Status OnRecord(const RecordEvent&) { return absl::OkStatus(); }
};

// Opens what an emitter writes.
class OutputFactory {
 public:
  virtual ~OutputFactory() = default;
  // The output that the user named; for a format of several files (`name` not
  // empty) the member `name` of the folder that the user named.
  virtual absl::StatusOr<std::unique_ptr<Output>> Open(
      absl::string_view name) = 0;
};

// An option that an emitter has of its own, `--labels LIST`. The command line,
// its help and the man page list it from here.
struct EmitterOption {
  const char* name;    // "labels"
  const char* value;   // "LIST"; "" for a flag, which gives "true"
  const char* help;    // one line
  const char* preset;  // value when not given
};

struct EmitterContext {
  TraceTables& tables;
  OutputFactory& outputs;
  // Values by option name; holds every option of the emitter.
  const std::map<std::string, std::string>& options;
  int threads = 1;
  // Whether reading leaves time for a thread of the emitter's own.
  bool may_spawn_thread = false;
  // Where to say what is not in the output; may be null.
  Diagnostics* diagnostics = nullptr;
  // Of the input. What is written is accounted for behind `outputs`; an emitter
  // whose output, or memory, can grow faster than the samples that it gets
  // looks whether it is exhausted, and counts what it leaves out then.
  Budget& budget = Budget::Unlimited();
};

struct EmitterInfo {
  const char* name;       // "pprof"
  const char* extension;  // ".pb.gz"
  const char* summary;    // one line
  absl::Span<const EmitterOption> options = {};
  // Lines of text, as filters read them: written to standard output where no
  // output is named.
  bool lines = false;
  absl::StatusOr<std::unique_ptr<Emitter>> (*make)(const EmitterContext&);
  // Of a format that writes a folder: its files, with these values of the
  // options; none when they make it write one file. An error says what is wrong
  // with the values.
  absl::StatusOr<std::vector<std::string>> (*members)(
      const std::map<std::string, std::string>& options) = nullptr;
  // Of such a format: the option that makes it write one file.
  const char* one_file_option = "";
  // Whether several recordings make sense in one output, with these values of
  // the format's options; null: never. Merged, an emitter gets samples and new
  // threads only.
  absl::Status (*merges)(const std::map<std::string, std::string>& options) =
      nullptr;
  // For --open: commands that show an output, the best first. Its path is added
  // as the last word; they run until the user ends them.
  absl::Span<const char* const> viewers = {};
  // What the user can do with an output where no viewer is installed, to be
  // read after "to look at it, ".
  const char* advice = "";
};

}  // namespace perf2x

#endif  // PERF2X_MODEL_EMITTER_H_
