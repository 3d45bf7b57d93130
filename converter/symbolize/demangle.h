// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_DEMANGLE_H_
#define PERF2X_SYMBOLIZE_DEMANGLE_H_

#include <string>

#include "absl/strings/string_view.h"
#include "converter/base/budget.h"

namespace perf2x {

// The form of demangled names.
enum class Demangle {
  kNone,    // symbols stay mangled
  kSimple,  // without parameter lists and return types, as perf prints names
  kFull,    // with parameter lists and return types
};

// Returns the name of a symbol in its source language (C++, Rust, D). A suffix
// "@plt" is kept. Returns the symbol itself if
// - `style` is kNone, or the symbol is not mangled;
// - the symbol is longer than 64 KiB (D: 4 KiB);
// - its name would be longer than 1 MiB (D: 64 KiB, by estimate), or cost more
//   than `budget` has left; or
// - demangling it may cost too much without writing anything (CostOfCxx).
// If `budget` is already exhausted, returns TruncateSymbol(symbol); the caller
// reports that.
//
// A mangled name may refer to parts of itself, so that a short name can expand
// to a megabyte. Therefore the C++ and Rust demanglers charge the symbol and
// all their output to the budget, even if it is not used.
std::string DemangleSymbol(absl::string_view symbol, Demangle style,
                           Budget& budget = Budget::Unlimited());

// Returns the first 256 bytes of a symbol; all of it if it is shorter.
absl::string_view TruncateSymbol(absl::string_view symbol);

// Returns a warning for the user. It says that names in the recording are no
// longer demangled, because `resource` of their budget is exhausted.
std::string DemanglingStoppedWarning(absl::string_view resource);

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_DEMANGLE_H_
