// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_MODEL_MODEL_H_
#define PERF2X_MODEL_MODEL_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "converter/base/build_id.h"
#include "converter/base/event_kind.h"
#include "converter/base/string_table.h"

namespace perf2x {

// The parts of a trace. They are interned in TraceTables; an id is the index
// there. Ids are dense and count from 0 in order of appearance.
using EventId = uint32_t;
using ThreadId = uint32_t;
using DsoId = uint32_t;
using MappingId = uint32_t;
using FrameId = uint32_t;
using FunctionId = uint32_t;
using StackId = uint32_t;
// A snapshot of one process's mappings. Only the session knows its contents.
using AddressSpaceId = uint32_t;
// The id of nothing, for all of these.
inline constexpr uint32_t kNoId = ~0u;

// A tracepoint or probe as the kernel identifies it: "sched", "sched_switch".
struct TracepointName {
  std::string system, name;
  friend bool operator==(const TracepointName&,
                         const TracepointName&) = default;
};

// An event that was recorded: "cycles", "sched:sched_switch".
struct Event {
  std::string name;
  EventKind kind = EventKind::kSampled;
  // For kTracepoint: the kernel's name, even if the user gave the event another
  // one. Empty if the recording does not have it.
  TracepointName tracepoint = {};
  std::string unit = "count";  // of periods: "count" or "nanoseconds"
  // Sampling period in `unit` or, if `period_is_frequency`, samples per second.
  // 0: not known.
  uint64_t period = 0;
  bool period_is_frequency = false;
  // Unit of Counter::value: "msec", "Joules". Empty: `unit`.
  std::string counter_unit = "";
  // If set, a stage computed the event from others. The number of its samples
  // then means nothing.
  bool derived = false;
  // The base event of a comparison: outputs also show this event's sums minus
  // the base event's sums. kNoId: none.
  EventId minus = kNoId;
  // Number of recordings whose samples this event sums. Outputs show sums of
  // periods divided by this number.
  uint64_t mean_of = 1;
  // Place of the event in the user's list of events (see Criterion::RankOf),
  // from 1. 0: there is no list, all events are shown. kNoId: the event is not
  // in the list and has no samples.
  uint32_t selection_rank = 0;
};

// Splits the name of a tracepoint, "system:name". Ignores modifiers after
// another colon. Both parts are empty if `name` has no colon.
TracepointName ParseTracepointName(absl::string_view name);

// A thread under one name. A rename of the thread or of its process starts a
// new ThreadId with the same pid and tid.
struct Thread {
  int32_t pid = 0;
  int32_t tid = 0;
  StringId process_name = 0;
  StringId name = 0;
  friend bool operator==(const Thread&, const Thread&) = default;
};

// What kind of code a Dso is.
enum class DsoKind : uint8_t {
  kFile,          // a program or library on disk
  kVdso,          // the kernel's library in every process
  kKernel,        // [kernel.kallsyms]
  kKernelModule,  // a module's path or [name]
  kGuestKernel,
  kGuestUser,
  kHypervisor,
  kGenerated,  // code with a name but without a file: JIT, BPF
  kAnonymous,  // executable memory without a name: [anon], [heap], [stack]
  kUnknown,    // no mapping covers the address
  kMarker,     // not code: "[truncated]" and the like
};

// Returns true if addresses of code of this kind are offsets in a file.
inline bool IsInFile(DsoKind kind) {
  return kind == DsoKind::kFile || kind == DsoKind::kVdso;
}

// The source line of generated code from `offset` on. `offset` is in bytes from
// the start of the function.
struct GeneratedLine {
  uint64_t offset = 0;
  uint32_t line = 0;
  std::string file;
};

// A program, a library, a kernel, a module or a JIT'd function, wherever it is
// loaded. Files with equal build ids are one Dso. Files without a build id are
// one Dso per inode, path and `pid`; without an inode, per path and `pid`.
struct Dso {
  DsoKind kind = DsoKind::kUnknown;
  // Path as recorded, or a name in brackets ("[vdso]", "[anon]"). For generated
  // code, `symbol`.
  std::string name;
  BuildId build_id;
  // Identity of the file; 0: not recorded.
  uint32_t device_major = 0, device_minor = 0;
  uint64_t inode = 0, inode_generation = 0;
  bool below_4g = false;  // kVdso: mapped below 4 GiB (32-bit)
  // kAnonymous, kGenerated: the process that has the code; -1: the kernel.
  // kFile: the process whose own root folder (as in a container) has the path;
  // -1: none.
  int32_t pid = -1;
  // kGenerated: the function's name and the run-time range [start, end) of its
  // code. kKernelModule: `start` is the load address; 0: not known.
  std::string symbol;
  uint64_t start = 0, end = 0;
  // kGenerated: its source lines, ascending by offset; null when not known.
  std::shared_ptr<const std::vector<GeneratedLine>> lines;
  // kGenerated: .eh_frame of its JIT compiler; null when not known.
  std::shared_ptr<const std::vector<uint8_t>> eh_frame;
  // kKernel, kKernelModule: the reference symbol of the recording's kernel map
  // ("_text" or "_stext") and its address, for the KASLR offset.
  std::string reference_symbol;
  uint64_t reference_address = 0;
};

// A part of a Dso and where it was first seen in memory. All generated code
// shares two mappings with addresses 0, "[jit]" and "[bpf]".
struct Mapping {
  DsoId dso = 0;
  uint64_t start = 0, limit = 0;  // [start, limit), run-time addresses
  uint64_t offset = 0;            // of `start`, in the file
};

// A code location. `address` is the offset in the file for kFile and kVdso, and
// the run-time address for all other kinds. For a leaf, it is the address of
// the interrupted instruction. For a caller, it is one byte before the return
// address.
struct Frame {
  DsoId dso = 0;
  MappingId mapping = 0;
  uint64_t address = 0;
};

// A function. Its strings are ids in TraceTables::strings.
struct Function {
  StringId name = 0;         // demangled
  StringId system_name = 0;  // as in the symbol table
  StringId file = 0;         // source file; empty when not known
  uint32_t start_line = 0;   // 0: not known
  // If set, stands for all code of a DSO for which no symbol was found:
  // "[libfoo.so]".
  bool placeholder = false;
  friend bool operator==(const Function&, const Function&) = default;
  template <class H>
  friend H AbslHashValue(H h, const Function& f) {
    return H::combine(std::move(h), f.name, f.system_name, f.file, f.start_line,
                      f.placeholder);
  }
};

// One function at a frame's address, with the line that is executing.
struct Line {
  FunctionId function = 0;
  uint32_t line = 0;  // 0: not known
  friend bool operator==(const Line&, const Line&) = default;
};

// Facts about the recording that are known before its first sample.
struct TraceInfo {
  std::string input;  // the file's name
  // Texts as recorded; empty: not known. `arch` is as in uname -m.
  std::string hostname, os_release, arch, perf_version, cpu_description;
  std::vector<std::string> command_line;  // of `perf record`; empty: not known
  uint32_t cache_line_size = 0;           // bytes; 0: not known
  std::string clock;  // "CLOCK_MONOTONIC", …; "perf": events have no clockid
  // Wall time in ns since 1970 minus the recording's time, where known.
  std::optional<int64_t> wall_clock_offset;
  // When the recording began, in ns since 1970. If that is not recorded, when
  // its file was last written. Absent for a stream without a recorded time.
  std::optional<int64_t> recorded_at;
  // An id of the recording's bytes, for formats with
  // EmitterInfo::dataset_option; else empty.
  std::string recording_id;
};

// Facts about the recording that need all of its records. Times are ns on the
// recording's clock.
struct TraceSummary {
  std::optional<uint64_t> first_time, last_time;  // absent: no record has one
  uint64_t lost_records = 0;                      // the sum of LOST.lost
  // The sum of LOST_SAMPLES.lost, without samples that a BPF filter dropped.
  uint64_t lost_samples = 0;
  // The program that was profiled: the executable of the process with most
  // samples. kNoId: not known.
  DsoId main_dso = kNoId;
  // The input's records by type, ordered by type number. Records that hold
  // compressed data are counted in addition to the records in them.
  struct RecordCount {
    std::string type;                 // as in perf report --stats: "MMAP2"
    uint64_t records = 0, bytes = 0;  // bytes with the records' headers
  };
  std::vector<RecordCount> records;
  // Lines for the user about data that is missing from the output.
  std::vector<std::string> losses;
};

// A problem of a recording that the summary reports, and what to do about it.
// Each is one line of text; `next_step` may be empty.
struct Advice {
  std::string message, next_step;
};

}  // namespace perf2x

#endif  // PERF2X_MODEL_MODEL_H_
