// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_PPROF_NAMES_H_
#define PERF2X_BASE_PPROF_NAMES_H_

#include "absl/strings/string_view.h"

namespace perf2x {

// pprof takes a function whose name and system_name are equal for one that is
// not demangled yet. Returns true if pprof would then drop the text in
// parentheses and angle brackets, because the name looks like C++:
// `<anonymous>` of node, the arguments of .NET and Java. See
// looksLikeDemangledCPlusPlus in pprof's internal/symbolizer.
inline bool PprofWouldShorten(absl::string_view name) {
  return name.find_first_of("(<") != name.npos &&
         (name.find_first_of("<>[]") != name.npos ||
          name.find("::") != name.npos);
}

}  // namespace perf2x

#endif  // PERF2X_BASE_PPROF_NAMES_H_
