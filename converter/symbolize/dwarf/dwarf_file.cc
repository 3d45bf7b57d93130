// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/dwarf/dwarf_file.h"

#include <utility>

namespace perf2x {

std::shared_ptr<const DwarfFile> DwarfFile::Open(
    std::shared_ptr<const ElfFile> elf, DwarfCompanions companions) {
  auto file = std::make_shared<DwarfFile>();
  file->sections = LoadDwarfSections(*elf, false);
  if (file->sections == nullptr) return nullptr;
  file->elf = std::move(elf);
  if (companions.alternate != nullptr) {
    file->alternate = LoadDwarfSections(*companions.alternate, false);
  }
  if (companions.package != nullptr) {
    file->package = LoadDwarfSections(*companions.package, true);
  }
  file->companions = std::move(companions);
  return file;
}

}  // namespace perf2x
