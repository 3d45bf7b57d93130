// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SUPPORT_PERF_HEADER_LINES_H_
#define PERF2X_TESTS_SUPPORT_PERF_HEADER_LINES_H_

#include <set>
#include <string>

namespace perf2x {

// Returns the lines of `perf report --header-only -I` that follow from the
// output of `perf2x info --json`, without "# " and with one blank for a run of
// blanks. The line of an event is split into lines "event NAME: SETTING".
std::set<std::string> PerfHeaderLines(const std::string& json);

// Returns the same lines from perf's own output.
std::set<std::string> FactsOfPerf(const std::string& info);

}  // namespace perf2x

#endif  // PERF2X_TESTS_SUPPORT_PERF_HEADER_LINES_H_
