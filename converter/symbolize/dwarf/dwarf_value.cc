// SPDX-License-Identifier: Apache-2.0

// Strings and addresses that attribute values refer to.
#include "converter/symbolize/dwarf/dwarf_unit.h"

namespace perf2x {

absl::string_view StringOf(const DwarfUnit& unit, const DwarfValue& value) {
  const DwarfSections& s = *unit.sections;
  switch (value.form) {
    case DW_FORM_string:
      return value.text;
    case DW_FORM_strp:
      return DwarfString(s.str, value.number);
    case DW_FORM_line_strp:
      return DwarfString(s.line_str, value.number);
    case DW_FORM_strp_sup:
    case DW_FORM_GNU_strp_alt:
      return unit.alternate == nullptr
                 ? absl::string_view()
                 : DwarfString(unit.alternate->str, value.number);
    case DW_FORM_strx:
    case DW_FORM_strx1:
    case DW_FORM_strx2:
    case DW_FORM_strx3:
    case DW_FORM_strx4:
    case DW_FORM_GNU_str_index: {
      if (value.number > s.str_offsets.size()) return {};
      ByteReader in =
          s.Reader(s.str_offsets,
                   unit.str_offsets_base + value.number * unit.offset_size);
      const uint64_t at = unit.offset_size == 8 ? in.U64() : in.U32();
      return in.ok() ? DwarfString(s.str, at) : absl::string_view();
    }
    default:
      return {};
  }
}

std::optional<uint64_t> AddressOf(const DwarfUnit& unit,
                                  const DwarfValue& value) {
  switch (value.form) {
    case DW_FORM_addr:
      return value.number;
    case DW_FORM_addrx:
    case DW_FORM_addrx1:
    case DW_FORM_addrx2:
    case DW_FORM_addrx3:
    case DW_FORM_addrx4:
    case DW_FORM_GNU_addr_index: {
      const DwarfSections& s = *unit.main;
      if (value.number > s.addr.size()) return std::nullopt;
      ByteReader in =
          s.Reader(s.addr, unit.addr_base + value.number * unit.address_size);
      const uint64_t address = ReadAddress(in, unit.address_size);
      if (!in.ok()) return std::nullopt;
      return address;
    }
    default:
      return std::nullopt;
  }
}

}  // namespace perf2x
