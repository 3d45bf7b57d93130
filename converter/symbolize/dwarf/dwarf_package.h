// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_DWARF_DWARF_PACKAGE_H_
#define PERF2X_SYMBOLIZE_DWARF_DWARF_PACKAGE_H_

#include <cstdint>
#include <memory>

#include "converter/symbolize/dwarf/dwarf_sections.h"

namespace perf2x {

// Returns the sections of the split unit `dwo_id` in a package (.dwp). Null if
// the package lacks the unit or its index is damaged. The result points into
// `package`, which must outlive it, and has its budget. DWARF 5, 7.3.5, and its
// GNU predecessor.
std::unique_ptr<DwarfSections> SectionsInPackage(const DwarfSections& package,
                                                 uint64_t dwo_id);

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_DWARF_DWARF_PACKAGE_H_
