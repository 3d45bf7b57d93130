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

// Returns a symbolizer that uses `symbol_files` and `binary`, of which there
// must be one at least. The full symbol table comes from the first of these
// files that has one, the debug information from the first that has any. Adds
// the files that were used, and warnings, to `report`. `finder`, `workers` and
// `report` must outlive the symbolizer. It looks up file offsets in the binary
// or, if `address_delta` is set, link-time addresses minus `address_delta`.
std::unique_ptr<DsoSymbolizer> MakeElfSymbolizer(
    const SymbolizeOptions& options, const BinaryFinder& finder,
    std::unique_ptr<ElfFile> binary,
    std::vector<std::unique_ptr<ElfFile>> symbol_files,
    std::optional<uint64_t> address_delta, WorkerPool& workers,
    DsoReport* report);

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_ELF_ELF_SYMBOLIZER_H_
