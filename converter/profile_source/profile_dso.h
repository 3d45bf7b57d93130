// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PROFILE_SOURCE_PROFILE_DSO_H_
#define PERF2X_PROFILE_SOURCE_PROFILE_DSO_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "converter/model/model.h"
#include "converter/profile_source/profile.h"

namespace perf2x {

// Returns the kind of the DSO of a mapping with this file name; kUnknown if it
// is empty. docs/pprof.md lists the names in brackets.
DsoKind KindOfMapping(absl::string_view filename);

// Returns the DSO of a mapping of `profile`. Its kind is KindOfMapping.
// Dso::symbol is empty. The build id is empty if it is not in hexadecimal.
Dso DsoOfMapping(const Profile& profile, const Profile::Mapping& mapping);

// Returns true if `location` has no symbol: no line, or only the placeholder of
// `dso`. The location must lie in `dso`. The placeholder is PlaceholderName or,
// for generated code, any name in brackets.
bool LacksSymbol(const Profile& profile, const Profile::Location& location,
                 const Dso& dso);

}  // namespace perf2x

#endif  // PERF2X_PROFILE_SOURCE_PROFILE_DSO_H_
