// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_ELF_ELF_SYMBOLS_H_
#define PERF2X_SYMBOLIZE_ELF_ELF_SYMBOLS_H_

#include "converter/symbolize/elf/elf_file.h"
#include "converter/symbolize/elf/symbol_index.h"
#include "converter/symbolize/skipped_parts.h"

namespace perf2x {

// Adds the functions, objects and assembly labels of .symtab or, with
// `dynamic`, of .dynsym to `index`, by link-time address. Returns the number of
// added symbols. `elf` must outlive the index, which refers to its names.
size_t AddElfSymbols(const ElfFile& elf, bool dynamic, SymbolIndex* index,
                     SkippedParts* skipped);

// Adds the entries of the procedure linkage tables as "name@plt"; names are
// copied. Those of IFUNC resolvers are looked up in `index`, so call this after
// AddElfSymbols(). Returns the number of added symbols.
size_t AddPltSymbols(const ElfFile& elf, SymbolIndex* index,
                     SkippedParts* skipped);

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_ELF_ELF_SYMBOLS_H_
