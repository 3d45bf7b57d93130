// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/dwarf/dwarf_abbrev.h"

#include <dwarf.h>

namespace perf2x {

AbbrevTable::AbbrevTable(const DwarfSections& sections, uint64_t offset,
                         bool first_only) {
  Budget& budget = *sections.budget;
  ByteReader in = sections.Reader(sections.abbrev, offset);
  // The memory of a vector is up to twice its contents, and more while it
  // grows.
  constexpr size_t kMemory = 2 * (sizeof(Attribute) + sizeof(Abbrev));
  const size_t most = budget.left(Budget::kMemory) / kMemory;
  size_t spent = 0;
  const auto spend = [&] {
    const size_t steps = attributes_.size() + dense_.size() + sparse_.size();
    budget.Spend(Budget::kWork, steps - spent);
    if (!first_only) budget.Spend(Budget::kMemory, (steps - spent) * kMemory);
    spent = steps;
  };
  constexpr size_t kAtOnce = 4096;
  while (!budget.exhausted() && ReadOne(in, most) && !first_only) {
    if (attributes_.size() + dense_.size() - spent >= kAtOnce) spend();
  }
  spend();
}

// Returns false at the end, on damage, and if there are more attributes than
// `most`.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool AbbrevTable::ReadOne(ByteReader& in,
                                                              size_t most) {
  const uint64_t code = ReadUleb128(in);
  if (code == 0) return false;
  Abbrev abbrev;
  abbrev.tag = static_cast<uint16_t>(ReadUleb128(in));
  abbrev.children = in.U8() != 0;
  abbrev.first = static_cast<uint32_t>(attributes_.size());
  for (;;) {
    const auto name = static_cast<uint16_t>(ReadUleb128(in));
    const auto form = static_cast<uint16_t>(ReadUleb128(in));
    const int64_t implicit =
        form == DW_FORM_implicit_const ? ReadSleb128(in) : 0;
    if (!in.ok() || (name == 0 && form == 0)) break;
    abbrev.has_sibling |= name == DW_AT_sibling;
    attributes_.push_back({name, form, implicit});
    if (attributes_.size() > most) return false;
  }
  if (!in.ok()) return false;
  abbrev.count = static_cast<uint32_t>(attributes_.size()) - abbrev.first;
  if (code == dense_.size() + 1) {
    dense_.push_back(abbrev);
  } else {
    sparse_.try_emplace(code, abbrev);
  }
  return true;
}

}  // namespace perf2x
