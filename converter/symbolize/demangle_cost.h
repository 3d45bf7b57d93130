// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_DEMANGLE_COST_H_
#define PERF2X_SYMBOLIZE_DEMANGLE_COST_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace perf2x {

// What libiberty's demanglers do without any output, so that a limit on the
// output does not end it: short names may keep them busy for hours. All
// functions are thread-safe.

// Rust's v0 mangling has the number of lifetimes that a function type or dyn
// trait binds after "G", in base 62. libiberty loops that often and, in parts
// that are not printed, never calls back, so that nothing stops the loop. No
// program needs more than two digits. Returns true if `symbol` has more. A name
// with such letters in an identifier counts, too.
bool BindsWithoutEnd(absl::string_view symbol);

// D's mangling refers back by distances: "Q" and a number in base 26, whose
// last digit is lower-case. What is referred to may hold such references
// itself, so that the name can double with each of them, and libiberty's
// demangler for D has no callback that could stop it. Returns true if the name
// may be longer than `limit` times the expansion of one character. A "Q" in an
// identifier is taken for a reference, too, which only adds to the estimate.
bool ExpandsBeyond(absl::string_view symbol, uint64_t limit);

// The cost of demangling a C++ symbol, relative to that of most symbols.
struct CxxCost {
  uint64_t parsing = 1;   // multiple of the symbol's size
  uint64_t printing = 1;  // multiple of the name's size
  bool too_high = false;  // the symbol must stay mangled
};

// Returns an upper bound of the cost of a symbol of C++.
// - Parsing: a conversion operator's type is parsed again where template
//   arguments follow a template parameter ("T_I"), twice at each level.
// - Printing: before an expansion of a parameter pack, all that it contains is
//   searched for the pack. Substitutions make a graph of that, in which a part
//   is searched as often as it is referred to.
//
// `options` are those of libiberty's demangler.
CxxCost CostOfCxx(const std::string& symbol, int options);

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_DEMANGLE_COST_H_
