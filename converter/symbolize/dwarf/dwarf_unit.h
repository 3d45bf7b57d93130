// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_DWARF_DWARF_UNIT_H_
#define PERF2X_SYMBOLIZE_DWARF_DWARF_UNIT_H_

#include <dwarf.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "converter/symbolize/dwarf/dwarf_abbrev.h"
#include "converter/symbolize/dwarf/dwarf_sections.h"

namespace perf2x {

// An attribute's value as it is in .debug_info; StringOf, AddressOf and
// ReferenceOf decode it.
struct DwarfValue {
  uint16_t form = 0;  // DW_FORM_…; 0: the entry lacks the attribute
  // The number, offset or index that the form stands for; 0 for blocks.
  uint64_t number = 0;
  absl::string_view text;  // DW_FORM_string
  explicit operator bool() const { return form != 0; }
};

// The attributes that locate an entry's code: DWARF 5, 2.17.
struct DwarfCode {
  DwarfValue low, high, ranges;

  // If `attribute` is one of the three, stores its value and returns true.
  // Otherwise returns false.
  bool SetAttribute(uint16_t attribute, const DwarfValue& value) {
    switch (attribute) {
      case DW_AT_low_pc:
        low = value;
        return true;
      case DW_AT_high_pc:
        high = value;
        return true;
      case DW_AT_ranges:
        ranges = value;
        return true;
      default:
        return false;
    }
  }
};

// A compilation unit (or a partial, skeleton or split one) with the values that
// decoding its entries requires. The sections must outlive the unit.
struct DwarfUnit {
  const DwarfSections* sections = nullptr;
  std::shared_ptr<const AbbrevTable> abbrevs;
  // Offsets in sections->info: of the header, of the first entry, and after the
  // last entry.
  uint64_t offset = 0, entries = 0, end = 0;
  uint64_t abbrev_offset = 0;  // in sections->abbrev
  uint16_t version = 0;
  uint8_t type = 0;  // DW_UT_…; before DWARF 5: DW_UT_compile
  uint8_t address_size = 8;
  uint8_t offset_size = 4;
  std::optional<uint64_t> dwo_id;  // of a skeleton or split unit
  // Sections of the main file, which has the addresses of split units and, in
  // DWARF 4, their ranges. Equals `sections` if the unit is not split.
  const DwarfSections* main = nullptr;
  // Sections of the alternate file (dwz), which may have strings of the unit;
  // null: none.
  const DwarfSections* alternate = nullptr;
  uint64_t addr_base = 0, str_offsets_base = 0;
  uint64_t ranges_base = 0;           // DW_AT_GNU_ranges_base
  uint64_t rnglists_base = 0;         // 0: after the section's first header
  uint64_t low_pc = 0;                // base of the unit's ranges
  std::optional<uint64_t> stmt_list;  // offset of its line table
  absl::string_view comp_dir, name, dwo_name;
  DwarfCode code;

  bool split() const { return main != sections; }
};

// Reads the unit header at `offset` into `*unit` (DWARF 5, 7.5.1). `*unit` must
// be default-constructed. A split unit inherits main, addr_base, ranges_base,
// low_pc and code.low from its skeleton: the caller sets them first. If `main`
// is null, it becomes `&sections`.
//
// Returns false at the end of the section and on damage. After true, the next
// header is at unit->end. A unit->version of 0 then means that the unit is not
// supported; read nothing else of it.
bool ReadUnitHeader(const DwarfSections& sections, uint64_t offset,
                    DwarfUnit* unit);
// Reads the root DIE of a unit whose header was read: bases, names and code.
// Ignores attributes after a damaged one. Requires that `alternate` is set, if
// the unit has an alternate file. Sets `abbrevs` to null; the caller must set
// it before it reads further entries.
//
// Returns false if there is no root DIE, if its abbreviation is missing or
// damaged, or if the file's budget is exhausted. The caller counts the unit as
// skipped.
bool ReadUnitEntry(AbbrevTables* tables, DwarfUnit* unit);

// A debugging information entry (DIE).
struct DwarfEntry {
  uint64_t offset = 0;
  const AbbrevTable::Abbrev* abbrev = nullptr;  // null: end of children
};

// Reads the entries of a unit in order. Charges the file's budget a step of
// work for each entry, each attribute, each DW_FORM_indirect and every 64 bytes
// of a string. Ends if the budget is exhausted. Not thread-safe.
class EntryReader {
 public:
  // Begins with the entry at `offset` of the unit's section. There are no
  // entries if `offset` is outside of the unit. `unit` must have its
  // abbreviations and outlive the reader.
  EntryReader(const DwarfUnit& unit, uint64_t offset);
  ~EntryReader() { unit_.sections->budget->Spend(Budget::kWork, steps_); }
  EntryReader(const EntryReader&) = delete;
  EntryReader& operator=(const EntryReader&) = delete;
  // Reads the abbreviation code of the next entry. The children of an entry
  // follow it. Returns false at the end of the unit, on damage, and if the
  // budget is exhausted. After true, the caller must call Attributes or Skip
  // for this entry, unless it is an end of children.
  bool Next(DwarfEntry* entry);
  // Calls `visit` with the name (DW_AT_…) and the value of each attribute;
  // stops at damage.
  void Attributes(const DwarfEntry& entry,
                  absl::FunctionRef<void(uint16_t, const DwarfValue&)> visit);
  // Skips the attributes of the entry.
  void Skip(const DwarfEntry& entry);
  // Skips all descendants of the entry whose attributes were just read.
  // `sibling` is its DW_AT_sibling; a default DwarfValue if it has none.
  void SkipChildren(const DwarfEntry& entry, const DwarfValue& sibling);
  // Returns the offset, in the unit's section, of what is read next.
  uint64_t offset() const { return begin_ + in_.offset(); }

 private:
  DwarfValue Value(const AbbrevTable::Attribute& attribute);
  const DwarfUnit& unit_;
  const uint8_t* sizes_;  // of forms with a fixed size
  uint64_t begin_;
  ByteReader in_;
  uint64_t steps_ = 0;  // not charged yet
};

// Returns a string value of `unit`, which points into its sections; empty on
// damage and for values of other forms.
absl::string_view StringOf(const DwarfUnit& unit, const DwarfValue& value);
// Returns an address; nullopt on damage and for values of other forms.
std::optional<uint64_t> AddressOf(const DwarfUnit& unit,
                                  const DwarfValue& value);
// Returns the offset in .debug_info that a reference leads to. The section is
// the alternate file's if RefersToAlternate(value), else the unit's own.
// Nullopt on damage and for values of other forms. There need not be an entry
// at the offset.
std::optional<uint64_t> ReferenceOf(const DwarfUnit& unit,
                                    const DwarfValue& value);
// Returns true if the value is a reference to, or a string in, the alternate
// file (dwz).
bool RefersToAlternate(const DwarfValue& value);

// Calls `visit` with [low, high) of the first `limit` ranges of `code`. Empty
// ranges and ranges of discarded code count, but are not visited. Damage ends
// the list, without an error. Returns false if there are more than `limit`
// ranges. Also returns false if the file's budget was exhausted before the
// call.
bool ForEachRange(const DwarfUnit& unit, const DwarfCode& code, size_t limit,
                  absl::FunctionRef<void(uint64_t, uint64_t)> visit);

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_DWARF_DWARF_UNIT_H_
