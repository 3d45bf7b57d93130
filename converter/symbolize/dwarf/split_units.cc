// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/dwarf/split_units.h"

#include <string>
#include <utility>

#include "converter/symbolize/dwarf/dwarf_package.h"

namespace perf2x {

std::shared_ptr<const DwarfSections> SplitUnits::Find(const DwarfUnit& skeleton,
                                                      AbbrevTables* tables,
                                                      DwarfUnit* unit) {
  if (!skeleton.dwo_id.has_value() || skeleton.dwo_name.empty()) return nullptr;
  if (auto sections = Open(skeleton); sections != nullptr) {
    opened_.push_back(sections);
    skipped_.Add(sections->skipped);
    // Any number of skeletons may name this file, whose units may be tiny.
    constexpr uint64_t kOfUnit = 4;
    Budget& budget = *sections->budget;
    for (uint64_t at = 0; !budget.exhausted(); at = unit->end) {
      budget.Spend(Budget::kWork, kOfUnit);
      *unit = DwarfUnit();
      unit->main = skeleton.sections;
      unit->addr_base = skeleton.addr_base;
      unit->ranges_base = skeleton.ranges_base;
      unit->code.low = skeleton.code.low;
      unit->low_pc = skeleton.low_pc;
      if (!ReadUnitHeader(*sections, at, unit)) break;
      if (unit->version == 0 || !ReadUnitEntry(tables, unit)) continue;
      if (unit->dwo_id == skeleton.dwo_id) {
        if (unit->comp_dir.empty()) unit->comp_dir = skeleton.comp_dir;
        return sections;
      }
    }
  }
  ++missing_;
  return nullptr;
}

void SplitUnits::AddSkippedParts(SkippedParts* skipped) const {
  skipped->Add(skipped_);
  for (const auto& dwo : dwo_files_) skipped->Add(dwo->file()->budget());
}

std::shared_ptr<const DwarfSections> SplitUnits::Open(
    const DwarfUnit& skeleton) {
  std::shared_ptr<const DwarfSections> sections;
  if (file_->package != nullptr) {
    sections = SectionsInPackage(*file_->package, *skeleton.dwo_id);
  }
  if (sections == nullptr && file_->companions.open_dwo != nullptr) {
    sections = OpenFile(skeleton);
  }
  return sections;
}

// Returns the sections of the file that a skeleton unit names; null if there is
// no such file. The budget of the main file pays.
std::shared_ptr<const DwarfSections> SplitUnits::OpenFile(
    const DwarfUnit& skeleton) {
  constexpr uint64_t kOpening = 1024;
  Budget& budget = *file_->sections->budget;
  if (budget.exhausted()) return nullptr;
  budget.Spend(Budget::kWork, kOpening);
  const auto [known, is_new] = opened_names_.try_emplace(
      {HashText(skeleton.dwo_name), HashText(skeleton.comp_dir)});
  if (is_new) known->second = LoadFile(skeleton);
  return known->second;
}

// As OpenFile, for a name that is new. The file may have had another name.
std::shared_ptr<const DwarfSections> SplitUnits::LoadFile(
    const DwarfUnit& skeleton) {
  constexpr uint64_t kOfSection = 4, kBytesPerStep = 16;
  Budget& budget = *file_->sections->budget;
  auto elf = file_->companions.open_dwo(skeleton.dwo_name, skeleton.comp_dir);
  if (elf == nullptr) return nullptr;
  budget.Spend(Budget::kWork, kOfSection * elf->sections().size());
  const FileIdentity& file = elf->file()->identity();
  auto [known, is_new] = dwo_sections_.try_emplace(
      {file.device_major, file.device_minor, file.inode});
  if (!is_new && file.inode != 0) return known->second;
  std::shared_ptr<const DwarfSections> sections =
      LoadDwarfSections(*elf, /*split=*/true);
  known->second = sections;
  dwo_files_.push_back(std::move(elf));
  if (sections == nullptr) return nullptr;
  for (const std::string& unpacked : sections->unpacked) {
    budget.Spend(Budget::kWork, unpacked.size() / kBytesPerStep);
    budget.Spend(Budget::kMemory, unpacked.size());
  }
  return sections;
}

}  // namespace perf2x
