// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/demangle.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <utility>

// Keeps libiberty.h from declaring basename() again, with another type.
#define HAVE_DECL_BASENAME 1
#include <libiberty/demangle.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "converter/symbolize/demangle_cost.h"

namespace perf2x {
namespace {

constexpr size_t kMaxSymbolSize = 64 << 10;
constexpr size_t kMaxNameSize = 1 << 20;
// Size of a symbol that is truncated because the budget is exhausted.
constexpr size_t kShortName = 256;
// Bytes of symbols and their names that cost one step of work.
constexpr uint64_t kBytesAStep = 2;
// Callers charge the memory of so many copies of a name.
constexpr uint64_t kChargedCopies = 2;
// libiberty's demangler for D recurses once per character.
constexpr size_t kMaxDSize = 4 << 10;
// Characters that a name in D may stand for; see DNameMayExceed.
constexpr uint64_t kMaxDExpansion = 64 << 10;

// A mangled name may refer back to parts of itself, so that a short one can
// stand for gigabytes. libiberty's callback cannot stop the demangler, but may
// leave it by longjmp, because the demangler keeps its data on the stack.
struct Sink {
  std::string out;
  uint64_t written = 0;  // by all attempts
  size_t max_size = kMaxNameSize;
  jmp_buf too_long;
};

void Append(const char* part, size_t size, void* opaque) {
  Sink* sink = static_cast<Sink*>(opaque);
  sink->written += size;
  if (size > sink->max_size - sink->out.size()) longjmp(sink->too_long, 1);
  sink->out.append(part, size);
}

using Demangler = int (*)(const char*, int, demangle_callbackref, void*);

// Cuts off the parameters of "test.foo(int)"; libiberty always has them for D.
void CutParameters(std::string* name) {
  if (name->empty() || name->back() != ')') return;
  int depth = 0;
  for (size_t i = name->size(); i-- > 0;) {
    if ((*name)[i] == ')') ++depth;
    if ((*name)[i] != '(' || --depth > 0) continue;
    if (i > 0 && (*name)[i - 1] != '!') name->resize(i);  // "!(": a template's
    return;
  }
}

// Appends the name to sink->out; returns false if `symbol` is not of this
// language or its name is too long.
bool Run(Demangler demangle, const char* symbol, int options, Sink* sink) {
  sink->out.clear();
  if (setjmp(sink->too_long) != 0) return false;
  return demangle(symbol, options, Append, sink) != 0 && !sink->out.empty();
}

// Returns the bytes that a name may have: no more than the budget can pay for,
// as thousands of small budgets may each pay for one name.
size_t MaxNameSize(Budget& budget) {
  const auto left = [&](Budget::Resource resource) {
    const uint64_t limit = budget.Limit(resource);
    return limit - std::min(limit, budget.used(resource));
  };
  return std::min({uint64_t{kMaxNameSize},
                   left(Budget::kMemory) / kChargedCopies,
                   std::min(left(Budget::kWork), kMaxNameSize / kBytesAStep) *
                       kBytesAStep});
}

}  // namespace

absl::string_view TruncateSymbol(absl::string_view symbol) {
  return symbol.substr(0, kShortName);
}

std::string DemangleSymbol(absl::string_view symbol, Demangle style,
                           Budget& budget) {
  if (budget.exhausted()) return std::string(TruncateSymbol(symbol));
  constexpr absl::string_view kPlt = "@plt";
  if (style != Demangle::kNone && absl::EndsWith(symbol, kPlt)) {
    symbol.remove_suffix(kPlt.size());
    return absl::StrCat(DemangleSymbol(symbol, style, budget), kPlt);
  }
  std::string name(symbol);
  // All mangled names start with one of these; most symbols of C do not.
  const bool d = absl::StartsWith(symbol, "_D");
  const bool others =
      absl::StartsWith(symbol, "_Z") || absl::StartsWith(symbol, "_R") ||
      absl::StartsWith(symbol, "_GLOBAL_") || absl::StartsWith(symbol, "__R") ||
      absl::StartsWith(symbol, "__Z") || absl::StartsWith(symbol, "ZN");
  if (style == Demangle::kNone || symbol.size() > kMaxSymbolSize ||
      !(d || others)) {
    return name;
  }
  const int options =
      style == Demangle::kFull ? DMGL_PARAMS | DMGL_ANSI : DMGL_NO_OPTS;
  if (others) {
    // Rust's legacy mangling is C++'s with a hash ("17h…"), so Rust comes
    // first.
    const bool rust = symbol[1] != 'Z' ? !BindsManyLifetimes(symbol)
                                       : absl::StrContains(symbol, "17h");
    const size_t max_size = MaxNameSize(budget);
    Sink sink;
    sink.max_size = max_size;
    uint64_t cost = symbol.size();
    bool done =
        rust && Run(rust_demangle_callback, name.c_str(), options, &sink);
    if (!done) {
      const CxxCost cxx = CostOfCxx(name, options);
      sink.max_size = max_size / cxx.printing;
      done = !cxx.too_high &&
             Run(cplus_demangle_v3_callback, name.c_str(), options, &sink);
      cost = cost * cxx.parsing + sink.written * cxx.printing;
    } else {
      cost += sink.written;
    }
    budget.Spend(Budget::kWork, cost / kBytesAStep);
    if (done) return std::move(sink.out);
  } else if (symbol.size() <= kMaxDSize &&
             !DNameMayExceed(symbol, kMaxDExpansion)) {
    if (char* out = dlang_demangle(name.c_str(), options)) {
      name = out;
      free(out);
      if (style == Demangle::kSimple) CutParameters(&name);
    }
  }
  return name;
}

std::string DemanglingStoppedWarning(absl::string_view resource) {
  return absl::StrCat(
      "the ", resource,
      " that demangling the names of a recording of this size may take is used "
      "up (see SECURITY.md)");
}

}  // namespace perf2x
