// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_MODEL_SYMBOLIZER_H_
#define PERF2X_MODEL_SYMBOLIZER_H_

#include <cstdint>
#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/model/model.h"

namespace perf2x {

class CodeImage;

// A function at an address. Strings are valid until Resolve returns; until
// then, equal pointers mean equal strings.
struct Symbol {
  absl::string_view name;         // demangled
  absl::string_view system_name;  // as in the symbol table
  absl::string_view file;         // source file; empty when not known
  uint32_t line = 0;              // 0: not known
  uint32_t start_line = 0;        // of the function; 0: not known
};

// Looks up functions and lines of addresses. Calls back only through `found`.
class Symbolizer {
 public:
  // Receives an index into `addresses` and the functions there, at least one.
  // The innermost inlined function is first. The function that is not inlined
  // is last.
  using Found = absl::FunctionRef<void(size_t, absl::Span<const Symbol>)>;

  virtual ~Symbolizer() = default;

  // Looks up `addresses` (Frame::address) of `dso`. They must be ascending and
  // distinct. Calls `found` only for addresses with a symbol, in ascending
  // order. May be called on several threads at once for different DSOs.
  virtual void Resolve(const Dso& dso, absl::Span<const uint64_t> addresses,
                       Found found) = 0;
  // Returns the code of `dso`; null if its file is not found. The code must not
  // outlive this object, and may be used on one thread at a time.
  virtual std::shared_ptr<CodeImage> OpenCode(const Dso&) { return nullptr; }
  // Frees tables of `dso`, if possible. Later lookups may load them again. May
  // be called on several threads at once for different DSOs.
  virtual void Release(const Dso&) {}
  // Returns true if the recorded path suffices to accept a file whose build id
  // is not recorded. Two recordings may share the symbols of such a file only
  // if their symbolizers return the same value.
  virtual bool trusts_paths() const { return false; }
};

}  // namespace perf2x

#endif  // PERF2X_MODEL_SYMBOLIZER_H_
