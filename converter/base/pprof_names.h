// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_PPROF_NAMES_H_
#define PERF2X_BASE_PPROF_NAMES_H_

#include "absl/strings/string_view.h"

namespace perf2x {

// Returns true if pprof would shorten the name of a function whose name and
// system_name are both `name`. If they are equal and look like C++, pprof drops
// the text in parentheses and angle brackets: `<anonymous>` of node, the
// arguments of .NET and Java. See looksLikeDemangledCPlusPlus in pprof's
// internal/symbolizer.
inline bool PprofWouldShorten(absl::string_view name) {
  return name.find_first_of("(<") != name.npos &&
         (name.find_first_of("<>[]") != name.npos ||
          name.find("::") != name.npos);
}

}  // namespace perf2x

#endif  // PERF2X_BASE_PPROF_NAMES_H_
