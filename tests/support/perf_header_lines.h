// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SUPPORT_PERF_HEADER_LINES_H_
#define PERF2X_TESTS_SUPPORT_PERF_HEADER_LINES_H_

#include <set>
#include <string>

namespace perf2x {

// The lines of `perf report --header-only -I` that follow from what `perf2x
// info --json` wrote, less "# " and with runs of blanks as one. An event's line
// is split: "event NAME: " and one of its settings each.
std::set<std::string> PerfHeaderLines(const std::string& json);

// The same of perf's own text.
std::set<std::string> FactsOfPerf(const std::string& info);

}  // namespace perf2x

#endif  // PERF2X_TESTS_SUPPORT_PERF_HEADER_LINES_H_
