// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_ADDRESS_SYMBOLIZER_H_
#define PERF2X_SYMBOLIZE_ADDRESS_SYMBOLIZER_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "converter/base/budget.h"
#include "converter/model/symbolizer.h"
#include "converter/symbolize/demangle.h"
#include "converter/symbolize/dwarf/dwarf_info.h"
#include "converter/symbolize/elf/go_lines.h"
#include "converter/symbolize/elf/symbol_index.h"

namespace perf2x {

// Symbolizes link-time addresses of one file by its symbols and debug
// information (Sources), which several symbolizers may share. Fastest for
// ascending addresses. Not thread-safe.
class AddressSymbolizer {
 public:
  struct Sources {
    const SymbolIndex* symbols = nullptr;    // outlives the symbolizer
    std::shared_ptr<const DwarfFile> dwarf;  // null: none
    std::shared_ptr<const GoTable>
        go;  // for addresses that are not in `dwarf`; null: none
    bool inlines = true, lines = true;
    Demangle demangle = Demangle::kSimple;
    // The file with the code. Outlives the symbolizer; null: not found.
    const ElfFile* code = nullptr;
    // The budget of the main file. Outlives the symbolizer.
    Budget* budget = &Budget::Unlimited();
  };

  explicit AddressSymbolizer(const Sources& sources);

  // Appends the functions at `address`, innermost inlined function first; none
  // if the address has no symbol. Strings live as long as this object. If
  // `address` is the last byte before a function and no call ends there, looks
  // up that function: the caller subtracted 1 from an address that was no
  // return address.
  void Find(uint64_t address, std::vector<Symbol>* symbols);
  // Returns the number of split units whose files were not found.
  uint64_t missing_split_units() const {
    return dwarf_ == nullptr ? 0 : dwarf_->missing_split_units();
  }
  // Adds the parts of the debug information that were skipped.
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
