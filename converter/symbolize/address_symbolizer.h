// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_ADDRESS_SYMBOLIZER_H_
#define PERF2X_SYMBOLIZE_ADDRESS_SYMBOLIZER_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "converter/base/budget.h"
#include "converter/model/symbolizer.h"
#include "converter/symbolize/demangle.h"
#include "converter/symbolize/dwarf/dwarf_info.h"
#include "converter/symbolize/elf/go_lines.h"
#include "converter/symbolize/elf/symbol_index.h"

namespace perf2x {

// Symbolizes link-time addresses of one file by its symbols and debug
// information (Sources). Fastest for ascending addresses. Not thread-safe, but
// symbolizers on several threads may share their sources.
class AddressSymbolizer {
 public:
  // What `symbols`, `code` and `budget` point to must outlive the symbolizer.
  struct Sources {
    const SymbolIndex* symbols = nullptr;    // after Finish; not null
    std::shared_ptr<const DwarfFile> dwarf;  // null: none
    // Used for addresses at which `dwarf` has nothing. Null: none.
    std::shared_ptr<const GoTable> go;
    bool inlines = true;  // if unset, results lack inlined functions
    bool lines = true;    // if unset, results lack files and lines
    Demangle demangle = Demangle::kSimple;
    // The file with the code, in which Find looks for calls. Null: not
    // available.
    const ElfFile* code = nullptr;
    // Pays for demangled names. Once it is exhausted, new names are truncated
    // symbols (TruncateSymbol).
    Budget* budget = &Budget::Unlimited();
  };

  explicit AddressSymbolizer(const Sources& sources);

  // Appends the functions at `address`: the innermost inlined function first,
  // the function that has the code last. Appends nothing if no function has the
  // address. Strings live as long as this object.
  //
  // Callers pass return addresses less 1. If a function begins at address + 1
  // and no call instruction ends there (see Sources::code), address + 1 was not
  // a return address. Find then looks up address + 1.
  void Find(uint64_t address, std::vector<Symbol>* symbols);
  // Returns the number of split units whose files were not found so far.
  uint64_t missing_split_units() const {
    return dwarf_ == nullptr ? 0 : dwarf_->missing_split_units();
  }
  // Adds the parts of the debug information that were skipped so far to
  // `*skipped`.
  void AddSkippedParts(SkippedParts* skipped) const {
    if (dwarf_ != nullptr) dwarf_->AddSkippedParts(skipped);
    if (go_.has_value()) skipped->Add(go_->skipped());
  }

 private:
  bool IsBeforeEntry(uint64_t address) const;
  // Returns a demangled name; each symbol is demangled once. If the budget is
  // exhausted, returns the symbol, truncated.
  absl::string_view Demangled(absl::string_view raw);
  absl::string_view ShortIfSpent(absl::string_view name) const;

  const Sources sources_;
  std::unique_ptr<DwarfInfo> dwarf_;
  std::optional<GoLines> go_;
  SymbolIndex::Cursor cursor_;
  std::vector<DwarfFrame> frames_;  // at the last address
  // The last symbol found. Used only if there is no debug information.
  const SymbolIndex::Entry* last_entry_ = nullptr;
  Symbol last_symbol_;
  // Demangled names, by the pointer to the mangled name and its size.
  absl::flat_hash_map<std::pair<const char*, size_t>,
                      std::unique_ptr<std::string>>
      names_;
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_ADDRESS_SYMBOLIZER_H_
