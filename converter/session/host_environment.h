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

// What a session asks of the machine that it runs on: files beside the
// recording. Asked once the recording's header is known, so that it can be told
// whether that machine is the recorded one.
class HostEnvironment {
 public:
  virtual ~HostEnvironment() = default;
  // What names code; null: nothing does. Must outlive the session.
  virtual Symbolizer* MakeSymbolizer(const HeaderFeatures& features) = 0;
  // See FileSymbolizer::InterruptEntries; none where nothing names code.
  virtual std::vector<CodeRange> InterruptEntries(const Dso& /*kernel*/) {
    return {};
  }
  // What gives code the names of its symbol tables alone, without inlined
  // functions and lines; null: nothing does. Must outlive the session.
  virtual Symbolizer* MakeSymbolTable(const HeaderFeatures& features) = 0;
  // What gives the call frame information of code; may be null.
  virtual std::unique_ptr<UnwindInfoSource> MakeUnwindInfoSource(
      const HeaderFeatures& features) = 0;
  // What FORK and NAMESPACES tell, see RecordedProcesses.
  virtual void OnFork(int32_t /*pid*/, int32_t /*tid*/,
                      int32_t /*parent_pid*/) {}
  virtual void OnPidNamespace(int32_t /*pid*/, int32_t /*tid*/,
                              uint64_t /*inode*/) {}
  // The process, itself or one that it descends from, whose files lie in a
  // folder of their own; -1: none.
  virtual int32_t RootOwner(int32_t /*pid*/) const { return -1; }
  // The jitdump that the process mapped under this name; null: not to be had.
  virtual std::unique_ptr<JitDump> OpenJitDump(
      absl::string_view name, int32_t pid, const HeaderFeatures& features) = 0;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_HOST_ENVIRONMENT_H_
