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

// Names link-time addresses of a file by its symbols and debug information,
// which threads share. One thread at a time; best asked for ascending ones.
class AddressSymbolizer {
 public:
  struct Sources {
    const SymbolIndex* symbols = nullptr;    // outlives the symbolizer
    std::shared_ptr<const DwarfFile> dwarf;  // null: none
    std::shared_ptr<const GoTable> go;       // asked after `dwarf`; null: none
    bool inlines = true, lines = true;
    Demangle demangle = Demangle::kSimple;
    const ElfFile* code =
        nullptr;  // outlives the symbolizer; null: not at hand
    // Of the file that most names are from; outlives the symbolizer.
    Budget* budget = &Budget::Unlimited();
  };

  explicit AddressSymbolizer(const Sources& sources);

  // Appends the functions at `address`, innermost first; none when there is no
  // name. Their strings live as long as this. An address before a function's
  // first instruction, where no call ends, is that instruction: it was taken
  // for a return address and moved back by a byte.
  void Find(uint64_t address, std::vector<Symbol>* symbols);
  // Split units whose files were not found.
  uint64_t missing_split_units() const {
    return dwarf_ == nullptr ? 0 : dwarf_->missing_split_units();
  }
  // Adds what was left out of the debug information.
  void AddSkippedParts(SkippedParts* skipped) const {
    if (dwarf_ != nullptr) dwarf_->AddSkippedParts(skipped);
    if (go_.has_value()) skipped->Add(go_->skipped());
  }

 private:
  bool IsBeforeEntry(uint64_t address) const;
  // A name in the source language; each is worked out once. Where the budget is
  // used up: as much of the raw one as others' names have.
  absl::string_view Demangled(absl::string_view raw);
  absl::string_view ShortIfSpent(absl::string_view name) const;

  const Sources sources_;
  std::unique_ptr<DwarfInfo> dwarf_;
  std::optional<GoLines> go_;
  SymbolIndex::Cursor cursor_;
  std::vector<DwarfFrame> frames_;  // of the last address
  // Without debug information, what the last address had.
  const SymbolIndex::Entry* last_entry_ = nullptr;
  Symbol last_symbol_;
  // By where the raw name lies in its file.
  absl::flat_hash_map<std::pair<const char*, size_t>,
                      std::unique_ptr<std::string>>
      names_;
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_ADDRESS_SYMBOLIZER_H_
