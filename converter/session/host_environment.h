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

class ElfFile;
class RecordedSymbols;

// Opens the files, other than the recording, that a session uses on the machine
// that runs perf2x. The header features show whether that machine made the
// recording. Not thread-safe.
class HostEnvironment {
 public:
  virtual ~HostEnvironment() = default;
  // Makes the symbolizer; null: nothing is symbolized. This object owns the
  // symbolizer, which must outlive the session. Called once, when the header
  // has been read.
  virtual Symbolizer* MakeSymbolizer(const HeaderFeatures& features) = 0;
  // See FileSymbolizer::InterruptEntries. Empty if nothing is symbolized.
  // Called after MakeSymbolizer.
  virtual std::vector<CodeRange> InterruptEntries(const Dso& /*kernel*/) {
    return {};
  }
  // Makes a symbolizer without inlined functions and lines; null: nothing is
  // symbolized. This object owns the symbolizer, which must outlive the
  // session. Called at most once.
  virtual Symbolizer* MakeSymbolizerWithoutLines(
      const HeaderFeatures& features) = 0;
  // Returns a table, which the session fills with the functions that the
  // recording itself has. Null: these functions are not used. Valid as long as
  // this object.
  virtual RecordedSymbols* recorded_symbols() { return nullptr; }
  // Returns the source of call frame information. Null: stacks are unwound by
  // frame pointers only.
  virtual std::unique_ptr<UnwindInfoSource> MakeUnwindInfoSource(
      const HeaderFeatures& features) = 0;
  // Opens the copy of the kernel's memory that the recording has: an ELF file
  // whose segments have the run-time addresses of the kernel's and its modules'
  // code. Null: there is none.
  virtual std::shared_ptr<const ElfFile> OpenKernelMemory() { return nullptr; }
  // Called for FORK and NAMESPACES records; see RecordedProcesses. `inode`
  // identifies the pid namespace.
  virtual void OnFork(int32_t /*pid*/, int32_t /*tid*/,
                      int32_t /*parent_pid*/) {}
  virtual void OnPidNamespace(int32_t /*pid*/, int32_t /*tid*/,
                              uint64_t /*inode*/) {}
  // Returns the approximate memory that OnFork and OnPidNamespace use, in
  // bytes.
  virtual uint64_t memory() const { return 0; }
  // A process in a container may have its files in a root folder of its own.
  // Returns `pid` if the process has such a folder. Else returns the pid of its
  // nearest ancestor that has one; -1: none has.
  virtual int32_t NearestPidWithRoot(int32_t /*pid*/) const { return -1; }
  // Opens the jitdump that the process mapped under this path. Null: not found,
  // not readable or not to be trusted.
  virtual std::unique_ptr<JitDump> OpenJitDump(
      absl::string_view name, int32_t pid, const HeaderFeatures& features) = 0;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_HOST_ENVIRONMENT_H_
