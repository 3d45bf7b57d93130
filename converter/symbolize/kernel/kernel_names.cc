#include "converter/symbolize/kernel/kernel_names.h"

#include "absl/strings/str_cat.h"
#include "converter/symbolize/elf/elf_symbolizer.h"
#include "converter/symbolize/kernel/running_kernel.h"

namespace perf2x {
namespace {

// Names by a kallsyms table. It has neither lines nor inlined functions: these
// come from the code's ELF file, where that has the same function at an address
// and so is of the same build, loaded where it is taken to be.
class KallsymsSymbolizer : public DsoSymbolizer {
 public:
  // `delta` is added to a recorded address to get one of `table`. `elf` may be
  // null.
  KallsymsSymbolizer(const Kallsyms& table, uint64_t delta,
                     std::unique_ptr<DsoSymbolizer> elf)
      : table_(table), delta_(delta), elf_(std::move(elf)) {}

  void Resolve(absl::Span<const uint64_t> addresses,
               Symbolizer::Found found) override {
    SymbolIndex::Cursor cursor;
    cursor.budget = &table_.budget();
    auto name_at = [&](size_t i) {
      const SymbolIndex::Entry* entry =
          table_.index().Find(addresses[i] + delta_, &cursor);
      return entry == nullptr ? absl::string_view()
                              : Kallsyms::WithoutModule(entry->view());
    };
    size_t next = 0;
    auto find_until = [&](size_t end) {
      for (; next < end; ++next) {
        Symbol symbol;
        symbol.name = symbol.system_name = name_at(next);
        if (!symbol.name.empty()) found(next, {&symbol, 1});
      }
    };
    if (elf_ != nullptr) {
      elf_->Resolve(addresses, [&](size_t i, absl::Span<const Symbol> symbols) {
        find_until(i);
        if (name_at(i) != symbols.back().system_name) return;
        found(i, symbols);
        next = i + 1;
      });
    }
    find_until(addresses.size());
  }

  std::vector<CodeRange> InterruptEntries() const override {
    return InterruptEntriesOf(table_.index(), delta_);
  }

 private:
  const Kallsyms& table_;
  const uint64_t delta_;
  const std::unique_ptr<DsoSymbolizer> elf_;
};

// The offset between two views of one kernel, told by a symbol: a copy from
// another boot has it, but not its modules, at other addresses (KASLR).
uint64_t DeltaOf(const Dso& file, uint64_t address_in_table) {
  if (file.reference_address == 0 || address_in_table == 0) return 0;
  return address_in_table - file.reference_address;
}

absl::StatusOr<std::unique_ptr<Kallsyms>> Read(const FilePlace& place) {
  // What /proc has for size is 0.
  if (place.path() == "/proc/kallsyms") return Kallsyms::ReadRunning();
  auto opened = SafeFile::Open(place);
  if (!opened.ok()) return opened.status();
  return Kallsyms::Parse(*std::move(opened));
}

// Adds what a search had to say.
void Append(const DsoReport& from, DsoReport* to) {
  auto append = [](const std::vector<std::string>& a,
                   std::vector<std::string>* b) {
    b->insert(b->end(), a.begin(), a.end());
  };
  append(from.sources, &to->sources);
  append(from.tried, &to->tried);
  append(from.warnings, &to->warnings);
  to->verified |= from.verified;
  to->unproven |= from.unproven;
}

uint64_t SymbolAddress(const ElfFile& elf, absl::string_view name) {
  const ElfFile::Section* table = elf.Find(".symtab");
  uint64_t address = 0;
  if (table == nullptr || name.empty()) return 0;
  elf.ForEachSymbol(*table, [&](uint32_t, const ElfFile::Sym& sym) {
    if (sym.name(name.size() + 1) == name) address = sym.value;
  });
  return address;
}

}  // namespace

void KernelNames::Table::Take(absl::StatusOr<std::unique_ptr<Kallsyms>> table,
                              bool verified) {
  if (!table.ok()) {
    found.tried.push_back(std::string(table.status().message()));
  } else if ((*table)->hidden()) {
    found.warnings.push_back(absl::StrCat(
        (*table)->path(),
        " has zeros for addresses: copy it as root, or after"
        " sysctl kernel.kptr_restrict=0, and give it with --kallsyms"));
  } else {
    found.sources = {(*table)->path()};
    found.verified = verified;
    kallsyms = *std::move(table);
  }
}

const Kallsyms* KernelNames::Given(Table* table, const FilePlace& place,
                                   DsoReport* report) {
  if (place.empty()) return nullptr;
  std::lock_guard<std::mutex> lock(mutex_);
  if (!table->searched) {
    table->searched = true;
    table->Take(Read(place), /*verified=*/false);
  }
  Append(table->found, report);
  return table->kallsyms.get();
}

const Kallsyms* KernelNames::Find(const Dso& file, DsoReport* report) {
  // Only the kernel proper has its build id.
  const BuildId& id = file.kind == DsoKind::kKernel && !file.build_id.empty()
                          ? file.build_id
                          : options_.kernel_build_id;
  std::lock_guard<std::mutex> lock(mutex_);
  Table& table = found_[id.Hex()];
  if (!table.searched) {
    table.searched = true;
    if (auto cached = finder_.FindInCache(id, "kallsyms")) {
      table.Take(Kallsyms::Parse(std::move(cached)), true);
    }
    if (table.kallsyms == nullptr) {
      if (options_.running_kernel ||
          (!id.empty() && id == RunningKernelBuildId())) {
        table.Take(Kallsyms::ReadRunning(), true);
      } else {
        table.found.unproven = id.empty() && options_.may_be_running_kernel;
        table.found.tried.push_back(
            "/proc/kallsyms (not known to be of the recorded kernel)");
      }
    }
  }
  Append(table.found, report);
  return table.kallsyms.get();
}

std::unique_ptr<DsoSymbolizer> KernelNames::Vmlinux(const Dso& file,
                                                    DsoReport* report) {
  std::vector<FilePlace> paths;
  if (!options_.vmlinux.empty()) {
    paths = {options_.vmlinux};
  } else if (!options_.kernel_release.empty() &&
             options_.kernel_release.find('/') == std::string::npos &&
             (options_.binaries.same_host || !file.build_id.empty())) {
    const std::string& release = options_.kernel_release;
    for (const std::string& path :
         {absl::StrCat("/usr/lib/debug/lib/modules/", release, "/vmlinux"),
          absl::StrCat("/usr/lib/debug/boot/vmlinux-", release),
          absl::StrCat("/lib/modules/", release, "/vmlinux"),
          absl::StrCat("/boot/vmlinux-", release)}) {
      paths.push_back(finder_.PlaceOf(path));
    }
  }
  std::unique_ptr<ElfFile> elf;
  for (const FilePlace& place : paths) {
    const std::string path = place.path();
    auto opened = SafeFile::Open(place);
    if (!opened.ok()) {
      report->tried.push_back(absl::StrCat(path, " (not there)"));
      continue;
    }
    auto parsed = ElfFile::Open(*std::move(opened));
    if (!parsed.ok()) {
      report->tried.push_back(std::string(parsed.status().message()));
    } else if (!file.build_id.empty() &&
               (*parsed)->build_id() != file.build_id) {
      report->tried.push_back(absl::StrCat(path, " (other build id)"));
    } else {
      elf = *std::move(parsed);
      report->verified = !file.build_id.empty();
      break;
    }
  }
  if (elf == nullptr && !file.build_id.empty()) {
    FoundFiles by_id = finder_.OpenSymbolFiles(file, nullptr);
    if (!by_id.elfs.empty()) elf = std::move(by_id.elfs.front());
    report->tried.insert(report->tried.end(), by_id.tried.begin(),
                         by_id.tried.end());
    report->verified = elf != nullptr;
  }
  if (elf == nullptr || elf->Find(".symtab") == nullptr) return nullptr;
  const uint64_t at = SymbolAddress(*elf, file.reference_symbol);
  if (at == 0 || file.reference_address == 0) {
    report->warnings.push_back(absl::StrCat(
        elf->file()->path(),
        " is taken to be loaded where it was linked to: the recording does"
        " not tell otherwise"));
  }
  return MakeElfSymbolizer(options_, finder_, std::move(elf), {},
                           DeltaOf(file, at), threads_, report);
}

std::unique_ptr<DsoSymbolizer> KernelNames::Module(const Dso& file,
                                                   DsoReport* report) {
  if (file.start == 0 || file.name.empty() || file.name[0] == '[') {
    return nullptr;
  }
  BinaryFinder::Result found = finder_.OpenBinary(file);
  report->tried.insert(report->tried.end(), found.tried.begin(),
                       found.tried.end());
  if (found.elf == nullptr) return nullptr;
  report->verified = found.verified;
  FoundFiles symbols = finder_.OpenSymbolFiles(file, found.elf.get());
  report->tried.insert(report->tried.end(), symbols.tried.begin(),
                       symbols.tried.end());
  return MakeElfSymbolizer(
      options_, finder_, std::move(found.elf), std::move(symbols.elfs),
      ElfFile::kTextOfRelocatable - file.start, threads_, report);
}

std::unique_ptr<DsoSymbolizer> KernelNames::SymbolizerFor(const Dso& file,
                                                          DsoReport* report) {
  const bool guest = file.kind == DsoKind::kGuestKernel;
  const bool module = file.kind == DsoKind::kKernelModule;
  const Kallsyms* table =
      guest ? Given(&guest_, options_.guest_kallsyms, report)
            : Given(&given_,
                    options_.kallsyms.empty() ? options_.kept_kallsyms
                                              : FilePlace(options_.kallsyms),
                    report);
  // The kernel's own file is searched for only where no table was given.
  if (table == nullptr && module) table = Find(file, report);
  const bool verified = report->verified;
  const bool details = options_.lines || options_.inlines;
  std::unique_ptr<DsoSymbolizer> elf;
  if (module) {
    if (table == nullptr || details) elf = Module(file, report);
  } else if (!guest &&
             (table == nullptr || (details && !options_.vmlinux.empty()))) {
    elf = Vmlinux(file, report);
    if (elf == nullptr && table == nullptr) table = Find(file, report);
  }
  if (table == nullptr) return elf;
  if (elf != nullptr) report->verified = verified;
  const uint64_t delta =
      module || file.reference_symbol.empty()
          ? 0
          : DeltaOf(file, table->AddressOf(file.reference_symbol));
  return std::make_unique<KallsymsSymbolizer>(*table, delta, std::move(elf));
}

}  // namespace perf2x
