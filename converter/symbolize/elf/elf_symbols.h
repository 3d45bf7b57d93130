// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_ELF_ELF_SYMBOLS_H_
#define PERF2X_SYMBOLIZE_ELF_ELF_SYMBOLS_H_

#include "converter/symbolize/elf/elf_file.h"
#include "converter/symbolize/elf/symbol_index.h"
#include "converter/symbolize/skipped_parts.h"

namespace perf2x {

// Adds the functions and objects of `elf`'s .symtab or, with `dynamic`, its
// .dynsym to `index`, by link-time address. Returns the number of added
// symbols. `elf` must live as long as the index.
size_t AddElfSymbols(const ElfFile& elf, bool dynamic, SymbolIndex* index,
                     SkippedParts* skipped);

// Adds the entries of the procedure linkage tables as "name@plt". Returns the
// number of added symbols.
size_t AddPltSymbols(const ElfFile& elf, SymbolIndex* index,
                     SkippedParts* skipped);

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_ELF_ELF_SYMBOLS_H_
