#ifndef PERF2X_SYMBOLIZE_KERNEL_KERNEL_NAMES_H_
#define PERF2X_SYMBOLIZE_KERNEL_KERNEL_NAMES_H_

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "converter/symbolize/dso_symbolizer.h"
#include "converter/symbolize/find/binary_finder.h"
#include "converter/symbolize/kernel/kallsyms.h"
#include "converter/symbolize/symbolize.h"
#include "converter/symbolize/thread_budget.h"

namespace perf2x {

// Names the code of kernels and their modules: by a kallsyms table, which a
// kernel and its modules share and which is read once, with lines and inlined
// functions of the ELF files, or by the ELF files alone. Thread-safe.
class KernelNames {
 public:
  // These outlive this.
  KernelNames(const SymbolizeOptions& options, const BinaryFinder& finder,
              ThreadBudget* threads)
      : options_(options), finder_(finder), threads_(threads) {}

  // Null when nothing of the recorded kernel was found; `report` then says why.
  // The symbolizer lives no longer than this and `report`.
  std::unique_ptr<DsoSymbolizer> SymbolizerFor(const Dso& file,
                                               DsoReport* report);

 private:
  // A table that was looked for, and what the search had to say.
  struct Table {
    bool searched = false;
    std::unique_ptr<Kallsyms> kallsyms;  // null: not found
    DsoReport found;
    void Take(absl::StatusOr<std::unique_ptr<Kallsyms>> kallsyms,
              bool verified);
  };

  // Tables that the user gave, and those that are found.
  const Kallsyms* Given(Table* table, const FilePlace& place,
                        DsoReport* report);
  const Kallsyms* Find(const Dso& file, DsoReport* report);
  std::unique_ptr<DsoSymbolizer> Vmlinux(const Dso& file, DsoReport* report);
  std::unique_ptr<DsoSymbolizer> Module(const Dso& file, DsoReport* report);

  const SymbolizeOptions& options_;
  const BinaryFinder& finder_;
  ThreadBudget* const threads_;
  std::mutex mutex_;  // of the tables
  Table given_, guest_;
  std::map<std::string, Table> found_;  // by the kernel's build id
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_KERNEL_KERNEL_NAMES_H_
