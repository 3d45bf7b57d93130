// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_DWARF_DWARF_FILE_H_
#define PERF2X_SYMBOLIZE_DWARF_DWARF_FILE_H_

#include <functional>
#include <memory>

#include "absl/strings/string_view.h"
#include "converter/symbolize/dwarf/dwarf_sections.h"
#include "converter/symbolize/elf/elf_file.h"

namespace perf2x {

// Other files with parts of a file's debug information.
struct DwarfCompanions {
  // The file that .gnu_debugaltlink names (dwz); null: none.
  std::shared_ptr<const ElfFile> alternate;
  // Package of split units (.dwp); null: none.
  std::shared_ptr<const ElfFile> package;
  // Opens a split unit's file by DW_AT_dwo_name and DW_AT_comp_dir; returns
  // null on failure. Must be thread-safe. An empty function: no files are
  // opened.
  std::function<std::shared_ptr<const ElfFile>(absl::string_view,
                                               absl::string_view)>
      open_dwo;
};

// A file's undecoded debug information. Immutable but for its budget; shared by
// the DwarfInfo of several threads.
struct DwarfFile {
  // Decompresses the sections of `elf`, which must not be null, and of its
  // companions. Returns null if `elf` has no debug information.
  static std::shared_ptr<const DwarfFile> Open(
      std::shared_ptr<const ElfFile> elf, DwarfCompanions companions);

  std::shared_ptr<const ElfFile> elf;
  DwarfCompanions companions;
  std::shared_ptr<const DwarfSections> sections;  // of `elf`; not null
  std::shared_ptr<const DwarfSections> alternate, package;  // null: none
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_DWARF_DWARF_FILE_H_
