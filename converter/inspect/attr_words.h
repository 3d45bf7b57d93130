#ifndef PERF2X_INSPECT_ATTR_WORDS_H_
#define PERF2X_INSPECT_ATTR_WORDS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "converter/perf/records/attr.h"

namespace perf2x {

// Names of the bits that are set, as perf prints them; a bit without a name as
// "bit 27".
std::vector<std::string> SampleTypeWords(uint64_t sample_type);
std::vector<std::string> ReadFormatWords(uint64_t read_format);
std::vector<std::string> BranchTypeWords(uint64_t branch_sample_type);

// The attr's flags that are set, under the kernel's names; "precise_ip" is left
// out, it is a number.
std::vector<std::string> AttrFlagWords(const EventAttr& attr);

}  // namespace perf2x

#endif  // PERF2X_INSPECT_ATTR_WORDS_H_
