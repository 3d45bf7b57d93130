// SPDX-License-Identifier: Apache-2.0
#include "converter/base/distinct_names.h"

#include "absl/strings/str_cat.h"

namespace perf2x {

std::string DistinctNames::MakeDistinct(const std::string& name) {
  std::string distinct = name;
  int& next = next_number_.try_emplace(name, 2).first->second;
  while (!taken_.insert(distinct).second) {
    distinct = absl::StrCat(name, "#", next++);
  }
  return distinct;
}

}  // namespace perf2x
