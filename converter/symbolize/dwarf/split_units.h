// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_DWARF_SPLIT_UNITS_H_
#define PERF2X_SYMBOLIZE_DWARF_SPLIT_UNITS_H_

#include <cstdint>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "converter/base/hash_text.h"
#include "converter/symbolize/dwarf/dwarf_file.h"
#include "converter/symbolize/dwarf/dwarf_unit.h"

namespace perf2x {

// Finds the split units of a file's skeleton units (DWARF 5, 7.3.2). Looks in
// the file's package (.dwp), then in the files (.dwo) that the skeletons name.
// Not thread-safe.
class SplitUnits {
 public:
  explicit SplitUnits(std::shared_ptr<const DwarfFile> file)
      : file_(std::move(file)) {}

  // Finds the split unit of `skeleton` and reads its header and root DIE into
  // `*unit`. Returns the unit's sections, which live as long as this object.
  // Returns null if `skeleton` is no skeleton unit, or if its split unit is
  // missing. `*unit` is then unspecified. To be called once for each skeleton,
  // as each call counts a missing unit.
  std::shared_ptr<const DwarfSections> Find(const DwarfUnit& skeleton,
                                            AbbrevTables* tables,
                                            DwarfUnit* unit);
  // Returns the number of missing split units so far.
  uint64_t missing() const { return missing_; }
  // Adds the skipped parts of the sections that were opened so far. Adds the
  // resources that are exhausted in the budgets of .dwo files.
  void AddSkippedParts(SkippedParts* skipped) const;

 private:
  std::shared_ptr<const DwarfSections> Open(const DwarfUnit& skeleton);
  std::shared_ptr<const DwarfSections> OpenFile(const DwarfUnit& skeleton);
  std::shared_ptr<const DwarfSections> LoadFile(const DwarfUnit& skeleton);

  const std::shared_ptr<const DwarfFile> file_;
  std::vector<std::shared_ptr<const ElfFile>> dwo_files_;
  // Results of OpenFile by HashText of DW_AT_dwo_name and of DW_AT_comp_dir.
  absl::flat_hash_map<std::pair<Hash128, Hash128>,
                      std::shared_ptr<const DwarfSections>>
      opened_names_;
  // Sections of dwo_files_, by device and inode: units may share a file. Null:
  // the file has none.
  absl::flat_hash_map<std::tuple<uint32_t, uint32_t, uint64_t>,
                      std::shared_ptr<const DwarfSections>>
      dwo_sections_;
  // All sections that were opened. AbbrevTables keep their addresses.
  std::vector<std::shared_ptr<const DwarfSections>> opened_;
  SkippedParts skipped_;
  uint64_t missing_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_DWARF_SPLIT_UNITS_H_
