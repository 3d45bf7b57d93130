// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_DEMANGLE_COST_H_
#define PERF2X_SYMBOLIZE_DEMANGLE_COST_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace perf2x {

// Some short symbols keep libiberty's demanglers busy for hours before they
// write any output. The functions here find such symbols, so that they stay
// mangled. All are thread-safe.

// In Rust's v0 mangling, "G" and a base-62 number mean that a function type or
// dyn trait binds this number of lifetimes. libiberty makes a loop of that
// length. Returns true if the number may have two digits or more, which no
// program needs. Letters of an identifier may be mistaken for it.
bool BindsManyLifetimes(absl::string_view symbol);

// D's mangling has back references: "Q" and a distance in base 26, whose last
// digit is lower-case. They nest, so each can double the size of the name.
// Returns true if a symbol of D has more than `limit` characters once all back
// references are replaced by their texts. Also takes a "Q" in an identifier for
// a back reference.
bool DNameMayExceed(absl::string_view symbol, uint64_t limit);

// The cost of demangling a C++ symbol, relative to that of most symbols.
struct CxxCost {
  uint64_t parsing = 1;   // multiple of the symbol's size
  uint64_t printing = 1;  // multiple of the name's size
  bool too_high = false;  // the symbol must stay mangled
};

// Returns an upper bound of the cost of a symbol of C++.
// - Parsing: a conversion operator's type is parsed twice where template
//   arguments follow a template parameter ("T_I"). Each level of nesting
//   doubles the cost.
// - Printing: before a parameter pack is expanded, the pattern is searched for
//   packs. A part of the pattern is searched once for each substitution that
//   refers to it. `too_high` is also set if such a symbol cannot be parsed or
//   has more than 1024 bytes.
//
// `options` are those of libiberty's demangler.
CxxCost CostOfCxx(const std::string& symbol, int options);

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_DEMANGLE_COST_H_
