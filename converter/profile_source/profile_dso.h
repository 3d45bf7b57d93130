// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PROFILE_SOURCE_PROFILE_DSO_H_
#define PERF2X_PROFILE_SOURCE_PROFILE_DSO_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "converter/model/model.h"
#include "converter/profile_source/profile.h"

namespace perf2x {

// Returns the kind of the DSO of a mapping with this file name.
DsoKind KindOfMapping(absl::string_view filename);

// Returns the DSO of a mapping, whose kind follows from its name: those in
// brackets are the names of docs/pprof.md. Generated code has no symbol yet.
Dso DsoOfMapping(const Profile& profile, const Profile::Mapping& mapping);

// Returns true if addresses in DSOs of this kind are offsets in a file.
inline bool IsInFile(DsoKind kind) {
  return kind == DsoKind::kFile || kind == DsoKind::kVdso;
}

// Returns true if the location has no symbol: no line, or only the placeholder
// of `dso`, in which it lies (see PlaceholderName; of generated code, any name
// in brackets).
bool LacksSymbol(const Profile& profile, const Profile::Location& location,
                 const Dso& dso);

}  // namespace perf2x

#endif  // PERF2X_PROFILE_SOURCE_PROFILE_DSO_H_
