// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/kernel/kernel_files.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "converter/symbolize/elf/elf_symbolizer.h"

namespace perf2x {
namespace {

// The address of a symbol; 0 if there is none.
uint64_t SymbolAddress(const ElfFile& elf, absl::string_view name) {
  const ElfFile::Section* table = elf.Find(".symtab");
  uint64_t address = 0;
  if (table == nullptr || name.empty()) return 0;
  elf.ForEachSymbol(*table, [&](uint32_t, const ElfFile::Sym& sym) {
    if (sym.name(name.size() + 1) == name) address = sym.value;
  });
  return address;
}

// Adds that the file at `path` cannot be used, with a warning if the user named
// it. `failure` is "PATH: WHY".
void AddFailure(const SymbolizeOptions& options, const std::string& path,
                const std::string& failure, DsoReport* report) {
  report->tried.push_back(failure);
  if (path != options.vmlinux) return;
  report->warnings.push_back(UnusedFileWarning(
      "--vmlinux", failure, "the recorded kernel's ELF file"));
}

void AppendTried(const std::vector<std::string>& lines, DsoReport* report) {
  report->tried.insert(report->tried.end(), lines.begin(), lines.end());
}

}  // namespace

uint64_t KernelDelta(const Dso& kernel, uint64_t address_in_file) {
  if (kernel.reference_address == 0 || address_in_file == 0) return 0;
  return address_in_file - kernel.reference_address;
}

void VmlinuxSource::AddPlaces(const SymbolizeOptions& options,
                              std::vector<std::string>* places) {
  places->insert(places->end(), {"/boot", "/lib/modules", "/usr/lib/debug"});
  if (!options.vmlinux.empty()) places->push_back(options.vmlinux);
}

std::vector<FilePlace> VmlinuxSource::NamedPlaces(const Dso& dso) const {
  const SymbolizeOptions& options = context_.options;
  if (!options.vmlinux.empty()) return {options.vmlinux};
  const std::string& release = options.kernel_release;
  if (release.empty() || release.find('/') != std::string::npos ||
      (!options.binaries.same_host && dso.build_id.empty())) {
    return {};
  }
  std::vector<FilePlace> places;
  for (const std::string& path :
       {absl::StrCat("/usr/lib/debug/lib/modules/", release, "/vmlinux"),
        absl::StrCat("/usr/lib/debug/boot/vmlinux-", release),
        absl::StrCat("/lib/modules/", release, "/vmlinux"),
        absl::StrCat("/boot/vmlinux-", release)}) {
    places.push_back(context_.finder.roots().PlaceOf(path));
  }
  return places;
}

std::shared_ptr<const ElfFile> VmlinuxSource::Find(const Dso& dso,
                                                   DsoReport* report) const {
  const SymbolizeOptions& options = context_.options;
  for (const FilePlace& place : NamedPlaces(dso)) {
    const std::string path = place.path();
    auto opened = SafeFile::Open(place);
    if (!opened.ok()) {
      AddFailure(options, path,
                 absl::IsNotFound(opened.status())
                     ? absl::StrCat(path, " (not there)")
                     : std::string(opened.status().message()),
                 report);
      continue;
    }
    auto parsed = ElfFile::Open(*std::move(opened));
    if (!parsed.ok()) {
      AddFailure(options, path, std::string(parsed.status().message()), report);
    } else if (!dso.build_id.empty() && (*parsed)->build_id() != dso.build_id) {
      AddFailure(options, path, absl::StrCat(path, " (other build id)"),
                 report);
    } else {
      report->verified = !dso.build_id.empty();
      return *std::move(parsed);
    }
  }
  if (dso.build_id.empty()) return nullptr;
  FoundFiles by_id = context_.finder.OpenSymbolFiles(dso, nullptr);
  AppendTried(by_id.tried, report);
  report->verified = !by_id.elfs.empty();
  return by_id.elfs.empty() ? nullptr : std::move(by_id.elfs.front());
}

std::unique_ptr<DsoSymbolizer> VmlinuxSource::Open(const Dso& dso,
                                                   DsoReport* report) {
  if (dso.kind != DsoKind::kKernel) return nullptr;
  std::shared_ptr<const ElfFile> elf = Find(dso, report);
  if (elf == nullptr) return nullptr;
  const std::string& path = elf->file()->path();
  if (elf->Find(".symtab") == nullptr) {
    const std::string failure = absl::StrCat(path, ": no symbol table in it");
    AddFailure(context_.options, path, failure, report);
    return nullptr;
  }
  const uint64_t at = SymbolAddress(*elf, dso.reference_symbol);
  if (at == 0 || dso.reference_address == 0) {
    report->warnings.push_back(absl::StrCat(
        path,
        " is taken to be loaded where it was linked to: the recording does"
        " not tell otherwise"));
  }
  return MakeElfSymbolizer(context_.options, context_.finder, std::move(elf),
                           {}, KernelDelta(dso, at), context_.workers, report);
}

std::unique_ptr<DsoSymbolizer> KernelModuleSource::Open(const Dso& dso,
                                                        DsoReport* report) {
  if (dso.kind != DsoKind::kKernelModule || dso.start == 0 ||
      dso.name.empty() || dso.name[0] == '[') {
    return nullptr;
  }
  const BinaryFinder& finder = context_.finder;
  BinaryFinder::Result found = finder.OpenBinary(dso);
  AppendTried(found.tried, report);
  if (found.elf == nullptr) return nullptr;
  report->verified = found.verified;
  FoundFiles symbols = finder.OpenSymbolFiles(dso, found.elf.get());
  AppendTried(symbols.tried, report);
  return MakeElfSymbolizer(
      context_.options, finder, std::move(found.elf), std::move(symbols.elfs),
      ElfFile::kTextOfRelocatable - dso.start, context_.workers, report);
}

}  // namespace perf2x
