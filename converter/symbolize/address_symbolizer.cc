// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/address_symbolizer.h"

#include "absl/strings/match.h"
#include "converter/symbolize/elf/call_site.h"

namespace perf2x {

AddressSymbolizer::AddressSymbolizer(const Sources& sources)
    : sources_(sources) {
  if (sources_.dwarf != nullptr) {
    dwarf_ = std::make_unique<DwarfInfo>(sources_.dwarf);
  }
  if (sources_.go != nullptr) go_.emplace(sources_.go);
  cursor_.budget = sources_.budget;
}

absl::string_view AddressSymbolizer::Demangled(absl::string_view raw) {
  const auto found = names_.find({raw.data(), raw.size()});
  if (found != names_.end()) return *found->second;
  if (sources_.budget->exhausted()) return TruncateSymbol(raw);
  auto name = std::make_unique<std::string>(
      DemangleSymbol(raw, sources_.demangle, *sources_.budget));
  // For the copy in names_ and the caller's copies of both strings.
  constexpr uint64_t kOther = 128;
  const uint64_t size = raw.size() + name->size();
  sources_.budget->Spend(Budget::kMemory, 2 * size + kOther);
  return *names_.try_emplace({raw.data(), raw.size()}, std::move(name))
              .first->second;
}

// Returns true if a function starts after `address`, and `address` is neither
// the end of a call nor a one-byte return, which may have been interrupted. The
// callchain then has the function's first byte, as for a signal trampoline.
bool AddressSymbolizer::IsBeforeEntry(uint64_t address) const {
  if (sources_.code == nullptr ||
      !sources_.symbols->StartsRightAfter(address, cursor_)) {
    return false;
  }
  const ElfFile& code = *sources_.code;
  const absl::Span<const uint8_t> bytes = code.file()->bytes();
  const auto read = [&](uint64_t at, int, uint64_t* value) {
    const std::optional<uint64_t> offset = code.OffsetOfAddress(at);
    if (!offset.has_value() || *offset >= bytes.size()) return false;
    *value = bytes[*offset];
    return true;
  };
  const Machine& machine = MachineOfElf(code.machine());
  if (!machine.one_byte_terminators.empty()) {
    uint64_t last = 0;
    if (!read(address, 1, &last) ||
        absl::StrContains(machine.one_byte_terminators,
                          static_cast<char>(last))) {
      return false;
    }
  }
  // An odd address selects the other instruction set (Thumb).
  return !MayFollowCall(machine, address + 1, read) &&
         (!machine.has_odd_code() ||
          !MayFollowCall(machine, address + 2, read));
}

absl::string_view AddressSymbolizer::ShortIfSpent(
    absl::string_view name) const {
  return sources_.budget->exhausted() ? TruncateSymbol(name) : name;
}

void AddressSymbolizer::Find(uint64_t address, std::vector<Symbol>* symbols) {
  const SymbolIndex::Entry* entry = sources_.symbols->Find(address, &cursor_);
  if (IsBeforeEntry(address)) {
    entry = sources_.symbols->Find(++address, &cursor_);
  }
  if (dwarf_ == nullptr && !go_.has_value()) {
    if (entry == nullptr) return;
    if (entry != last_entry_) {
      last_entry_ = entry;
      last_symbol_.name = Demangled(entry->view());
      last_symbol_.system_name = ShortIfSpent(entry->view());
    }
    symbols->push_back(last_symbol_);
    return;
  }
  frames_.clear();
  if (dwarf_ != nullptr) dwarf_->Find(address, sources_.inlines, &frames_);
  if (frames_.empty() && go_.has_value()) {
    go_->Find(address, sources_.inlines, &frames_);
  }
  if (frames_.empty()) frames_.emplace_back();
  // The symbol table overrides the debug information's name for the function
  // that is not inlined.
  if (entry != nullptr) frames_.back().name = entry->view();
  for (const DwarfFrame& frame : frames_) {
    if (frame.name.empty()) continue;
    Symbol symbol;
    symbol.name = Demangled(frame.name);
    symbol.system_name = ShortIfSpent(frame.name);
    if (sources_.lines) {
      symbol.file = frame.file;
      symbol.line = frame.line;
      symbol.start_line = frame.start_line;
    }
    symbols->push_back(symbol);
  }
}

}  // namespace perf2x
