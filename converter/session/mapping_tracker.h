// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_MAPPING_TRACKER_H_
#define PERF2X_SESSION_MAPPING_TRACKER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "converter/base/build_id.h"
#include "converter/base/diagnostics.h"
#include "converter/model/trace_tables.h"
#include "converter/perf/header/features.h"
#include "converter/perf/records/kernel_records.h"
#include "converter/perf/records/user_records.h"
#include "converter/session/address_spaces.h"
#include "converter/session/dso_table.h"
#include "converter/session/host_environment.h"
#include "converter/session/jit_code.h"
#include "converter/session/record_context.h"
#include "converter/session/thread_tracker.h"
#include "converter/session/trace_sink.h"
#include "converter/session/work_meter.h"

namespace perf2x {

// Applies MMAP, MMAP2 and KSYMBOL records to the memory maps of processes, the
// kernel and virtual machines. Also reads the jitdumps that processes map, and
// build ids. A mapping of a process with an empty or inverted range is skipped
// and counted. Errors are the emitter's. Not thread-safe.
class MappingTracker {
 public:
  // All must outlive the tracker.
  struct Deps {
    TraceTables& tables;
    DsoTable& dsos;
    AddressSpaces& spaces;
    ThreadTracker& threads;
    TraceSink& sink;
    const HeaderFeatures& features;
    HostEnvironment& environment;
    Diagnostics& diagnostics;
    WorkMeter& work;
  };
  explicit MappingTracker(const Deps& deps)
      : deps_(deps),
        jit_code_(deps_.dsos, deps_.spaces, deps_.threads.table()) {}

  // These two map a file or anonymous memory into the process, kernel or
  // virtual machine of the record.
  absl::Status Apply(const MmapRecord& mmap, const RecordContext& context);
  absl::Status Apply(const Mmap2Record& mmap, const RecordContext& context);
  // Maps code that the kernel generated, such as a BPF program. If the record
  // says that the code is gone, unmaps it.
  absl::Status Apply(const KsymbolRecord& ksymbol,
                     const RecordContext& context);
  // Reads build ids from HEADER_BUILD_ID records and the BUILD_ID feature, and
  // the time conversion of jitdumps from TIME_CONV records. Ignores all other
  // records. Damage to build ids is counted.
  void ObserveHeader(const RawRecord& record);

  const JitCode& jit_code() const { return jit_code_; }
  // Returns true if jitdumps have code that was not mapped yet.
  bool has_pending_code() const { return jit_code_.pending(); }
  // Returns the time at which the earliest of that code was loaded or moved;
  // the largest number if there is none.
  uint64_t next_code_time() const { return jit_code_.next_time(); }
  // Maps the code of jitdumps that was loaded or moved up to and including
  // `time`. If has_pending_code(), to be called before a record of that time is
  // applied.
  void AdvanceTo(uint64_t time) { jit_code_.Advance(time); }

  // Returns true if a record mapped the kernel proper.
  bool has_kernel() const { return has_kernel_; }

 private:
  // A mapped file and its address range.
  struct Mapped {
    int32_t pid, tid;
    MappedFile file;
    MapEntry range;
    // If set, `file` is one in which simpleperf stored code that it found in
    // memory: the range has the code's own addresses.
    bool is_jit_code = false;
  };
  // `R` is MmapRecord or Mmap2Record.
  template <class R>
  Mapped MappedOf(const R& mmap, const RecordContext& context) const;
  absl::Status Map(const Mapped& mapped, const RecordContext& context);
  absl::Status MapUser(const Mapped& mapped, const RecordContext& context);
  absl::Status MapKernel(const Mapped& mapped, const RecordContext& context);
  void MapGuest(const Mapped& mapped, const RecordContext& context);
  void MapRecordedFunctions(const Mapped& mapped, ProcessState& process);
  void AddJitDump(absl::string_view name, int32_t pid, uint64_t offset);
  void SetBuildId(absl::string_view name, const BuildId& build_id,
                  const RawRecord& record);
  DsoId NewKernelFunction(absl::string_view name, uint64_t start, uint64_t end);

  const Deps deps_;
  JitCode jit_code_;
  // Pids with the file names of jitdumps that they have mapped, and of perf
  // maps.
  absl::flat_hash_set<std::pair<int32_t, std::string>> jit_dumps_;
  uint64_t bpf_line_bytes_ = 0;  // of lines in BPF functions so far
  bool has_kernel_ = false;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_MAPPING_TRACKER_H_
