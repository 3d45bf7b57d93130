// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/skipped_parts.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace perf2x {

void SkippedParts::Add(const SkippedParts& other) {
  symbols += other.symbols;
  sections.insert(other.sections.begin(), other.sections.end());
  entries.insert(other.entries.begin(), other.entries.end());
  exhausted_resources.insert(other.exhausted_resources.begin(),
                             other.exhausted_resources.end());
}

std::string SkippedParts::Text() const {
  std::vector<std::string> parts(sections.begin(), sections.end());
  if (symbols > 0) parts.push_back(absl::StrCat(symbols, " symbols"));
  if (!entries.empty()) {
    parts.push_back(
        absl::StrCat("parts of ", entries.size(), " functions or units"));
  }
  for (const std::string& resource : exhausted_resources) {
    parts.push_back(
        absl::StrCat("what came after its ", resource, " was used up"));
  }
  return absl::StrCat(
      "asks for more than a file of its size is worth, or is damaged: ",
      absl::StrJoin(parts, ", "), " left out");
}

}  // namespace perf2x
