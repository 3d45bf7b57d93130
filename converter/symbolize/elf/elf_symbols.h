// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_ELF_ELF_SYMBOLS_H_
#define PERF2X_SYMBOLIZE_ELF_ELF_SYMBOLS_H_

#include <cstdint>

#include "converter/symbolize/elf/elf_file.h"
#include "converter/symbolize/elf/symbol_index.h"
#include "converter/symbolize/skipped_parts.h"

namespace perf2x {

// Charges the budget of `elf` for the memory of `count` symbols, and for
// `bytes` of names that are copied. If the budget has less memory left, charges
// nothing, adds `count` to `skipped->symbols` and returns false.
bool ChargeSymbols(const ElfFile& elf, uint64_t count, uint64_t bytes,
                   SkippedParts* skipped);

// Adds the functions, objects and assembly labels of a symbol table to `index`,
// by link-time address. The table is .dynsym if `dynamic` is set, else .symtab.
// Of a relocatable file, adds symbols in .text only. Returns the number of
// added symbols; 0 if there is no such table, or if the budget has no memory
// for it (ChargeSymbols). Once the names exceed four times the size of the
// file, skips further symbols and counts them in `skipped`. `elf` must outlive
// the index, which refers to its names. The caller calls SymbolIndex::Finish.
size_t AddElfSymbols(const ElfFile& elf, bool dynamic, SymbolIndex* index,
                     SkippedParts* skipped);

// Like AddElfSymbols, but adds the entries of the procedure linkage tables as
// "name@plt" and copies the names. To be called after AddElfSymbols, because
// IFUNC resolvers are looked up in `index`. To be called before Finish.
size_t AddPltSymbols(const ElfFile& elf, SymbolIndex* index,
                     SkippedParts* skipped);

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_ELF_ELF_SYMBOLS_H_
