// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_SYMBOLIZE_H_
#define PERF2X_SYMBOLIZE_SYMBOLIZE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "converter/base/build_id.h"
#include "converter/base/worker_pool.h"
#include "converter/model/dso_report.h"
#include "converter/model/model.h"
#include "converter/model/symbolizer.h"
#include "converter/symbolize/demangle.h"
#include "converter/symbolize/find/binary_finder.h"
#include "converter/symbolize/find/safe_file.h"
#include "converter/symbolize/jit/process_namespace.h"
#include "converter/symbolize/kernel/interrupt_entries.h"

namespace perf2x {

class HeldFolders;
class KallsymsCache;
class RecordedSymbols;

// Where symbols are searched for, and how much is read.
struct SymbolizeOptions {
  BinaryFinderOptions binaries;
  // --kallsyms: a copy of the recorded kernel's /proc/kallsyms. Empty: none.
  std::string kallsyms;
  // The copy of /proc/kallsyms in the kcore_dir of a directory recording. Used
  // if `kallsyms` is empty. Empty: none.
  FilePlace kept_kallsyms;
  // The copy of the kernel's code, from /proc/kcore, in the kcore_dir of a
  // directory recording. Empty: none.
  FilePlace kept_kcore;
  // --guest-kallsyms: a copy of a guest kernel's /proc/kallsyms. Empty: none.
  std::string guest_kallsyms;
  // Shared by conversions that may need the same kallsyms tables. Null: the
  // symbolizer makes its own.
  std::shared_ptr<KallsymsCache> kallsyms_cache;
  // --vmlinux: the recorded kernel's ELF file. Empty: searched for by
  // `kernel_release`, then by the recorded build id. Without a build id, the
  // release is used only if `binaries.same_host` is set.
  std::string vmlinux;
  std::string kernel_release;  // as uname -r prints it; empty: not known
  // The recorded kernel's build id, by which kallsyms tables for its modules
  // are found. Empty: not known.
  BuildId kernel_build_id;
  // If set, the recorded kernel is the running one: its /proc/kallsyms and its
  // vDSO are used. Set this only if the recording was made on this machine and
  // `may_be_running_kernel` is set. If unset, they are used only if their build
  // ids are the recorded ones.
  bool running_kernel = false;
  // If set, the recorded kernel has the release and the load address of the
  // running kernel. That does not prove that the machine is this one.
  // Determines DsoReport::unproven only.
  bool may_be_running_kernel = false;
  // The symbolizer does not read the next two. LocalMachine sets
  // binaries.same_host and running_kernel by them.
  //
  // If set, the recorded host name together with another fact about this
  // machine proves that the recording was made here. Unset for recordings of
  // other users, who may know such facts.
  bool may_prove_same_host = true;
  // --trust-host: the user states that the recording was made on this machine.
  bool trust_host = false;
  // Folders with perf-PID.map files of JIT compilers; see PerfMap::Open.
  // Symbolic links in such a folder do not lead out of it.
  std::vector<std::string> perf_map_dirs;
  // The recorded pid namespaces, by which perf maps of processes in containers
  // are found. Null: such maps are not searched for.
  std::shared_ptr<const RecordedProcesses> processes;
  // The running containers, which are searched for perf maps if the recording
  // was made on this machine. Null: not searched.
  std::shared_ptr<const ContainerProcesses> containers;
  // Those of the folders above that are kept open. Null: none.
  std::shared_ptr<const HeldFolders> held_folders;
  // Functions that the recording has itself. Null: none.
  std::shared_ptr<const RecordedSymbols> recorded;
  Demangle demangle = Demangle::kSimple;
  bool inlines = true;  // inlined functions, from debug information
  bool lines = true;    // source files and lines, from debug information
  // Shares the work if one DSO has many addresses. Must outlive the symbolizer.
  // Null: the caller's thread does all work.
  WorkerPool* workers = nullptr;
  // The budget for demangling symbols that are in the recording itself. Null:
  // the symbolizer makes one with the fixed amounts of
  // Budget::kRecordedNameRules.
  std::shared_ptr<Budget> name_budget;
};

// Symbolizes each DSO by the first source in symbol_sources.h that has symbols
// of it. The first call for a DSO opens its files. A DSO without symbols is no
// error: see DsoReport. Thread-safe, except Reports. Results do not depend on
// the order or number of calls.
class FileSymbolizer : public Symbolizer {
 public:
  // Returns the address ranges (Frame::address) of a kernel's entry code for
  // interrupts and exceptions, ascending by start. Empty if the kernel has no
  // symbols.
  //
  // Most addresses of a callchain are return addresses. There are two
  // exceptions. An address that is the start of a range is exact. If an address
  // lies in a range, its caller is exact: it is the interrupted instruction.
  virtual std::vector<CodeRange> InterruptEntries(const Dso& kernel) = 0;
  // Returns the reports on all DSOs of earlier calls, sorted by kind, name and
  // build id. DSOs with the same key (ReportKeyOf) share a report. Must not be
  // called during another call.
  virtual std::vector<DsoReport> Reports() const = 0;
};

// Never returns null. Reads the archive of `options.binaries`; all other files
// are opened on demand.
std::unique_ptr<FileSymbolizer> MakeSymbolizer(SymbolizeOptions options);

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_SYMBOLIZE_H_
