// SPDX-License-Identifier: Apache-2.0
#include <dwarf.h>

#include "converter/symbolize/dwarf/dwarf_info.h"

namespace perf2x {
namespace {

// Compilers split a function into two or three parts.
constexpr size_t kMaxFunctionRanges = 4096;

}  // namespace

void DwarfInfo::FindRanges(uint64_t address,
                           std::vector<std::pair<uint64_t, uint64_t>>* ranges) {
  Compilation* const* found = by_address_.Find(address);
  if (found == nullptr) return;
  const uint64_t* function = FunctionAt(*found, address);
  if (function == nullptr) return;
  const DwarfUnit& unit = *(*found)->code;
  EntryReader reader(unit, *function);
  DwarfEntry entry;
  if (!reader.Next(&entry) || entry.abbrev == nullptr) return;
  DwarfCode code;
  reader.Attributes(entry, [&](uint16_t name, const DwarfValue& value) {
    code.SetAttribute(name, value);
  });
  ForEachRange(
      unit, code, kMaxFunctionRanges,
      [&](uint64_t low, uint64_t high) { ranges->emplace_back(low, high); });
}

}  // namespace perf2x
