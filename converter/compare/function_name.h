// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_COMPARE_FUNCTION_NAME_H_
#define PERF2X_COMPARE_FUNCTION_NAME_H_

#include <string>

#include "absl/strings/string_view.h"

namespace perf2x {

// Returns the name of a function without the parts that change from build to
// build. Compilers add these to tell apart copies and closures: "f.part.0",
// "f.cold", "f.constprop.1", "f.llvm.123", "f [clone .isra.0]" (GCC, clang),
// "m::f::h0123456789abcdef" and "{closure#0}" (rustc), "main.f.func1.2" (Go),
// "{lambda(int)#1}" (C++). Returns names of more than 4096 bytes unchanged.
std::string NameOfEveryBuild(absl::string_view name);

}  // namespace perf2x

#endif  // PERF2X_COMPARE_FUNCTION_NAME_H_
