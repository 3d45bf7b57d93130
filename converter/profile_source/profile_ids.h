// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PROFILE_SOURCE_PROFILE_IDS_H_
#define PERF2X_PROFILE_SOURCE_PROFILE_IDS_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "converter/profile_source/profile.h"

namespace perf2x {

// Turns the ids by which locations name mappings and functions into indexes.
// Entries are added in the order of their tables. Not thread-safe.
class ProfileIds {
 public:
  // Adds a mapping. Fails with DataLoss if another one has its id.
  absl::Status AddMapping(uint64_t id);
  // Adds a function. Fails with DataLoss if another one has its id, which may
  // be 0 if it is missing.
  absl::Status AddFunction(uint64_t id);
  // Adds a location, with the id of its mapping; 0: it has none.
  void AddLocation(uint64_t mapping) { mapping_of_.push_back(mapping); }
  // Adds a line, with the id of its function; 0: it has none.
  void AddLine(uint64_t function) { function_of_.push_back(function); }

  // Sets the indexes in all locations and lines of `*profile`, and the ids of
  // functions that have none. A mapping that is not there counts as none, as in
  // pprof. Fails with DataLoss if a function is not there, or has no id and
  // none can be found for it. To be called once, last.
  absl::Status Resolve(Profile* profile);

 private:
  absl::Status NumberFunctions(Profile* profile);

  IdIndex mappings_, functions_;
  uint64_t functions_without_id_ = 0;
  std::vector<uint64_t> mapping_of_, function_of_;  // by location, by line
};

}  // namespace perf2x

#endif  // PERF2X_PROFILE_SOURCE_PROFILE_IDS_H_
