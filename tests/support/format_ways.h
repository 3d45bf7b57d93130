// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SUPPORT_FORMAT_WAYS_H_
#define PERF2X_TESTS_SUPPORT_FORMAT_WAYS_H_

#include <map>
#include <string>
#include <vector>

namespace perf2x {

// A way to write a format.
struct FormatWay {
  std::string format;
  std::map<std::string, std::string> options;  // without presets
};

// Returns the ways to write the formats of the registry: each with its presets,
// with each of its flags, with each word of an option that takes one of several
// ("a|b"), and with some lists.
const std::vector<FormatWay>& FormatWays();

// Returns the way as arguments of perf2x without the dashes: "csv table=stat".
std::string NameOf(const FormatWay& way);

}  // namespace perf2x

#endif  // PERF2X_TESTS_SUPPORT_FORMAT_WAYS_H_
