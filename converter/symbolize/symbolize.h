#ifndef PERF2X_SYMBOLIZE_SYMBOLIZE_H_
#define PERF2X_SYMBOLIZE_SYMBOLIZE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "converter/base/build_id.h"
#include "converter/model/dso_report.h"
#include "converter/model/model.h"
#include "converter/model/symbolizer.h"
#include "converter/symbolize/demangle.h"
#include "converter/symbolize/find/binary_finder.h"
#include "converter/symbolize/find/safe_file.h"
#include "converter/symbolize/jit/process_namespace.h"
#include "converter/symbolize/kernel/interrupt_entries.h"

namespace perf2x {

struct SymbolizeOptions {
  BinaryFinderOptions binaries;
  // Copy of the recorded kernel's /proc/kallsyms that the user gave. Empty:
  // none.
  std::string kallsyms;
  // Likewise the one in the kcore_dir of a folder recording. The user's comes
  // first.
  FilePlace kept_kallsyms;
  // Likewise of the kernel in a virtual machine. Empty: none.
  std::string guest_kallsyms;
  // The recorded kernel's ELF file. Empty: looked for by build id or, on the
  // machine of the recording, by `kernel_release`.
  std::string vmlinux;
  std::string kernel_release;  // as uname -r prints it; empty: not known
  // Of the recorded kernel, for the sake of its modules; empty: not known.
  BuildId kernel_build_id;
  // Whether the caller has proven, by release and boot, that the recorded
  // kernel is the running one, so that its /proc/kallsyms may be used. An equal
  // build id proves it without the caller.
  bool running_kernel = false;
  // Whether it may be, but nothing proves that the machine is this one.
  bool may_be_running_kernel = false;
  // Whether what the recording has of this machine can show that it was made
  // here. Off for recordings of others: these may know all of it.
  bool may_show_host = true;
  // Whether the user says that the recording was made on this machine.
  bool trust_host = false;
  // Folders with perf-PID.map files of JIT compilers; see PerfMap::Open. Links
  // in them do not lead out of them.
  std::vector<std::string> perf_map_dirs;
  // Not null: also the maps are looked for of processes that have pids of their
  // own, by what is recorded of them.
  std::shared_ptr<const RecordedProcesses> processes;
  // Likewise, on the machine of the recording, through those that run; null:
  // not looked at.
  std::shared_ptr<const ContainerProcesses> containers;
  Demangle demangle = Demangle::kSimple;
  bool inlines = true;  // inlined functions, from debug information
  bool lines = true;    // source files and lines, likewise
  int threads = 1;      // that may work on one large file
  // Pays for demangling names that are in the recording itself; null: nothing
  // does.
  std::shared_ptr<Budget> name_budget;
};

// Names code from the files of this machine. Each file is opened when the first
// address in it is asked for. Thread-safe; answers do not depend on the order
// or number of questions.
class FileSymbolizer : public Symbolizer {
 public:
  // Where interrupts and exceptions enter the code of a kernel, by the names of
  // its symbols: ascending ranges of addresses as in a Frame. A frame that lies
  // at the start of one, and the caller of each, are no return addresses.
  virtual std::vector<CodeRange> InterruptEntries(const Dso& kernel) = 0;
  // Sorted by kind, name and build id. Call when no Resolve is under way.
  virtual std::vector<DsoReport> Reports() const = 0;
};

std::unique_ptr<FileSymbolizer> MakeSymbolizer(SymbolizeOptions options);

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_SYMBOLIZE_H_
