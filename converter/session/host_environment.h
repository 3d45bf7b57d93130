// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_HOST_ENVIRONMENT_H_
#define PERF2X_SESSION_HOST_ENVIRONMENT_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/strings/string_view.h"
#include "converter/model/symbolizer.h"
#include "converter/perf/header/features.h"
#include "converter/symbolize/jit/jitdump.h"
#include "converter/symbolize/kernel/interrupt_entries.h"
#include "converter/unwind/unwind_info_source.h"

namespace perf2x {

class RecordedSymbols;

// Opens the files, other than the recording, that a session uses on the machine
// that runs perf2x. Methods that open files get the recording's header
// features, which show whether that machine is the recorded one.
class HostEnvironment {
 public:
  virtual ~HostEnvironment() = default;
  // Returns the symbolizer, which must outlive the session; null: nothing is
  // symbolized.
  virtual Symbolizer* MakeSymbolizer(const HeaderFeatures& features) = 0;
  // See FileSymbolizer::InterruptEntries; empty if nothing is symbolized.
  virtual std::vector<CodeRange> InterruptEntries(const Dso& /*kernel*/) {
    return {};
  }
  // Returns a symbolizer without inlined functions and lines, which must
  // outlive the session; null: nothing is symbolized.
  virtual Symbolizer* MakeSymbolTable(const HeaderFeatures& features) = 0;
  // Returns where functions go that the recording has itself; null: they are
  // not used. Valid as long as this object.
  virtual RecordedSymbols* recorded_symbols() { return nullptr; }
  // Returns the source of call frame information; may be null.
  virtual std::unique_ptr<UnwindInfoSource> MakeUnwindInfoSource(
      const HeaderFeatures& features) = 0;
  // Called for FORK and NAMESPACES records; see RecordedProcesses.
  virtual void OnFork(int32_t /*pid*/, int32_t /*tid*/,
                      int32_t /*parent_pid*/) {}
  virtual void OnPidNamespace(int32_t /*pid*/, int32_t /*tid*/,
                              uint64_t /*inode*/) {}
  // Returns the process itself or its nearest ancestor whose files lie in a
  // root folder of their own; -1: none.
  virtual int32_t NearestWithRoot(int32_t /*pid*/) const { return -1; }
  // Opens the jitdump that the process mapped under this name; null: not found,
  // not readable or not to be trusted.
  virtual std::unique_ptr<JitDump> OpenJitDump(
      absl::string_view name, int32_t pid, const HeaderFeatures& features) = 0;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_HOST_ENVIRONMENT_H_
