// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_INSPECT_ATTR_BIT_NAMES_H_
#define PERF2X_INSPECT_ATTR_BIT_NAMES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "converter/perf/records/attr.h"

namespace perf2x {

// All functions return the names of the set bits, lowest bit first; an empty
// list if no bit is set. A bit without a name becomes "bit 63".

// Return the names as perf prints them.
std::vector<std::string> SampleTypeBitNames(uint64_t sample_type);
std::vector<std::string> ReadFormatBitNames(uint64_t read_format);
std::vector<std::string> BranchTypeBitNames(uint64_t branch_sample_type);

// Returns the kernel's names of the attr's flags, except for precise_ip, which
// is a number of two bits.
std::vector<std::string> AttrFlagNames(const EventAttr& attr);

}  // namespace perf2x

#endif  // PERF2X_INSPECT_ATTR_BIT_NAMES_H_
