#ifndef PERF2X_SYMBOLIZE_KERNEL_NAMES_H_
#define PERF2X_SYMBOLIZE_KERNEL_NAMES_H_

#include <memory>
#include <mutex>
#include <string>

#include "converter/symbolize/binary_finder.h"
#include "converter/symbolize/kallsyms.h"
#include "converter/symbolize/namer.h"
#include "converter/symbolize/symbolize.h"

namespace perf2x {

// The kernel symbol tables that a recording's kernel and modules share; each is
// read once. Thread-safe.
class KernelNames {
 public:
  KernelNames(const SymbolizeOptions& options, const BinaryFinder& finder)
      : options_(options), finder_(finder) {}

  // Null when no table of the recorded kernel was found; `report` then says
  // why. The namer lives no longer than this.
  std::unique_ptr<Namer> NamerFor(const CodeFile& file, FileReport* report);

 private:
  const Kallsyms* Table(const CodeFile& file, FileReport* report);

  const SymbolizeOptions& options_;
  const BinaryFinder& finder_;
  std::mutex mutex_;
  bool searched_ = false;
  std::unique_ptr<Kallsyms> table_;
  FileReport found_;  // what the search had to say
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_KERNEL_NAMES_H_
