// SPDX-License-Identifier: Apache-2.0
#include "converter/profile_source/profile_ids.h"

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "converter/base/status_macros.h"

namespace perf2x {

absl::Status ProfileIds::AddMapping(uint64_t id) {
  if (mappings_.Add(id)) return absl::OkStatus();
  return DamagedProfile(id == 0 ? "a mapping has no id"
                                : "two mappings with one id");
}

absl::Status ProfileIds::AddFunction(uint64_t id) {
  if (id == 0) {
    ++functions_without_id_;
    return absl::OkStatus();
  }
  return functions_.Add(id) ? absl::OkStatus()
                            : DamagedProfile("two functions with one id");
}

// Pyroscope's profiler for .NET once left the ids of functions out. It wrote a
// function for each location, in the same order, and the function's id only in
// the one line of that location.
absl::Status ProfileIds::NumberFunctions(Profile* profile) {
  const size_t count = profile->functions.size();
  bool paired =
      functions_without_id_ == count && profile->locations.size() == count;
  for (size_t i = 0; paired && i < count; ++i) {
    const Profile::Location& location = profile->locations[i];
    if (location.line_count != 1) {
      paired = false;
      continue;
    }
    const uint64_t id = function_of_[location.first_line];
    paired = functions_.Add(id);
    profile->functions[i].id = id;
  }
  return paired ? absl::OkStatus() : DamagedProfile("a function has no id");
}

absl::Status ProfileIds::Resolve(Profile* profile) {
  if (functions_without_id_ > 0) RETURN_IF_ERROR(NumberFunctions(profile));
  for (size_t i = 0; i < profile->locations.size(); ++i) {
    profile->locations[i].mapping = mappings_.Find(mapping_of_[i]);
  }
  for (size_t i = 0; i < profile->lines.size(); ++i) {
    const uint64_t id = function_of_[i];
    const uint32_t function = functions_.Find(id);
    profile->lines[i].function = function;
    if (id != 0 && function == kNoId) {
      return DamagedProfile(absl::StrCat("a location names function ", id,
                                         ", which is not there"));
    }
  }
  return absl::OkStatus();
}

}  // namespace perf2x
