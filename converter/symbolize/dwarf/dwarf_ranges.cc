// SPDX-License-Identifier: Apache-2.0
#include <dwarf.h>

#include "converter/symbolize/dwarf/dwarf_unit.h"

namespace perf2x {
namespace {

using Visit = absl::FunctionRef<void(uint64_t, uint64_t)>;

// Forwards ranges that can be code. Linkers give discarded functions the
// address 0, or the last address or the last but one.
class Filter {
 public:
  Filter(const DwarfUnit& unit, size_t limit, Visit visit)
      : last_(unit.address_size == 4 ? 0xfffffffe : ~uint64_t{1}),
        budget_(*unit.sections->budget),
        left_(limit),
        cut_(budget_.exhausted()),
        visit_(visit) {}
  ~Filter() { budget_.Spend(Budget::kWork, steps_); }
  Filter(const Filter&) = delete;
  Filter& operator=(const Filter&) = delete;

  // Counts an entry of a list.
  void Step() { ++steps_; }
  // Returns false if `limit` ranges were added before.
  bool Add(uint64_t low, uint64_t high) {
    if (left_ == 0) {
      cut_ = true;
      return false;
    }
    --left_;
    if (low != 0 && low < last_ && low < high) visit_(low, high);
    return true;
  }
  bool cut() const { return cut_; }

 private:
  const uint64_t last_;
  Budget& budget_;
  uint64_t steps_ = 0;
  size_t left_;
  bool cut_;
  Visit visit_;
};

// DWARF 2 to 4, 2.17.3.
void ReadRanges(const DwarfUnit& unit, uint64_t offset, Filter* filter) {
  const uint64_t base_mark = unit.address_size == 4 ? 0xffffffff : ~uint64_t{0};
  // The ranges of a split unit are in the main file, too.
  ByteReader in = unit.main->Reader(unit.main->ranges, offset);
  uint64_t base = unit.low_pc;
  while (in.ok() && !filter->cut()) {
    filter->Step();
    const uint64_t low = ReadAddress(in, unit.address_size),
                   high = ReadAddress(in, unit.address_size);
    if (!in.ok() || (low == 0 && high == 0)) return;
    if (low == base_mark) {
      base = high;
    } else if (!filter->Add(base + low, base + high)) {
      return;
    }
  }
}

// DWARF 5, 7.25.
void ReadRangeList(const DwarfUnit& unit, uint64_t offset, Filter* filter) {
  ByteReader in = unit.sections->Reader(unit.sections->rnglists, offset);
  auto indexed = [&unit](uint64_t index) {
    DwarfValue v;
    v.form = DW_FORM_addrx;
    v.number = index;
    return AddressOf(unit, v).value_or(0);
  };
  uint64_t base = unit.low_pc;
  while (in.ok() && !filter->cut()) {
    uint64_t low = 0, high = 0;
    filter->Step();
    switch (in.U8()) {
      case DW_RLE_end_of_list:
        return;
      case DW_RLE_base_addressx:
        base = indexed(ReadUleb128(in));
        continue;
      case DW_RLE_base_address:
        base = ReadAddress(in, unit.address_size);
        continue;
      case DW_RLE_startx_endx:
        low = indexed(ReadUleb128(in));
        high = indexed(ReadUleb128(in));
        break;
      case DW_RLE_startx_length:
        low = indexed(ReadUleb128(in));
        high = low + ReadUleb128(in);
        break;
      case DW_RLE_offset_pair:
        low = base + ReadUleb128(in);
        high = base + ReadUleb128(in);
        if (base == 0 && unit.code.low) low = 0;  // the code was discarded
        break;
      case DW_RLE_start_end:
        low = ReadAddress(in, unit.address_size);
        high = ReadAddress(in, unit.address_size);
        break;
      case DW_RLE_start_length:
        low = ReadAddress(in, unit.address_size);
        high = low + ReadUleb128(in);
        break;
      default:
        return;
    }
    if (!in.ok() || !filter->Add(low, high)) return;
  }
}

}  // namespace

bool ForEachRange(const DwarfUnit& unit, const DwarfCode& code, size_t limit,
                  Visit visit) {
  Filter filter(unit, limit, visit);
  if (code.ranges) {
    uint64_t at = code.ranges.number;
    if (unit.version < 5) {
      // Only ranges of entries in the split unit itself are relative to
      // ranges_base.
      ReadRanges(unit, at + (unit.split() ? unit.ranges_base : 0), &filter);
      return !filter.cut();
    }
    if (code.ranges.form == DW_FORM_rnglistx) {
      // Offsets of lists follow the header, unless the unit has another base.
      const uint64_t base = unit.rnglists_base != 0 ? unit.rnglists_base
                            : unit.offset_size == 8 ? 20
                                                    : 12;
      if (at > unit.sections->rnglists.size()) return true;
      ByteReader in = unit.sections->Reader(unit.sections->rnglists,
                                            base + at * unit.offset_size);
      at = base + (unit.offset_size == 8 ? in.U64() : in.U32());
      if (!in.ok()) return true;
    }
    ReadRangeList(unit, at, &filter);
    return !filter.cut();
  }
  const auto from = AddressOf(unit, code.low);
  if (!from.has_value() || !code.high) return true;
  const auto to = AddressOf(unit, code.high);
  // Since DWARF 4, DW_AT_high_pc may be a size.
  filter.Add(*from, to.has_value() ? *to : *from + code.high.number);
  return !filter.cut();
}

}  // namespace perf2x
