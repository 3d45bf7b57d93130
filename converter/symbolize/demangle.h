// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_DEMANGLE_H_
#define PERF2X_SYMBOLIZE_DEMANGLE_H_

#include <string>

#include "absl/strings/string_view.h"
#include "converter/base/budget.h"

namespace perf2x {

enum class Demangle {
  kNone,
  kSimple,  // without parameter lists and return types, as perf prints names
  kFull,
};

// Returns the name of a symbol in its source language (C++, Rust, D). Returns
// the symbol itself if it is not mangled, or is too long: over 64 KiB (D: 4
// KiB), or over 1 MiB (C++, Rust) once demangled. A suffix "@plt" is kept.
// Returns the first 256 bytes of the symbol if `budget` is exhausted; the
// caller reports that.
//
// A mangled name may refer to parts of itself, so that a short name can expand
// to a megabyte. All output of the C++ and Rust demanglers is charged to the
// budget, even if it is not used.
std::string DemangleSymbol(absl::string_view symbol, Demangle style,
                           Budget& budget = Budget::Unlimited());

// Returns the first 256 bytes of a symbol, as DemangleSymbol does if the budget
// is exhausted.
absl::string_view TruncateSymbol(absl::string_view symbol);

// Returns the warning that names which the recording itself contains are no
// longer demangled, because this resource of their budget is exhausted.
std::string DemanglingStopped(absl::string_view resource);

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_DEMANGLE_H_
