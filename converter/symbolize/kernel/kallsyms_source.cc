// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/kernel/kallsyms_source.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "converter/symbolize/kernel/kernel_files.h"
#include "converter/symbolize/kernel/running_kernel.h"
#include "converter/symbolize/recorded_symbols.h"
#include "converter/symbolize/skipped_parts.h"

namespace perf2x {
namespace {

// A kallsyms table has neither lines nor inlined functions. They come from the
// ELF file of the code, if that has the same function at an address as the
// table. The file is then of the same build, and its assumed load address is
// right.
class KallsymsSymbolizer : public DsoSymbolizer {
 public:
  // `delta` is added to a recorded address to get one of `table`. `elf` may be
  // null.
  KallsymsSymbolizer(KallsymsCache::Table table, uint64_t delta,
                     std::unique_ptr<DsoSymbolizer> elf)
      : table_(std::move(table)), delta_(delta), elf_(std::move(elf)) {
    budget_.AddInput(table_->size_on_disk());
    budget_.ReleaseReserve();
  }

  void Resolve(const Dso& dso, absl::Span<const uint64_t> addresses,
               Symbolizer::Found found) override {
    SymbolIndex part;
    const SymbolIndex& index = table_->IndexFor(addresses, delta_, &part);
    SymbolIndex::Cursor cursor;
    cursor.budget = &budget_;
    auto name_at = [&](size_t i) {
      const SymbolIndex::Entry* entry =
          index.Find(addresses[i] + delta_, &cursor);
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
      elf_->Resolve(dso, addresses,
                    [&](size_t i, absl::Span<const Symbol> symbols) {
                      find_until(i);
                      if (name_at(i) != symbols.back().system_name) return;
                      found(i, symbols);
                      next = i + 1;
                    });
    }
    find_until(addresses.size());
  }

  std::vector<CodeRange> InterruptEntries() const override {
    SymbolIndex part;
    return InterruptEntriesOf(table_->IndexFor(IsInterruptEntry, &part),
                              delta_);
  }
  std::vector<std::string> Warnings() const override {
    std::vector<std::string> warnings;
    if (elf_ != nullptr) warnings = elf_->Warnings();
    SkippedParts skipped;
    skipped.Add(budget_);
    if (!skipped.empty()) warnings.push_back(skipped.Text());
    return warnings;
  }
  void Release() override {
    table_->ReleasePages();
    if (elf_ != nullptr) elf_->Release();
  }

 private:
  const KallsymsCache::Table table_;
  // A budget of this recording: its look-ups must not depend on those of other
  // recordings that share the table.
  Budget budget_{Budget::kSymbolFileRules};
  const uint64_t delta_;
  const std::unique_ptr<DsoSymbolizer> elf_;
};

absl::StatusOr<KallsymsCache::Table> Read(const FilePlace& place,
                                          KallsymsCache& cache) {
  // Files in /proc have size 0.
  if (place.path() == "/proc/kallsyms") return cache.ReadRunning();
  auto opened = SafeFile::Open(place);
  if (!opened.ok()) return opened.status();
  return cache.Parse(*std::move(opened));
}

// Adds the report of a search.
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

}  // namespace

void KallsymsSource::Table::Set(absl::StatusOr<KallsymsCache::Table> table,
                                bool verified) {
  if (!table.ok()) {
    report.tried.push_back(std::string(table.status().message()));
  } else if ((*table)->is_hidden()) {
    report.warnings.push_back(absl::StrCat(
        (*table)->path(),
        " has zeros for addresses: copy it as root, or after"
        " sysctl kernel.kptr_restrict=0, and give it with --kallsyms"));
  } else {
    report.sources = {(*table)->path()};
    report.verified = verified;
    kallsyms = *std::move(table);
  }
}

// The build id of a module is not that of its kernel.
const BuildId& KallsymsSource::KernelIdOf(const Dso& dso) const {
  return dso.kind == DsoKind::kKernel && !dso.build_id.empty()
             ? dso.build_id
             : context_.options.kernel_build_id;
}

std::unique_ptr<DsoSymbolizer> KallsymsSource::OpenDetails(const Dso& dso,
                                                           DsoReport* report) {
  const SymbolizeOptions& options = context_.options;
  if (!options.lines && !options.inlines) return nullptr;
  if (dso.kind == DsoKind::kKernelModule) {
    return KernelModuleSource(context_).Open(dso, report);
  }
  // With a table, the kernel's ELF file is not searched for: only --vmlinux is
  // used.
  return options.vmlinux.empty() || !precedes_vmlinux()
             ? nullptr
             : VmlinuxSource(context_).Open(dso, report);
}

std::unique_ptr<DsoSymbolizer> KallsymsSource::Open(const Dso& dso,
                                                    DsoReport* report) {
  const bool module = dso.kind == DsoKind::kKernelModule;
  if (!module && dso.kind != DsoKind::kKernel &&
      dso.kind != DsoKind::kGuestKernel) {
    return nullptr;
  }
  KallsymsCache::Table kallsyms;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const Table* table = TableOf(dso);
    if (table == nullptr) return nullptr;
    Append(table->report, report);
    kallsyms = table->kallsyms;
  }
  if (kallsyms == nullptr) return nullptr;
  const bool verified = report->verified;
  std::unique_ptr<DsoSymbolizer> elf = OpenDetails(dso, report);
  if (elf != nullptr) report->verified = verified;
  const uint64_t delta =
      module || dso.reference_symbol.empty()
          ? 0
          : KernelDelta(dso, kallsyms->AddressOf(dso.reference_symbol));
  return std::make_unique<KallsymsSymbolizer>(std::move(kallsyms), delta,
                                              std::move(elf));
}

void GivenKallsymsSource::AddPlaces(const SymbolizeOptions& options,
                                    std::vector<std::string>* places) {
  for (const std::string& path : {options.kallsyms, options.guest_kallsyms}) {
    if (!path.empty()) places->push_back(path);
  }
}

void RunningKallsymsSource::AddPlaces(const SymbolizeOptions&,
                                      std::vector<std::string>* places) {
  places->insert(places->end(), {"/proc/kallsyms", "/sys/kernel/notes"});
}

KallsymsSource::Table* GivenKallsymsSource::TableOf(const Dso& dso) {
  const SymbolizeOptions& options = context_.options;
  const bool guest = dso.kind == DsoKind::kGuestKernel;
  const FilePlace place = guest ? FilePlace(options.guest_kallsyms)
                          : options.kallsyms.empty()
                              ? options.kept_kallsyms
                              : FilePlace(options.kallsyms);
  if (place.empty()) return nullptr;
  Table& table = guest ? guest_ : host_;
  if (table.searched) return &table;
  table.searched = true;
  auto read = Read(place, cache());
  if (!read.ok() && (guest || !options.kallsyms.empty())) {
    table.report.warnings.push_back(UnusedFileWarning(
        guest ? "--guest-kallsyms" : "--kallsyms", read.status().message(),
        "a copy of the recorded machine's /proc/kallsyms"));
  }
  table.Set(std::move(read), /*verified=*/false);
  return &table;
}

KallsymsSource::Table* RecordedKallsymsSource::TableOf(const Dso& dso) {
  const RecordedSymbols* recorded = context_.options.recorded.get();
  if (dso.kind == DsoKind::kGuestKernel || recorded == nullptr) return nullptr;
  if (!table_.searched) {
    auto kallsyms = recorded->kallsyms();
    if (kallsyms == nullptr) return nullptr;
    table_.searched = true;
    table_.Set(std::move(kallsyms), /*verified=*/true);
  }
  return &table_;
}

KallsymsSource::Table* CachedKallsymsSource::TableOf(const Dso& dso) {
  if (dso.kind == DsoKind::kGuestKernel) return nullptr;
  const BuildId& id = KernelIdOf(dso);
  Table& table = tables_[id.Hex()];
  if (!table.searched) {
    table.searched = true;
    if (auto cached = context_.finder.FindInCache(id, "kallsyms")) {
      table.Set(cache().Parse(std::move(cached)), /*verified=*/true);
    }
  }
  return &table;
}

KallsymsSource::Table* RunningKallsymsSource::TableOf(const Dso& dso) {
  if (dso.kind == DsoKind::kGuestKernel) return nullptr;
  const SymbolizeOptions& options = context_.options;
  const BuildId& id = KernelIdOf(dso);
  Table& table = tables_[id.Hex()];
  if (table.searched) return &table;
  table.searched = true;
  if (options.running_kernel || (!id.empty() && id == RunningKernelBuildId())) {
    table.Set(cache().ReadRunning(), /*verified=*/true);
  } else {
    table.report.unproven = id.empty() && options.may_be_running_kernel;
    table.report.tried.push_back(
        "/proc/kallsyms (not known to be of the recorded kernel)");
  }
  return &table;
}

}  // namespace perf2x
