// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_DWARF_DWARF_ABBREV_H_
#define PERF2X_SYMBOLIZE_DWARF_DWARF_ABBREV_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "converter/symbolize/dwarf/dwarf_sections.h"

namespace perf2x {

// The abbreviations of a unit's entries (DIEs), from .debug_abbrev. DWARF 5,
// 7.5.3. Immutable.
class AbbrevTable {
 public:
  // An attribute that entries with the abbreviation have.
  struct Attribute {
    uint16_t name, form;  // DW_AT_…, DW_FORM_…
    int64_t implicit;     // value of DW_FORM_implicit_const
  };
  // What all entries with one abbreviation code have in common.
  struct Abbrev {
    uint16_t tag = 0;               // DW_TAG_…
    bool children = false;          // entries have children
    bool has_sibling = false;       // entries have DW_AT_sibling
    uint32_t first = 0, count = 0;  // see Attributes()
  };

  // Reads the table at `offset` of .debug_abbrev. With `first_only`, reads only
  // the first abbreviation, which is usually the one of a unit's first entry.
  // Stops at damage, and when the sections' budget is exhausted; later
  // abbreviations are then missing.
  AbbrevTable(const DwarfSections& sections, uint64_t offset, bool first_only);
  // Returns the abbreviation with this code; null if there is none. Valid as
  // long as the table.
  const Abbrev* Find(uint64_t code) const {
    if (code - 1 < dense_.size()) return &dense_[code - 1];
    auto it = sparse_.find(code);
    return it == sparse_.end() ? nullptr : &it->second;
  }
  // Returns the attributes of an abbreviation in this table.
  absl::Span<const Attribute> Attributes(const Abbrev& abbrev) const {
    return absl::MakeConstSpan(attributes_).subspan(abbrev.first, abbrev.count);
  }

 private:
  bool ReadOne(ByteReader& in, size_t most);

  std::vector<Abbrev> dense_;  // codes 1, 2, …, as compilers number them
  absl::flat_hash_map<uint64_t, Abbrev> sparse_;
  std::vector<Attribute> attributes_;
};

// Abbreviation tables by section and offset: units may share them. Never
// returns null. The sections must outlive this object. Not thread-safe.
class AbbrevTables {
 public:
  // Returns a table. A new table stays cached only until Peek makes another.
  std::shared_ptr<const AbbrevTable> Peek(const DwarfSections& sections,
                                          uint64_t offset) {
    const auto known = tables_.find({&sections, offset});
    if (known != tables_.end()) return known->second;
    if (last_ == nullptr || last_place_ != std::pair(&sections, offset)) {
      last_place_ = {&sections, offset};
      last_ = std::make_shared<AbbrevTable>(sections, offset, false);
    }
    return last_;
  }
  // Returns a table, and caches it.
  std::shared_ptr<const AbbrevTable> At(const DwarfSections& sections,
                                        uint64_t offset) {
    auto& slot = tables_[{&sections, offset}];
    if (slot == nullptr) {
      slot = std::make_shared<AbbrevTable>(sections, offset, false);
    }
    return slot;
  }

 private:
  std::pair<const DwarfSections*, uint64_t> last_place_;
  std::shared_ptr<const AbbrevTable> last_;
  absl::flat_hash_map<std::pair<const DwarfSections*, uint64_t>,
                      std::shared_ptr<const AbbrevTable>>
      tables_;
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_DWARF_DWARF_ABBREV_H_
