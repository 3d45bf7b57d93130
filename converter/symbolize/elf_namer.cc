#include "converter/symbolize/elf_namer.h"

#include <elf.h>

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "converter/symbolize/dwarf_info.h"
#include "converter/symbolize/elf_symbols.h"
#include "converter/symbolize/symbol_index.h"

namespace perf2x {
namespace {

// Names in the source language; each is worked out once.
class NameCache {
 public:
  explicit NameCache(Demangle style) : style_(style) {}
  // `raw` must stay where it is as long as the cache.
  absl::string_view operator()(absl::string_view raw) {
    if (raw.empty()) return raw;
    auto& slot = names_[{raw.data(), raw.size()}];
    if (slot == nullptr) {
      slot = std::make_unique<std::string>(DemangleSymbol(raw, style_));
    }
    return *slot;
  }

 private:
  const Demangle style_;
  absl::flat_hash_map<std::pair<const char*, size_t>,
                      std::unique_ptr<std::string>>
      names_;
};

class ElfNamer : public Namer {
 public:
  ElfNamer(const SymbolizeOptions& options,
           std::shared_ptr<const ElfFile> binary,
           std::shared_ptr<const ElfFile> debug, FileReport* report)
      : inlines_(options.inlines),
        lines_(options.lines),
        binary_(std::move(binary)),
        debug_(std::move(debug)),
        names_(options.demangle) {
    if (debug_ != nullptr) {
      Use(*debug_, AddElfSymbols(*debug_, false, &index_), report);
    }
    if (binary_ != nullptr) {
      // One full table is enough; the dynamic one repeats a part of it.
      size_t n = index_.empty() ? AddElfSymbols(*binary_, false, &index_) : 0;
      n += AddElfSymbols(*binary_, true, &index_);
      n += AddPltSymbols(*binary_, &index_);
      Use(*binary_, n, report);
    } else {
      report->warnings.push_back(
          "only the separate debug file was found: places in code may be off");
    }
    index_.Finish();
  }

  void Resolve(absl::Span<const uint64_t> addresses,
               Symbolizer::Found found) override {
    if (dwarf_ == nullptr && (inlines_ || lines_)) OpenDwarf();
    SymbolIndex::Cursor cursor;
    std::vector<DwarfFrame> frames;
    std::vector<Symbol> symbols;
    for (size_t i = 0; i < addresses.size(); ++i) {
      const auto address = AddressOf(addresses[i]);
      if (!address.has_value()) continue;
      const SymbolIndex::Entry* entry = index_.Find(*address, &cursor);
      frames.clear();
      if (dwarf_ != nullptr) dwarf_->Find(*address, inlines_, &frames);
      if (frames.empty()) frames.emplace_back();
      // The symbol table has the last word on the function that has the code.
      if (entry != nullptr) frames.back().name = entry->view();
      symbols.clear();
      for (const DwarfFrame& frame : frames) {
        if (frame.name.empty()) continue;
        Symbol symbol;
        symbol.name = names_(frame.name);
        symbol.system_name = frame.name;
        if (lines_) {
          symbol.file = frame.file;
          symbol.line = frame.line;
          symbol.start_line = frame.start_line;
        }
        symbols.push_back(symbol);
      }
      if (!symbols.empty()) found(i, symbols);
    }
    // Whoever asks for many addresses at once asks once.
    if (addresses.size() > 1) dwarf_.reset();
  }

 private:
  static void Use(const ElfFile& elf, size_t symbols, FileReport* report) {
    if (elf.damaged()) {
      report->warnings.push_back(absl::StrCat(
          elf.file()->path(), " is damaged: parts lie behind its end"));
    }
    if (symbols > 0) {
      report->sources.push_back(elf.file()->path());
    } else {
      report->tried.push_back(
          absl::StrCat(elf.file()->path(), " (no symbols in it)"));
    }
  }

  std::optional<uint64_t> AddressOf(uint64_t offset) const {
    if (binary_ != nullptr) return binary_->AddressOfOffset(offset);
    // A separate debug file keeps the addresses of its segments but not their
    // offsets. Linkers place the first segment at offset 0, and most place the
    // others as far behind it in the file as in memory.
    for (const ElfFile::Segment& s : debug_->segments()) {
      if (s.type == PT_LOAD) return (s.address & ~uint64_t{0xfff}) + offset;
    }
    return std::nullopt;
  }

  void OpenDwarf() {
    for (const auto& elf : {debug_, binary_}) {
      if (elf == nullptr || dwarf_ != nullptr) continue;
      dwarf_ = DwarfInfo::Open(elf, DwarfCompanions());
    }
  }

  const bool inlines_, lines_;
  const std::shared_ptr<const ElfFile> binary_, debug_;
  NameCache names_;
  SymbolIndex index_;
  std::unique_ptr<DwarfInfo> dwarf_;
};

}  // namespace

std::unique_ptr<Namer> MakeElfNamer(const SymbolizeOptions& options,
                                    std::unique_ptr<ElfFile> binary,
                                    std::unique_ptr<ElfFile> debug,
                                    FileReport* report) {
  return std::make_unique<ElfNamer>(options, std::move(binary),
                                    std::move(debug), report);
}

}  // namespace perf2x
