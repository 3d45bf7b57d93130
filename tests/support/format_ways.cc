// SPDX-License-Identifier: Apache-2.0
#include "tests/support/format_ways.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "converter/emit/pprof/pprof_labels.h"
#include "converter/emit/registry.h"

namespace perf2x {
namespace {

std::vector<FormatWay> MakeWays() {
  std::vector<FormatWay> ways;
  for (const EmitterInfo& e : Emitters()) {
    ways.push_back({e.name, {}});
    for (const EmitterOption& option : e.options) {
      if (*option.value == '\0') {
        ways.push_back({e.name, {{option.name, "true"}}});
      } else if (absl::StrContains(option.value, '|')) {
        for (const absl::string_view word : absl::StrSplit(option.value, '|')) {
          ways.push_back({e.name, {{option.name, std::string(word)}}});
        }
      }
    }
  }
  // The values of lists.
  ways.push_back({"pprof", {{"labels", "none"}}});
  ways.push_back(
      {"pprof",
       {{"labels", absl::StrReplaceAll(LabelSets::Names(), {{" ", ""}})}}});
  return ways;
}

}  // namespace

const std::vector<FormatWay>& FormatWays() {
  static const auto& kWays = *new std::vector<FormatWay>(MakeWays());
  return kWays;
}

std::string NameOf(const FormatWay& way) {
  std::string name = way.format;
  for (const auto& [option, value] : way.options) {
    absl::StrAppend(&name, " ", option, "=", value);
  }
  return name;
}

}  // namespace perf2x
