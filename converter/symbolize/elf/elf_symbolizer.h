// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_ELF_ELF_SYMBOLIZER_H_
#define PERF2X_SYMBOLIZE_ELF_ELF_SYMBOLIZER_H_

#include <memory>
#include <optional>
#include <vector>

#include "converter/base/worker_pool.h"
#include "converter/symbolize/dso_symbolizer.h"
#include "converter/symbolize/find/binary_finder.h"
#include "converter/symbolize/symbolize.h"

namespace perf2x {

// Returns a symbolizer by the symbol tables and debug information of `binary`
// and `symbol_files`. The first file with a table provides the table, the first
// with debug information provides that. Requires a binary or a symbol file.
// Adds the files that were used, and warnings, to `report`. The finder, the
// threads and the report must outlive the symbolizer. Addresses are offsets in
// the binary or, with `address_delta`, link-time addresses minus that.
std::unique_ptr<DsoSymbolizer> MakeElfSymbolizer(
    const SymbolizeOptions& options, const BinaryFinder& finder,
    std::unique_ptr<ElfFile> binary,
    std::vector<std::unique_ptr<ElfFile>> symbol_files,
    std::optional<uint64_t> address_delta, WorkerPool& workers,
    DsoReport* report);

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_ELF_ELF_SYMBOLIZER_H_
