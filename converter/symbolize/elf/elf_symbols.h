// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_ELF_ELF_SYMBOLS_H_
#define PERF2X_SYMBOLIZE_ELF_ELF_SYMBOLS_H_

#include "converter/symbolize/elf/elf_file.h"
#include "converter/symbolize/elf/symbol_index.h"
#include "converter/symbolize/skipped_parts.h"

namespace perf2x {

// Adds the functions, objects and assembly labels of .symtab or, with
// `dynamic`, of .dynsym to `index`, by link-time address; of a relocatable
// file, only those of .text. Returns the number of added symbols: 0 if there is
// no such table. Counts symbols in `skipped` once names take more than four
// times the bytes of the file. `elf` must outlive the index, which refers to
// its names. The caller calls SymbolIndex::Finish.
size_t AddElfSymbols(const ElfFile& elf, bool dynamic, SymbolIndex* index,
                     SkippedParts* skipped);

// Like AddElfSymbols, but adds the entries of the procedure linkage tables as
// "name@plt" and copies the names. IFUNC resolvers are looked up in `index`: to
// be called after AddElfSymbols and before Finish.
size_t AddPltSymbols(const ElfFile& elf, SymbolIndex* index,
                     SkippedParts* skipped);

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_ELF_ELF_SYMBOLS_H_
