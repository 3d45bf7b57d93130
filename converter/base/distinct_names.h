// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_DISTINCT_NAMES_H_
#define PERF2X_BASE_DISTINCT_NAMES_H_

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"

namespace perf2x {

// Makes the names of a list distinct. The second item called NAME becomes
// "NAME#2", or the next number that is free. Not thread-safe.
class DistinctNames {
 public:
  // Returns the distinct name of the list's next item, which is called `name`.
  std::string MakeDistinct(const std::string& name);

 private:
  absl::flat_hash_set<std::string> taken_;
  absl::flat_hash_map<std::string, int> next_number_;  // by name
};

}  // namespace perf2x

#endif  // PERF2X_BASE_DISTINCT_NAMES_H_
