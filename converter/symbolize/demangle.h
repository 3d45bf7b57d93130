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

// Returns the name in the source language (C++, Rust, D) of a symbol; the
// symbol itself when it is not mangled, longer than 64 KiB or would become
// longer than 1 MiB. Where `budget` is exhausted: the symbol's first 256 bytes.
//
// A name may refer back to parts of itself, so that a short one can take a
// megabyte to write down. The budget pays for what was written, kept or not.
std::string DemangleSymbol(absl::string_view symbol, Demangle style,
                           Budget& budget = Budget::Unlimited());

// Returns what DemangleSymbol does of a symbol where a budget is exhausted.
absl::string_view CutSymbol(absl::string_view symbol);

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_DEMANGLE_H_
