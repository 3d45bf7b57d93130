// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_JIT_PERF_MAP_SOURCE_H_
#define PERF2X_SYMBOLIZE_JIT_PERF_MAP_SOURCE_H_

#include <memory>
#include <vector>

#include "converter/symbolize/symbol_sources.h"

namespace perf2x {

// perf-PID.map files of JIT compilers, for anonymous executable memory.
class PerfMapSource final : public SymbolSource {
 public:
  explicit PerfMapSource(const SymbolSourceContext& context)
      : options_(context.options) {}
  std::unique_ptr<DsoSymbolizer> Open(const Dso& dso,
                                      DsoReport* report) override;

 private:
  // Places of a process's map, in this order: by its pid, by the pid it has in
  // its namespace while it runs, and by that pid after its end.
  std::vector<FilePlace> Places(int32_t pid, DsoReport* report) const;

  const SymbolizeOptions& options_;
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_JIT_PERF_MAP_SOURCE_H_
