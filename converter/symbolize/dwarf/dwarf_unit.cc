// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/dwarf/dwarf_unit.h"

#include <dwarf.h>

#include <array>
#include <limits>
#include <utility>

namespace perf2x {
namespace {

// Initial length: 4 bytes, or 12 with 0xffffffff first. DWARF 5, 7.4.
uint64_t ReadLength(ByteReader& in, uint8_t* offset_size) {
  const uint64_t length = in.U32();
  *offset_size = 4;
  if (length != 0xffffffff) return length;
  *offset_size = 8;
  return in.U64();
}

uint64_t ReadOffset(ByteReader& in, uint8_t size) {
  return size == 8 ? in.U64() : in.U32();
}

// Sizes in the file of forms whose size does not depend on the value. The table
// makes it fast to skip entries, as is done with most.
constexpr size_t kForms = DW_FORM_addrx4 + 1;
constexpr uint8_t kVaries = 0xff;
using FormSizes = std::array<uint8_t, kForms>;

FormSizes SizesFor(uint8_t address_size, uint8_t offset_size) {
  FormSizes sizes;
  sizes.fill(kVaries);
  for (int form : {DW_FORM_data1, DW_FORM_ref1, DW_FORM_flag, DW_FORM_strx1,
                   DW_FORM_addrx1}) {
    sizes[form] = 1;
  }
  for (int form :
       {DW_FORM_data2, DW_FORM_ref2, DW_FORM_strx2, DW_FORM_addrx2}) {
    sizes[form] = 2;
  }
  for (int form :
       {DW_FORM_data4, DW_FORM_ref4, DW_FORM_strx4, DW_FORM_addrx4}) {
    sizes[form] = 4;
  }
  for (int form : {DW_FORM_data8, DW_FORM_ref8, DW_FORM_ref_sig8}) {
    sizes[form] = 8;
  }
  for (int form : {DW_FORM_sec_offset, DW_FORM_strp, DW_FORM_line_strp}) {
    sizes[form] = offset_size;
  }
  sizes[DW_FORM_addr] = address_size;
  sizes[DW_FORM_flag_present] = sizes[DW_FORM_implicit_const] = 0;
  return sizes;
}

const uint8_t* SizesOf(const DwarfUnit& unit) {
  static const FormSizes kNone = [] {
    FormSizes none;
    none.fill(kVaries);
    return none;
  }();
  static const FormSizes kSizes[2][2] = {{SizesFor(4, 4), SizesFor(4, 8)},
                                         {SizesFor(8, 4), SizesFor(8, 8)}};
  if (unit.address_size != 4 && unit.address_size != 8) return kNone.data();
  return kSizes[unit.address_size / 8][unit.offset_size / 8].data();
}

}  // namespace

bool ReadUnitHeader(const DwarfSections& sections, uint64_t offset,
                    DwarfUnit* unit) {
  ByteReader in = sections.Reader(sections.info, offset);
  unit->sections = &sections;
  if (unit->main == nullptr) unit->main = &sections;
  unit->offset = offset;
  const uint64_t length = ReadLength(in, &unit->offset_size);
  if (!in.ok() || length > in.left()) return false;
  unit->end = offset + in.offset() + length;
  unit->version = in.U16();
  if (unit->version < 2 || unit->version > 5) {
    // A unit of another version is skipped.
    unit->version = 0;
    unit->entries = unit->end;
    return in.ok();
  }
  unit->type = DW_UT_compile;
  if (unit->version >= 5) {
    unit->type = in.U8();
    unit->address_size = in.U8();
    unit->abbrev_offset = ReadOffset(in, unit->offset_size);
    if (unit->type == DW_UT_skeleton || unit->type == DW_UT_split_compile) {
      unit->dwo_id = in.U64();
    } else if (unit->type == DW_UT_type || unit->type == DW_UT_split_type) {
      in.Skip(8 + unit->offset_size);
    }
  } else {
    unit->abbrev_offset = ReadOffset(in, unit->offset_size);
    unit->address_size = in.U8();
  }
  unit->entries = offset + in.offset();
  return in.ok() && unit->entries <= unit->end;
}

namespace {

// Sets abbreviations that have the one of the unit's own entry.
bool FindUnitAbbrev(AbbrevTables* tables, DwarfUnit* unit) {
  DwarfEntry entry;
  // Tables are long, and of those of most units only the first abbreviation is
  // needed.
  for (bool first_only : {true, false}) {
    unit->abbrevs = first_only
                        ? std::make_shared<AbbrevTable>(
                              *unit->sections, unit->abbrev_offset, true)
                        : tables->Peek(*unit->sections, unit->abbrev_offset);
    if (EntryReader(*unit, unit->entries).Next(&entry)) {
      return entry.abbrev != nullptr;
    }
  }
  return false;
}

}  // namespace

bool ReadUnitEntry(AbbrevTables* tables, DwarfUnit* unit) {
  if (!FindUnitAbbrev(tables, unit)) return false;
  DwarfEntry entry;
  EntryReader reader(*unit, unit->entries);
  reader.Next(&entry);
  // Split units have no DW_AT_str_offsets_base: the offsets follow the header
  // of the unit's contribution to the section. DWARF 5, 7.26.
  if (unit->split() && unit->version >= 5) {
    unit->str_offsets_base = unit->offset_size == 8 ? 16 : 8;
  }
  DwarfValue comp_dir, name, dwo_name;
  reader.Attributes(entry, [&](uint16_t attribute, const DwarfValue& value) {
    if (unit->code.SetAttribute(attribute, value)) return;
    switch (attribute) {
      case DW_AT_stmt_list:
        unit->stmt_list = value.number;
        break;
      case DW_AT_comp_dir:
        comp_dir = value;
        break;
      case DW_AT_name:
        name = value;
        break;
      case DW_AT_dwo_name:
      case DW_AT_GNU_dwo_name:
        dwo_name = value;
        break;
      case DW_AT_GNU_dwo_id:
        unit->dwo_id = value.number;
        break;
      case DW_AT_addr_base:
      case DW_AT_GNU_addr_base:
        unit->addr_base = value.number;
        break;
      case DW_AT_str_offsets_base:
        unit->str_offsets_base = value.number;
        break;
      case DW_AT_rnglists_base:
        unit->rnglists_base = value.number;
        break;
      case DW_AT_GNU_ranges_base:
        unit->ranges_base = value.number;
        break;
      default:
        break;
    }
  });
  // Strings and addresses need the bases, which may come after them.
  unit->comp_dir = StringOf(*unit, comp_dir);
  unit->name = StringOf(*unit, name);
  unit->dwo_name = StringOf(*unit, dwo_name);
  const DwarfValue& low = unit->code.low;
  if (low) unit->low_pc = AddressOf(*unit, low).value_or(0);
  unit->abbrevs.reset();
  return true;
}

EntryReader::EntryReader(const DwarfUnit& unit, uint64_t offset)
    : unit_(unit),
      sizes_(SizesOf(unit)),
      begin_(offset),
      in_(offset < unit.entries || offset > unit.end ||
                  unit.sections->budget->exhausted()
              ? absl::Span<const uint8_t>()
              : unit.sections->info.subspan(offset, unit.end - offset),
          unit.sections->order) {}

bool EntryReader::Next(DwarfEntry* entry) {
  if (in_.left() == 0) return false;
  constexpr uint64_t kAtOnce = 4096;
  if (++steps_ >= kAtOnce) {
    unit_.sections->budget->Spend(Budget::kWork, std::exchange(steps_, 0));
    if (unit_.sections->budget->exhausted()) {
      in_.Fail();
      return false;
    }
  }
  entry->offset = offset();
  const uint64_t code = ReadUleb128(in_);
  entry->abbrev = code == 0 ? nullptr : unit_.abbrevs->Find(code);
  if (code != 0 && entry->abbrev == nullptr) in_.Fail();
  return in_.ok();
}

DwarfValue EntryReader::Value(const AbbrevTable::Attribute& attribute) {
  DwarfValue v;
  v.form = attribute.form;
  switch (attribute.form) {
    case DW_FORM_addr:
      v.number = ReadAddress(in_, unit_.address_size);
      break;
    case DW_FORM_data1:
    case DW_FORM_ref1:
    case DW_FORM_flag:
    case DW_FORM_strx1:
    case DW_FORM_addrx1:
      v.number = in_.U8();
      break;
    case DW_FORM_data2:
    case DW_FORM_ref2:
    case DW_FORM_strx2:
    case DW_FORM_addrx2:
      v.number = in_.U16();
      break;
    case DW_FORM_strx3:
    case DW_FORM_addrx3: {
      const absl::Span<const uint8_t> b = in_.Bytes(3);
      if (b.empty()) break;
      v.number = in_.order() == ByteOrder::kLittle
                     ? b[0] | b[1] << 8 | b[2] << 16
                     : b[2] | b[1] << 8 | b[0] << 16;
      break;
    }
    case DW_FORM_data4:
    case DW_FORM_ref4:
    case DW_FORM_ref_sup4:
    case DW_FORM_strx4:
    case DW_FORM_addrx4:
      v.number = in_.U32();
      break;
    case DW_FORM_data8:
    case DW_FORM_ref8:
    case DW_FORM_ref_sig8:
    case DW_FORM_ref_sup8:
      v.number = in_.U64();
      break;
    case DW_FORM_data16:
      in_.Skip(16);
      break;
    case DW_FORM_sdata:
      v.number = static_cast<uint64_t>(ReadSleb128(in_));
      break;
    case DW_FORM_udata:
    case DW_FORM_ref_udata:
    case DW_FORM_strx:
    case DW_FORM_addrx:
    case DW_FORM_loclistx:
    case DW_FORM_rnglistx:
    case DW_FORM_GNU_addr_index:
    case DW_FORM_GNU_str_index:
      v.number = ReadUleb128(in_);
      break;
    case DW_FORM_sec_offset:
    case DW_FORM_strp:
    case DW_FORM_line_strp:
    case DW_FORM_strp_sup:
    case DW_FORM_GNU_strp_alt:
    case DW_FORM_GNU_ref_alt:
      v.number = ReadOffset(in_, unit_.offset_size);
      break;
    case DW_FORM_ref_addr:
      v.number = unit_.version <= 2 ? ReadAddress(in_, unit_.address_size)
                                    : ReadOffset(in_, unit_.offset_size);
      break;
    case DW_FORM_string: {
      constexpr size_t kTextPerStep = 64;  // bytes
      const size_t left = in_.left();
      v.text = in_.CString();
      steps_ += (left - in_.left()) / kTextPerStep;
      break;
    }
    case DW_FORM_block1:
      in_.Skip(in_.U8());
      break;
    case DW_FORM_block2:
      in_.Skip(in_.U16());
      break;
    case DW_FORM_block4:
      in_.Skip(in_.U32());
      break;
    case DW_FORM_block:
    case DW_FORM_exprloc:
      in_.Skip(ReadUleb128(in_));
      break;
    case DW_FORM_flag_present:
      v.number = 1;
      break;
    case DW_FORM_implicit_const:
      v.number = static_cast<uint64_t>(attribute.implicit);
      break;
    case DW_FORM_indirect: {
      // The form that it names may be DW_FORM_indirect again.
      uint64_t form = DW_FORM_indirect;
      while (form == DW_FORM_indirect && in_.left() > 0) {
        form = ReadUleb128(in_);
        ++steps_;
      }
      if (form == DW_FORM_indirect || form == DW_FORM_implicit_const ||
          form > std::numeric_limits<uint16_t>::max()) {
        in_.Fail();
        break;
      }
      return Value({attribute.name, static_cast<uint16_t>(form), 0});
    }
    default:
      in_.Fail();  // its size is not known
      break;
  }
  return v;
}

void EntryReader::Attributes(
    const DwarfEntry& entry,
    absl::FunctionRef<void(uint16_t, const DwarfValue&)> visit) {
  steps_ += entry.abbrev->count;
  for (const auto& attribute : unit_.abbrevs->Attributes(*entry.abbrev)) {
    const DwarfValue value = Value(attribute);
    if (!in_.ok()) return;
    visit(attribute.name, value);
  }
}

void EntryReader::Skip(const DwarfEntry& entry) {
  uint64_t size = 0;
  steps_ += entry.abbrev->count;
  for (const auto& attribute : unit_.abbrevs->Attributes(*entry.abbrev)) {
    if (attribute.form < kForms && sizes_[attribute.form] != kVaries) {
      size += sizes_[attribute.form];
      continue;
    }
    in_.Skip(size);
    size = 0;
    Value(attribute);
  }
  in_.Skip(size);
}

void EntryReader::SkipChildren(const DwarfEntry& entry,
                               const DwarfValue& sibling) {
  if (!entry.abbrev->children) return;
  if (sibling) {
    // Forward only, so that damage cannot make a loop.
    const auto to = ReferenceOf(unit_, sibling);
    if (to.has_value() && *to >= offset() && *to <= unit_.end) {
      in_.Skip(*to - offset());
      return;
    }
  }
  DwarfEntry child;
  for (int depth = 1; depth > 0 && Next(&child);) {
    if (child.abbrev == nullptr) {
      --depth;
      continue;
    }
    if (child.abbrev->children && child.abbrev->has_sibling) {
      DwarfValue next;
      Attributes(child, [&](uint16_t attribute, const DwarfValue& value) {
        if (attribute == DW_AT_sibling) next = value;
      });
      const auto to = ReferenceOf(unit_, next);
      if (to.has_value() && *to >= offset() && *to <= unit_.end) {
        in_.Skip(*to - offset());
        continue;
      }
      ++depth;
      continue;
    }
    Skip(child);
    if (child.abbrev->children) ++depth;
  }
}

std::optional<uint64_t> ReferenceOf(const DwarfUnit& unit,
                                    const DwarfValue& value) {
  switch (value.form) {
    case DW_FORM_ref1:
    case DW_FORM_ref2:
    case DW_FORM_ref4:
    case DW_FORM_ref8:
    case DW_FORM_ref_udata:
      if (value.number > unit.end - unit.offset) return std::nullopt;
      return unit.offset + value.number;
    case DW_FORM_ref_addr:
    case DW_FORM_ref_sup4:
    case DW_FORM_ref_sup8:
    case DW_FORM_GNU_ref_alt:
      return value.number;
    default:
      return std::nullopt;
  }
}

bool RefersToAlternate(const DwarfValue& value) {
  return value.form == DW_FORM_GNU_ref_alt || value.form == DW_FORM_ref_sup4 ||
         value.form == DW_FORM_ref_sup8 || value.form == DW_FORM_GNU_strp_alt ||
         value.form == DW_FORM_strp_sup;
}

}  // namespace perf2x
