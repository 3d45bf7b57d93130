#include "converter/symbolize/elf_namer.h"

#include <elf.h>

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "converter/symbolize/dwarf_info.h"
#include "converter/symbolize/elf_symbols.h"
#include "converter/symbolize/symbol_index.h"
#include "converter/symbolize/unpack.h"

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
  void Clear() { names_.clear(); }

 private:
  const Demangle style_;
  absl::flat_hash_map<std::pair<const char*, size_t>,
                      std::unique_ptr<std::string>>
      names_;
};

class ElfNamer : public Namer {
 public:
  ElfNamer(const SymbolizeOptions& options, const BinaryFinder& finder,
           std::shared_ptr<const ElfFile> binary,
           std::shared_ptr<const ElfFile> debug,
           std::optional<uint64_t> address_delta, FileReport* report)
      : inlines_(options.inlines),
        lines_(options.lines),
        finder_(finder),
        binary_(std::move(binary)),
        debug_(std::move(debug)),
        address_delta_(address_delta),
        report_(report),
        names_(options.demangle) {
    if (debug_ != nullptr) Use(*debug_, AddElfSymbols(*debug_, false, &index_));
    if (binary_ != nullptr) {
      // One full table is enough; the dynamic one repeats a part of it.
      size_t n = index_.empty() ? AddElfSymbols(*binary_, false, &index_) : 0;
      if (index_.empty()) AddMiniDebugInfo();
      n += AddElfSymbols(*binary_, true, &index_);
      n += AddPltSymbols(*binary_, &index_);
      Use(*binary_, n);
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
    if (addresses.size() > 1) CloseDwarf();
  }

 private:
  void Use(const ElfFile& elf, size_t symbols) {
    const std::string& path = elf.file()->path();
    if (elf.damaged()) {
      report_->warnings.push_back(
          absl::StrCat(path, " is damaged: parts lie behind its end"));
    }
    if (symbols > 0) {
      report_->sources.push_back(path);
    } else {
      report_->tried.push_back(absl::StrCat(path, " (no symbols in it)"));
    }
  }

  // An ELF file with the symbols that are not dynamic, packed in a section of
  // the stripped binary; see "MiniDebugInfo" in the GDB manual.
  void AddMiniDebugInfo() {
    const ElfFile::Section* section = binary_->Find(".gnu_debugdata");
    if (section == nullptr) return;
    const std::string path =
        absl::StrCat(binary_->file()->path(), " .gnu_debugdata");
    auto bytes = Unpack(binary_->Bytes(*section));
    if (bytes.ok()) {
      auto elf = ElfFile::Open(SafeFile::FromMemory(path, *std::move(bytes)));
      if (elf.ok()) {
        mini_ = *std::move(elf);
        Use(*mini_, AddElfSymbols(*mini_, false, &index_));
        return;
      }
    }
    report_->warnings.push_back(absl::StrCat(path, " is damaged"));
  }

  void OpenDwarf() {
    for (const auto& elf : {debug_, binary_}) {
      if (elf == nullptr || dwarf_ != nullptr) continue;
      // Debug information of a module would have to be relocated first.
      if (elf->type() == ET_REL) continue;
      DwarfCompanions companions;
      companions.alternate = finder_.OpenAlternate(*elf);
      const auto link = elf->alt_link();
      if (link.has_value() && companions.alternate == nullptr) {
        Warn(absl::StrCat("debug information shared by dwz was not found: ",
                          link->name));
      }
      companions.package = finder_.OpenPackage(*elf);
      companions.open_dwo = [this, elf](absl::string_view name,
                                        absl::string_view dir) {
        return std::shared_ptr<const ElfFile>(
            finder_.OpenSplitUnit(*elf, name, dir));
      };
      dwarf_ = DwarfInfo::Open(elf, std::move(companions));
    }
  }
  void CloseDwarf() {
    if (dwarf_ == nullptr) return;
    if (dwarf_->missing_split_units() > 0) {
      Warn("debug information split off (.dwo, .dwp) was not found");
    }
    names_.Clear();
    dwarf_.reset();
  }
  void Warn(std::string text) {
    auto& all = report_->warnings;
    if (std::find(all.begin(), all.end(), text) == all.end()) {
      all.push_back(std::move(text));
    }
  }

  std::optional<uint64_t> AddressOf(uint64_t offset) const {
    if (address_delta_.has_value()) return offset + *address_delta_;
    if (binary_ != nullptr) return binary_->AddressOfOffset(offset);
    // A separate debug file keeps the addresses of its segments but not their
    // offsets. Linkers place the first segment at offset 0, and most place the
    // others as far behind it in the file as in memory.
    for (const ElfFile::Segment& s : debug_->segments()) {
      if (s.type == PT_LOAD) return (s.address & ~uint64_t{0xfff}) + offset;
    }
    return std::nullopt;
  }

  const bool inlines_, lines_;
  const BinaryFinder& finder_;
  const std::shared_ptr<const ElfFile> binary_, debug_;
  std::unique_ptr<ElfFile> mini_;
  const std::optional<uint64_t> address_delta_;
  FileReport* const report_;
  NameCache names_;
  SymbolIndex index_;
  std::unique_ptr<DwarfInfo> dwarf_;
};

}  // namespace

std::unique_ptr<Namer> MakeElfNamer(const SymbolizeOptions& options,
                                    const BinaryFinder& finder,
                                    std::unique_ptr<ElfFile> binary,
                                    std::unique_ptr<ElfFile> debug,
                                    std::optional<uint64_t> address_delta,
                                    FileReport* report) {
  return std::make_unique<ElfNamer>(options, finder, std::move(binary),
                                    std::move(debug), address_delta, report);
}

}  // namespace perf2x
