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

class KallsymsCache;

struct SymbolizeOptions {
  BinaryFinderOptions binaries;
  // --kallsyms: a copy of the recorded kernel's /proc/kallsyms. Empty: none.
  std::string kallsyms;
  // The copy in the kcore_dir of a folder recording. Used if `kallsyms` is
  // empty.
  FilePlace kept_kallsyms;
  // --guest-kallsyms: the same of a virtual machine's kernel. Empty: none.
  std::string guest_kallsyms;
  // For several conversions that may need the same tables. Null: none.
  std::shared_ptr<KallsymsCache> kallsyms_cache;
  // The recorded kernel's ELF file. Empty: looked for by build id or, on the
  // machine of the recording, by `kernel_release`.
  std::string vmlinux;
  std::string kernel_release;  // as uname -r prints it; empty: not known
  // The recorded kernel's; its modules are found by it. Empty: not known.
  BuildId kernel_build_id;
  // If set, the recorded kernel is proven to be the running one by release and
  // boot, and /proc/kallsyms is used. An equal build id proves it, too.
  bool running_kernel = false;
  // If set, the recorded kernel may be the running one, but nothing proves that
  // the machine is this one.
  bool may_be_running_kernel = false;
  // If set, facts about this machine in the recording prove that it was made
  // here. Unset for recordings of other users, who may know these facts.
  bool may_show_host = true;
  // --trust-host: the user states that the recording was made on this machine.
  bool trust_host = false;
  // Folders with perf-PID.map files of JIT compilers; see PerfMap::Open. Links
  // in them do not lead out of them.
  std::vector<std::string> perf_map_dirs;
  // The recorded pid namespaces. Perf maps of processes in containers are found
  // by them. Null: not looked for.
  std::shared_ptr<const RecordedProcesses> processes;
  // The running containers. Used if the recording was made on this machine.
  // Null: not looked at.
  std::shared_ptr<const ContainerProcesses> containers;
  Demangle demangle = Demangle::kSimple;
  bool inlines = true;  // inlined functions, from debug information
  bool lines = true;    // source files and lines, from debug information
  WorkerPool* workers = nullptr;  // for large files; null: the caller's thread
  // The budget for demangling symbols that are in the recording itself. Null:
  // one of its own.
  std::shared_ptr<Budget> name_budget;
};

// Symbolizes code by the sources of symbol_sources.h. Opens a DSO for the first
// address in it. Thread-safe. Answers do not depend on the order or number of
// calls.
class FileSymbolizer : public Symbolizer {
 public:
  // Returns the code that interrupts and exceptions enter in a kernel, by its
  // symbols: ascending ranges of addresses as in a Frame. A frame at the start
  // of a range is not a return address. Nor is the caller of a range.
  virtual std::vector<CodeRange> InterruptEntries(const Dso& kernel) = 0;
  // Returns a report for each DSO, sorted by kind, name and build id. Not to be
  // called during Resolve.
  virtual std::vector<DsoReport> Reports() const = 0;
};

std::unique_ptr<FileSymbolizer> MakeSymbolizer(SymbolizeOptions options);

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_SYMBOLIZE_H_
