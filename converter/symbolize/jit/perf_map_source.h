// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_JIT_PERF_MAP_SOURCE_H_
#define PERF2X_SYMBOLIZE_JIT_PERF_MAP_SOURCE_H_

#include <memory>
#include <string>
#include <vector>

#include "converter/symbolize/symbol_sources.h"

namespace perf2x {

// perf-PID.map files of JIT compilers, for anonymous executable memory.
class PerfMapSource final : public SymbolSource {
 public:
  explicit PerfMapSource(const SymbolSourceContext& context)
      : options_(context.options) {}
  // See SymbolSourceEntry::add_places.
  static void AddPlaces(const SymbolizeOptions& options,
                        std::vector<std::string>* places);
  // Opens the perf map of process Dso::pid. Null if none can be opened, and for
  // all kinds but kAnonymous.
  std::unique_ptr<DsoSymbolizer> Open(const Dso& dso,
                                      DsoReport* report) override;

 private:
  // Returns the places of a process's perf map, in the order to try them:
  // - in perf_map_dirs, by pid;
  // - in its container, if the process still runs;
  // - below its own --symfs, by its pid in its own namespace;
  // - in perf_map_dirs, by its pid in its own namespace.
  std::vector<FilePlace> Places(int32_t pid, DsoReport* report) const;

  const SymbolizeOptions& options_;
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_JIT_PERF_MAP_SOURCE_H_
