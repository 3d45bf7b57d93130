// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_SYMBOL_SOURCES_H_
#define PERF2X_SYMBOLIZE_SYMBOL_SOURCES_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/base/worker_pool.h"
#include "converter/symbolize/find/binary_finder.h"
#include "converter/symbolize/find/file_roots.h"
#include "converter/symbolize/symbol_source.h"
#include "converter/symbolize/symbolize.h"

namespace perf2x {

// Arguments of all sources that symbolize. The referenced objects outlive the
// sources.
struct SymbolSourceContext {
  const SymbolizeOptions& options;
  const BinaryFinder& finder;
  WorkerPool& workers;
};

// One entry of the list: exactly one of the two functions is set.
struct SymbolSourceEntry {
  absl::string_view name;  // as docs/symbols.md lists it
  // Makes a source that symbolizes DSOs.
  std::unique_ptr<SymbolSource> (*make)(const SymbolSourceContext&) = nullptr;
  // Makes a source of ELF files. `roots` outlives the source.
  std::unique_ptr<SymbolSource> (*make_file_source)(const FileRoots& roots) =
      nullptr;
  // Appends the files and folders that the source reads with these options, for
  // the sandbox. Omits recorded paths: without symfs, they may be anywhere.
  // Null: there are none.
  void (*add_places)(const SymbolizeOptions&,
                     std::vector<std::string>* places) = nullptr;
};

// Returns all sources: first the sources that symbolize DSOs, then the sources
// of ELF files. Each group is in the order in which it is tried, except that
// remote sources are tried last. Static lifetime.
absl::Span<const SymbolSourceEntry> SymbolSourceList();

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_SYMBOL_SOURCES_H_
