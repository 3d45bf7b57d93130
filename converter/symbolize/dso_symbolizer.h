// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_DSO_SYMBOLIZER_H_
#define PERF2X_SYMBOLIZE_DSO_SYMBOLIZER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "converter/model/symbolizer.h"
#include "converter/symbolize/kernel/interrupt_entries.h"

namespace perf2x {

// Symbolizes one Dso, or all DSOs with the same ReportKeyOf, which share one
// DsoReport. Owned by FileSymbolizer, which makes it at the first call for the
// DSO and serializes calls. Not thread-safe.
class DsoSymbolizer {
 public:
  virtual ~DsoSymbolizer() = default;
  // See Symbolizer::Resolve.
  virtual void Resolve(const Dso& dso, absl::Span<const uint64_t> addresses,
                       Symbolizer::Found found) = 0;
  // See FileSymbolizer::InterruptEntries.
  virtual std::vector<CodeRange> InterruptEntries() const { return {}; }
  // See Symbolizer::OpenCode.
  virtual std::shared_ptr<CodeImage> OpenCode() { return nullptr; }
  // Returns reasons why the results so far may be incomplete, one line each;
  // empty if there are none.
  virtual std::vector<std::string> Warnings() const { return {}; }
  // See Symbolizer::Release.
  virtual void Release() {}
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_DSO_SYMBOLIZER_H_
