#ifndef PERF2X_SYMBOLIZE_DEMANGLE_H_
#define PERF2X_SYMBOLIZE_DEMANGLE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace perf2x {

enum class Demangle {
  kNone,
  kSimple,  // without parameter lists and return types, as perf prints names
  kFull,
};

// The name in the source language (C++, Rust, D) of a symbol; the symbol itself
// when it is not mangled, longer than 64 KiB or would become longer than 1 MiB.
std::string DemangleSymbol(absl::string_view symbol, Demangle style);

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_DEMANGLE_H_
