#include "converter/symbolize/elf_namer.h"

#include <elf.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "converter/symbolize/elf_symbols.h"
#include "converter/symbolize/symbol_index.h"

namespace perf2x {
namespace {

class ElfNamer : public Namer {
 public:
  ElfNamer(const SymbolizeOptions& options, std::unique_ptr<ElfFile> binary,
           std::unique_ptr<ElfFile> debug, FileReport* report)
      : demangle_(options.demangle),
        binary_(std::move(binary)),
        debug_(std::move(debug)) {
    if (debug_ != nullptr)
      Use(*debug_, AddElfSymbols(*debug_, false, &index_), report);
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
    SymbolIndex::Cursor cursor;
    const SymbolIndex::Entry* last = nullptr;
    std::string name;
    for (size_t i = 0; i < addresses.size(); ++i) {
      const auto address = AddressOf(addresses[i]);
      if (!address.has_value()) continue;
      const SymbolIndex::Entry* entry = index_.Find(*address, &cursor);
      if (entry == nullptr) continue;
      if (entry != last) name = DemangleSymbol(entry->view(), demangle_);
      last = entry;
      Symbol symbol;
      symbol.name = name;
      symbol.system_name = entry->view();
      found(i, {&symbol, 1});
    }
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

  const Demangle demangle_;
  const std::unique_ptr<ElfFile> binary_, debug_;
  SymbolIndex index_;
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
