#include "converter/symbolize/address_namer.h"

namespace perf2x {

AddressNamer::AddressNamer(const Sources& sources) : sources_(sources) {
  if (sources_.dwarf != nullptr) {
    dwarf_ = std::make_unique<DwarfInfo>(sources_.dwarf);
  }
  if (sources_.go != nullptr) go_.emplace(sources_.go);
}

absl::string_view AddressNamer::Demangled(absl::string_view raw) {
  auto& slot = names_[{raw.data(), raw.size()}];
  if (slot == nullptr) {
    slot =
        std::make_unique<std::string>(DemangleSymbol(raw, sources_.demangle));
  }
  return *slot;
}

void AddressNamer::Find(uint64_t address, std::vector<Symbol>* symbols) {
  const SymbolIndex::Entry* entry = sources_.symbols->Find(address, &cursor_);
  if (dwarf_ == nullptr && !go_.has_value()) {
    if (entry == nullptr) return;
    if (entry != last_entry_) {
      last_entry_ = entry;
      last_symbol_.name = Demangled(entry->view());
      last_symbol_.system_name = entry->view();
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
  // The symbol table has the last word on the function that has the code.
  if (entry != nullptr) frames_.back().name = entry->view();
  for (const DwarfFrame& frame : frames_) {
    if (frame.name.empty()) continue;
    Symbol symbol;
    symbol.name = Demangled(frame.name);
    symbol.system_name = frame.name;
    if (sources_.lines) {
      symbol.file = frame.file;
      symbol.line = frame.line;
      symbol.start_line = frame.start_line;
    }
    symbols->push_back(symbol);
  }
}

}  // namespace perf2x
