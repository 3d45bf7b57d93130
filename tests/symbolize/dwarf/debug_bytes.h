// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SYMBOLIZE_DWARF_DEBUG_BYTES_H_
#define PERF2X_TESTS_SYMBOLIZE_DWARF_DEBUG_BYTES_H_

#include <dwarf.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>

#include "converter/symbolize/dwarf/dwarf_file.h"
#include "converter/symbolize/dwarf/dwarf_unit.h"
#include "tests/unwind/test_elf.h"

namespace perf2x {

// Where the code of units starts.
inline constexpr uint64_t kUnitCode = 0x1000;

// An abbreviation with these attributes, each a name and a form.
inline std::string Abbreviation(uint8_t code, uint8_t tag, bool children,
                                std::initializer_list<int> attributes) {
  Bytes bytes;
  bytes.U8(code).U8(tag).U8(children ? 1 : 0);
  for (int a : attributes) bytes.U8(static_cast<uint8_t>(a));
  return bytes.U16(0).str();
}

// A unit of DWARF 4 with these entries.
inline std::string UnitOf(const std::string& entries) {
  Bytes unit;
  unit.U16(4).U32(0).U8(8).Add(entries);
  return Bytes().Sized(unit.str()).str();
}

// Debug information from memory, with the budget of a small file.
class DebugBytes {
 public:
  DebugBytes() {
    budget_.ReleaseReserve();
    sections_->order = ByteOrder::kLittle;
    sections_->budget = &budget_;
  }
  // Keeps the bytes of a section, which is a member of DwarfSections.
  DebugBytes& Set(DwarfSections::Bytes DwarfSections::*section,
                  std::string bytes) {
    const std::string& kept =
        sections_->unpacked.emplace_back(std::move(bytes));
    (*sections_).*
        section = {reinterpret_cast<const uint8_t*>(kept.data()), kept.size()};
    return *this;
  }
  // Sets a unit of DWARF 4 with these abbreviations and entries.
  DebugBytes& SetUnit(const std::string& abbreviations,
                      const std::string& entries) {
    return Set(&DwarfSections::abbrev, abbreviations + '\0')
        .Set(&DwarfSections::info, UnitOf(entries));
  }
  // Returns the unit, of which the root entry is read.
  DwarfUnit ReadUnit() const {
    DwarfUnit unit;
    AbbrevTables tables;
    EXPECT_TRUE(ReadUnitHeader(*sections_, 0, &unit));
    EXPECT_TRUE(ReadUnitEntry(&tables, &unit));
    unit.abbrevs = tables.At(*sections_, unit.abbrev_offset);
    return unit;
  }
  const DwarfSections& sections() const { return *sections_; }
  Budget& budget() { return budget_; }
  uint64_t work() const { return budget_.used(Budget::kWork); }
  uint64_t memory() const { return budget_.used(Budget::kMemory); }

  std::shared_ptr<const DwarfFile> File(DwarfCompanions companions = {}) const {
    auto file = std::make_shared<DwarfFile>();
    file->companions = std::move(companions);
    file->sections = sections_;
    return file;
  }

 private:
  Budget budget_{Budget::kGeneratedCodeRules};
  std::shared_ptr<DwarfSections> sections_ = std::make_shared<DwarfSections>();
};

}  // namespace perf2x

#endif  // PERF2X_TESTS_SYMBOLIZE_DWARF_DEBUG_BYTES_H_
