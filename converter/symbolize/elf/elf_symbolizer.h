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

// Returns a symbolizer, never null, that uses `symbol_files` in their order and
// then `binary`. `binary` may be null if there is a symbol file. The full
// symbol table comes from the first file that has one. The debug information
// comes from the first file that has any. Dynamic symbols and linkage tables
// come from `binary` only.
//
// Without `address_delta`, an address to look up is a file offset in `binary`.
// With it, that address plus `*address_delta` is the link-time address.
//
// `finder` and `workers` must outlive the symbolizer. Adds warnings and the
// files that are used or rejected to `report`; DsoSymbolizer::Warnings has what
// is found later.
std::unique_ptr<DsoSymbolizer> MakeElfSymbolizer(
    const SymbolizeOptions& options, const BinaryFinder& finder,
    std::shared_ptr<const ElfFile> binary,
    std::vector<std::shared_ptr<const ElfFile>> symbol_files,
    std::optional<uint64_t> address_delta, WorkerPool& workers,
    DsoReport* report);

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_ELF_ELF_SYMBOLIZER_H_
