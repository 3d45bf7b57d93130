// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/elf/elf_symbolizer.h"

#include <elf.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "converter/symbolize/address_symbolizer.h"
#include "converter/symbolize/elf/elf_code.h"
#include "converter/symbolize/elf/elf_symbols.h"
#include "converter/symbolize/elf/go_table.h"
#include "converter/symbolize/elf/symbol_index.h"

namespace perf2x {
namespace {

// Addresses that justify a thread, and addresses per thread after which results
// are reported, so that results do not pile up.
constexpr size_t kWorthAThread = 1000;
constexpr size_t kShare = 32 << 10;

Budget& BudgetOf(const ElfFile& elf) { return elf.file()->budget(); }

class ElfSymbolizer : public DsoSymbolizer {
 public:
  ElfSymbolizer(const SymbolizeOptions& options, const BinaryFinder& finder,
                std::shared_ptr<const ElfFile> binary,
                std::vector<std::shared_ptr<const ElfFile>> symbol_files,
                std::optional<uint64_t> address_delta, WorkerPool& workers,
                DsoReport* report)
      : inlines_(options.inlines),
        lines_(options.lines),
        finder_(finder),
        binary_(std::move(binary)),
        symbol_files_(std::move(symbol_files)),
        address_delta_(address_delta),
        workers_(workers),
        sources_(
            {&index_, nullptr, nullptr, inlines_, lines_, options.demangle}) {
    sources_.code = binary_.get();
    sources_.budget =
        &BudgetOf(binary_ != nullptr ? *binary_ : *symbol_files_.front());
    for (const auto& elf : symbol_files_) {
      // One full table is enough.
      const size_t n =
          index_.empty() ? AddElfSymbols(*elf, false, &index_, &skipped_) : 0;
      Use(*elf, n > 0 || elf->has_debug_info(), report);
    }
    if (binary_ != nullptr) {
      // The binary's full table is read if no symbol file has one.
      size_t n = index_.empty()
                     ? AddElfSymbols(*binary_, false, &index_, &skipped_)
                     : 0;
      if (index_.empty()) AddMiniDebugInfo(report);
      if (index_.empty() || !has_debug_info()) go_ = GoTable::Open(binary_);
      if (index_.empty() && go_ != nullptr) {
        n += go_->AddTo(&index_, &skipped_);
      }
      report->has_symbol_table = !index_.empty();
      n += AddElfSymbols(*binary_, true, &index_, &skipped_);
      n += AddPltSymbols(*binary_, &index_, &skipped_);
      Use(*binary_, n > 0, report);
    } else {
      report->warnings.push_back(
          "only the separate debug file was found: places in code may be off");
    }
    index_.Finish();
  }

  void Resolve(const Dso&, absl::Span<const uint64_t> addresses,
               Symbolizer::Found found) override {
    if (symbolizers_.empty()) OpenDwarf();
    const size_t helpers =
        std::min(workers_.AvailableWorkers(), addresses.size() / kWorthAThread);
    size_t at = 0;
    if (helpers > 0) {
      const size_t shares = helpers + 1;
      while (symbolizers_.size() < shares) {
        symbolizers_.push_back(nullptr);  // made by ResolveTogether
      }
      while (at < addresses.size()) {
        const size_t left = addresses.size() - at;
        const size_t n = std::min(left, kShare * shares);
        ResolveTogether(addresses.subspan(at, n), at, shares, found);
        at += n;
      }
    }
    std::vector<Symbol> symbols;
    for (; at < addresses.size(); ++at) {
      symbols.clear();
      FindAt(addresses[at], symbolizers_[0].get(), &symbols);
      if (!symbols.empty()) found(at, symbols);
    }
  }

  void Release() override {
    for (const auto& symbolizer : symbolizers_) {
      if (symbolizer != nullptr) Look(*symbolizer, &skipped_, &split_missing_);
    }
    symbolizers_.clear();
    sources_.dwarf.reset();
    for (const auto& elf : Files()) elf->file()->ReleasePages();
  }

  std::vector<CodeRange> InterruptEntries() const override {
    return address_delta_.has_value()
               ? InterruptEntriesOf(index_, *address_delta_)
               : std::vector<CodeRange>();
  }

  std::shared_ptr<CodeImage> OpenCode() override {
    if (binary_ == nullptr) return nullptr;
    if (symbolizers_.empty()) OpenDwarf();
    return std::make_shared<ElfCode>(binary_, index_, sources_.dwarf,
                                     address_delta_);
  }

  std::vector<std::string> Warnings() const override {
    SkippedParts skipped = skipped_;
    bool split_missing = split_missing_;
    for (const auto& symbolizer : symbolizers_) {
      if (symbolizer != nullptr) Look(*symbolizer, &skipped, &split_missing);
    }
    std::vector<std::string> out = late_;
    if (split_missing) {
      out.push_back("debug information split off (.dwo, .dwp) was not found");
    }
    for (const auto& elf : Files()) skipped.Add(BudgetOf(*elf));
    if (!skipped.empty()) out.push_back(skipped.Text());
    for (const auto& elf : Files()) {
      if (elf->file()->has_lost_bytes()) {
        out.push_back(absl::StrCat(elf->file()->path(),
                                   " became shorter, or could not be read, "
                                   "while it was used"));
      }
    }
    return out;
  }

 private:
  // The files that the constructor was given.
  std::vector<std::shared_ptr<const ElfFile>> Files() const {
    std::vector<std::shared_ptr<const ElfFile>> files = symbol_files_;
    if (binary_ != nullptr) files.push_back(binary_);
    return files;
  }
  static void Use(const ElfFile& elf, bool names, DsoReport* report) {
    const std::string& path = elf.file()->path();
    if (elf.damaged()) {
      report->warnings.push_back(
          absl::StrCat(path, " is damaged: parts lie beyond its end"));
    }
    if (names) {
      report->sources.push_back(path);
    } else {
      report->tried.push_back(absl::StrCat(path, " (no symbols in it)"));
    }
  }

  bool has_debug_info() const {
    return binary_->has_debug_info() ||
           std::any_of(symbol_files_.begin(), symbol_files_.end(),
                       [](const auto& elf) { return elf->has_debug_info(); });
  }

  // Adds the symbols that are not dynamic from MiniDebugInfo, a compressed ELF
  // file in a section of the stripped binary; see "MiniDebugInfo" in the GDB
  // manual.
  void AddMiniDebugInfo(DsoReport* report) {
    const ElfFile::Section* section = binary_->Find(".gnu_debugdata");
    if (section == nullptr) return;
    const std::string path =
        absl::StrCat(binary_->file()->path(), " .gnu_debugdata");
    const absl::Span<const uint8_t> packed = binary_->Bytes(*section);
    Budget& budget = BudgetOf(*binary_);
    const uint64_t size_on_disk =
        std::min<uint64_t>(packed.size(), binary_->file()->size_on_disk());
    auto bytes = finder_.files().Unpack(packed, size_on_disk,
                                        budget.left(Budget::kMemory));
    const bool is_too_large = absl::IsResourceExhausted(bytes.status());
    if (bytes.ok()) {
      budget.Spend(Budget::kMemory, bytes->size());
      auto elf = ElfFile::Open(SafeFile::Unpacked(
          *binary_->file(), path, *std::move(bytes), size_on_disk));
      if (elf.ok()) {
        mini_ = *std::move(elf);
        Use(*mini_, AddElfSymbols(*mini_, false, &index_, &skipped_) > 0,
            report);
        return;
      }
    }
    report->warnings.push_back(absl::StrCat(
        path, is_too_large ? " unpacks to too much" : " is damaged"));
  }

  // Opens the debug information and makes the first symbolizer.
  void OpenDwarf() {
    for (const auto& elf : Files()) {
      if (!inlines_ && !lines_) break;
      if (sources_.dwarf != nullptr) continue;
      DwarfCompanions companions;
      companions.alternate = finder_.OpenAlternate(*elf);
      const bool alternate = companions.alternate != nullptr;
      companions.package = finder_.OpenPackage(*elf);
      companions.open_dwo = [this, elf](absl::string_view name,
                                        absl::string_view dir) {
        return std::shared_ptr<const ElfFile>(
            finder_.OpenSplitUnit(*elf, name, dir));
      };
      sources_.dwarf = DwarfFile::Open(elf, std::move(companions));
      if (sources_.dwarf != nullptr) sources_.budget = &BudgetOf(*elf);
      const auto link = elf->alt_link();
      if (sources_.dwarf != nullptr && link.has_value() && !alternate) {
        Warn(absl::StrCat("debug information shared by dwz was not found: ",
                          link->name));
      }
    }
    if (inlines_ || lines_) sources_.go = go_;
    symbolizers_.push_back(std::make_unique<AddressSymbolizer>(sources_));
  }
  static void Look(const AddressSymbolizer& symbolizer, SkippedParts* skipped,
                   bool* split_missing) {
    *split_missing |= symbolizer.missing_split_units() > 0;
    symbolizer.AddSkippedParts(skipped);
  }

  void FindAt(uint64_t offset, AddressSymbolizer* symbolizer,
              std::vector<Symbol>* symbols) const {
    uint64_t address = 0;
    if (SetAddress(offset, &address)) symbolizer->Find(address, symbols);
  }
  // Looks up `addresses` in `count` shares, each with a symbolizer of its own.
  // A share has neighbouring addresses, which are mostly in the same units.
  // `base` is the index that `found` receives for the first address.
  void ResolveTogether(absl::Span<const uint64_t> addresses, size_t base,
                       size_t count, Symbolizer::Found found) {
    struct Share {
      absl::Span<const uint64_t> addresses;
      std::vector<Symbol> symbols;
      std::vector<size_t> ends;  // in symbols, by address
    };
    std::vector<Share> shares(count);
    const size_t size = (addresses.size() + shares.size() - 1) / shares.size();
    auto work = [&](size_t i) {
      if (symbolizers_[i] == nullptr) {
        symbolizers_[i] = std::make_unique<AddressSymbolizer>(sources_);
      }
      shares[i].symbols.reserve(shares[i].addresses.size() * 4);
      shares[i].ends.reserve(shares[i].addresses.size());
      for (uint64_t offset : shares[i].addresses) {
        FindAt(offset, symbolizers_[i].get(), &shares[i].symbols);
        shares[i].ends.push_back(shares[i].symbols.size());
      }
    };
    for (size_t i = 0; i < shares.size(); ++i) {
      const size_t from = std::min(i * size, addresses.size());
      shares[i].addresses = addresses.subspan(from, size);
    }
    workers_.ForEach(shares.size(), work);
    for (const Share& share : shares) {
      size_t first = 0;
      for (size_t end : share.ends) {
        if (end > first) {
          found(base,
                absl::MakeConstSpan(share.symbols).subspan(first, end - first));
        }
        first = end;
        ++base;
      }
    }
  }
  void Warn(std::string text) {
    if (std::find(late_.begin(), late_.end(), text) == late_.end()) {
      late_.push_back(std::move(text));
    }
  }

  // Sets `*address` to that of a place in the file; returns false if it has
  // none. Does not return an optional: that would be stored in two pieces and
  // loaded as one, for which a processor waits until all stores before it are
  // done.
  bool SetAddress(uint64_t offset, uint64_t* address) const {
    if (address_delta_.has_value()) {
      *address = offset + *address_delta_;
      return true;
    }
    if (binary_ != nullptr) {
      const std::optional<uint64_t> found = binary_->AddressOfOffset(offset);
      *address = found.value_or(0);
      return found.has_value();
    }
    // A separate debug file keeps the addresses of its segments but not their
    // offsets. Linkers place the first segment at offset 0, and most place the
    // others as far after the first in the file as in memory.
    for (const ElfFile::Segment& s : symbol_files_.front()->segments()) {
      if (s.type != PT_LOAD) continue;
      *address = (s.address & ~uint64_t{0xfff}) + offset;
      return true;
    }
    return false;
  }

  const bool inlines_, lines_;
  const BinaryFinder& finder_;
  const std::shared_ptr<const ElfFile> binary_;
  const std::vector<std::shared_ptr<const ElfFile>> symbol_files_;
  std::unique_ptr<ElfFile> mini_;
  std::shared_ptr<const GoTable> go_;  // null: none, or not needed
  const std::optional<uint64_t> address_delta_;
  WorkerPool& workers_;
  SkippedParts
      skipped_;  // symbols, and parts of debug information that was closed
  bool split_missing_ = false;
  std::vector<std::string> late_;  // warnings since it was made
  SymbolIndex index_;
  AddressSymbolizer::Sources sources_;
  std::vector<std::unique_ptr<AddressSymbolizer>>
      symbolizers_;  // one per share
};

}  // namespace

std::unique_ptr<DsoSymbolizer> MakeElfSymbolizer(
    const SymbolizeOptions& options, const BinaryFinder& finder,
    std::shared_ptr<const ElfFile> binary,
    std::vector<std::shared_ptr<const ElfFile>> symbol_files,
    std::optional<uint64_t> address_delta, WorkerPool& workers,
    DsoReport* report) {
  return std::make_unique<ElfSymbolizer>(options, finder, std::move(binary),
                                         std::move(symbol_files), address_delta,
                                         workers, report);
}

}  // namespace perf2x
