// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_COMPARE_FUNCTION_NAME_H_
#define PERF2X_COMPARE_FUNCTION_NAME_H_

#include <string>

#include "absl/strings/string_view.h"

namespace perf2x {

// Returns the name of a function without the parts that change from build to
// build. Compilers add these to tell apart copies and closures.
//
// Removes suffixes of copies: "f.part.0", "f.cold", "f [clone .isra.0]" become
// "f"; "m::f::h0123456789abcdef" becomes "m::f". Removes numbers of closures:
// "{closure#0}" becomes "{closure}", "main.f.func1.2" "main.f.func",
// "{lambda(int)#1}" "{lambda(int)}". Returns names of more than 4096 bytes
// unchanged.
std::string NameAcrossBuilds(absl::string_view name);

}  // namespace perf2x

#endif  // PERF2X_COMPARE_FUNCTION_NAME_H_
