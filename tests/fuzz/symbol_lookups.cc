// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/symbol_lookups.h"

#include <optional>
#include <utility>

#include "converter/symbolize/elf/elf_symbolizer.h"
#include "converter/symbolize/find/binary_finder.h"

namespace perf2x {

std::vector<std::string> NameWith(std::unique_ptr<ElfFile> elf,
                                  absl::Span<const uint64_t> addresses,
                                  Symbolizer::Found found) {
  SymbolizeOptions options;
  options.binaries.symfs = options.binaries.buildid_dir = "/nonexistent";
  options.binaries.debug_dirs.clear();
  const BinaryFinder finder(options.binaries);
  WorkerPool workers(1);
  DsoReport report;
  auto symbolizer = MakeElfSymbolizer(options, finder, std::move(elf), {},
                                      std::nullopt, workers, &report);
  symbolizer->Resolve(Dso(), addresses, found);
  return symbolizer->Warnings();
}

}  // namespace perf2x
