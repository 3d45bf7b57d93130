// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_INSPECT_ATTR_WORDS_H_
#define PERF2X_INSPECT_ATTR_WORDS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "converter/perf/records/attr.h"

namespace perf2x {

// Return the names of the set bits, as perf prints them. A bit without a name
// is "bit 27".
std::vector<std::string> SampleTypeWords(uint64_t sample_type);
std::vector<std::string> ReadFormatWords(uint64_t read_format);
std::vector<std::string> BranchTypeWords(uint64_t branch_sample_type);

// Returns the kernel's names of the attr's set flags, without "precise_ip",
// which is a number.
std::vector<std::string> AttrFlagWords(const EventAttr& attr);

}  // namespace perf2x

#endif  // PERF2X_INSPECT_ATTR_WORDS_H_
