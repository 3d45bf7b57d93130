// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/dwarf/dwarf_package.h"

#include <dwarf.h>

#include <algorithm>

namespace perf2x {
namespace {

// Returns the row of the unit in the hash table of `slots` slots, from 1 on. 0:
// not found. Open addressing with a second hash, see the standard. A third of
// the slots or more are free, so that few tries find any unit.
uint32_t FindRow(const uint8_t* ids, const uint8_t* row_of, uint64_t slots,
                 ByteOrder order, uint64_t dwo_id) {
  constexpr uint64_t kMaxTries = 64;
  const uint64_t mask = slots - 1;
  uint64_t slot = dwo_id & mask;
  const uint64_t step = ((dwo_id >> 32) & mask) | 1;
  for (uint64_t tries = 0; tries < std::min(slots, kMaxTries); ++tries) {
    const auto row = Load<uint32_t>(&row_of[slot * 4], order);
    if (row == 0 || Load<uint64_t>(&ids[slot * 8], order) == dwo_id) return row;
    slot = (slot + step) & mask;
  }
  return 0;
}

}  // namespace

std::unique_ptr<DwarfSections> SectionsInPackage(const DwarfSections& package,
                                                 uint64_t dwo_id) {
  ByteReader in = package.Reader(package.cu_index, 0);
  // The version is 2 in 32 bits (GNU), or 5 in 16 bits and padding (DWARF 5).
  const uint32_t word = in.U32();
  const bool gnu = word == 2;
  const uint32_t columns = in.U32();
  const uint32_t rows = in.U32();
  const uint64_t slots = in.CheckedCount(in.U32(), 12);
  const absl::Span<const uint8_t> ids = in.Bytes(slots * 8);
  const absl::Span<const uint8_t> row_of = in.Bytes(slots * 4);
  const absl::Span<const uint8_t> kinds = in.Bytes(uint64_t{columns} * 4);
  if (!in.ok() || columns == 0 || slots == 0 || (slots & (slots - 1)) != 0) {
    return nullptr;
  }
  const uint32_t row =
      FindRow(ids.data(), row_of.data(), slots, package.order, dwo_id);
  if (row == 0 || row > rows) return nullptr;
  const uint64_t table =
      in.CheckedCount(rows, columns * size_t{4}) * columns * 4;
  const absl::Span<const uint8_t> offsets = in.Bytes(table);
  const absl::Span<const uint8_t> sizes = in.Bytes(table);
  if (!in.ok()) return nullptr;

  auto out = std::make_unique<DwarfSections>();
  out->order = package.order;
  out->budget = package.budget;
  out->str = package.str;
  for (uint32_t c = 0; c < columns; ++c) {
    const size_t cell = (size_t{row - 1} * columns + c) * 4;
    const uint64_t at = Load<uint32_t>(&offsets[cell], package.order);
    const uint64_t size = Load<uint32_t>(&sizes[cell], package.order);
    auto part = [&](DwarfSections::Bytes whole) -> DwarfSections::Bytes {
      if (at > whole.size() || size > whole.size() - at) return {};
      return whole.subspan(at, size);
    };
    switch (Load<uint32_t>(&kinds[c * size_t{4}], package.order)) {
      case DW_SECT_INFO:
        out->info = part(package.info);
        break;
      case DW_SECT_ABBREV:
        out->abbrev = part(package.abbrev);
        break;
      case DW_SECT_LINE:
        out->line = part(package.line);
        break;
      case DW_SECT_STR_OFFSETS:
        out->str_offsets = part(package.str_offsets);
        break;
      case DW_SECT_RNGLISTS:  // in the GNU version, macros
        if (!gnu) out->rnglists = part(package.rnglists);
        break;
      default:
        break;
    }
  }
  return out->info.empty() ? nullptr : std::move(out);
}

}  // namespace perf2x
