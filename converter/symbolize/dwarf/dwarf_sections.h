// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_DWARF_DWARF_SECTIONS_H_
#define PERF2X_SYMBOLIZE_DWARF_DWARF_SECTIONS_H_

#include <deque>
#include <memory>
#include <string>

#include "absl/types/span.h"
#include "converter/base/budget.h"
#include "converter/base/byte_order.h"
#include "converter/base/byte_reader.h"
#include "converter/base/leb128.h"
#include "converter/symbolize/elf/elf_file.h"
#include "converter/symbolize/skipped_parts.h"

namespace perf2x {

// The sections of a file's debug information, decompressed where necessary.
// Missing and damaged sections are empty. Sections of a relocatable file (a
// kernel module) are relocated as if .text were at ElfFile::kTextOfRelocatable.
struct DwarfSections {
  using Bytes = absl::Span<const uint8_t>;
  Bytes info, abbrev, line, str, line_str, str_offsets, addr, ranges, rnglists,
      cu_index;
  ByteOrder order = kHostOrder;
  Budget* budget = &Budget::Unlimited();  // of the file

  std::deque<std::string> unpacked;  // decompressed and relocated sections
  SkippedParts skipped;              // sections that are damaged

  // Returns a reader of a section from offset `at` on; at the section's end if
  // `at` is after it.
  ByteReader Reader(Bytes section, uint64_t at) const {
    if (at > section.size()) at = section.size();
    return ByteReader(section.subspan(at), order);
  }
};

// Returns section ".debug_" + `name` of `elf`, decompressed if necessary; empty
// if there is none. The bytes are in the file or in a new element of
// `*unpacked`. If the section cannot be decompressed or is a decompression
// bomb, returns no bytes and adds its name to `*skipped`.
absl::Span<const uint8_t> LoadDebugSection(const ElfFile& elf,
                                           absl::string_view name,
                                           std::deque<std::string>* unpacked,
                                           SkippedParts* skipped);

// Returns the sections of `elf`, which must outlive the result. With `split`,
// returns the sections with names that end in ".dwo". Returns null if there is
// no .debug_info. If .debug_info is damaged, `info` is empty and `skipped`
// names it.
std::unique_ptr<DwarfSections> LoadDwarfSections(const ElfFile& elf,
                                                 bool split);

// Size limit of a string, in bytes.
inline constexpr size_t kMaxDwarfStringSize = 64 << 10;
// Returns the string at offset `at` of a string section, truncated to
// kMaxDwarfStringSize. Empty if `at` is after the section's end.
absl::string_view DwarfString(absl::Span<const uint8_t> section, uint64_t at);

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_DWARF_DWARF_SECTIONS_H_
