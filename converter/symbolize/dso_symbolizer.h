#ifndef PERF2X_SYMBOLIZE_DSO_SYMBOLIZER_H_
#define PERF2X_SYMBOLIZE_DSO_SYMBOLIZER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "converter/model/symbolizer.h"
#include "converter/symbolize/kernel/interrupt_entries.h"

namespace perf2x {

// Names the code of one Dso. One thread at a time.
class DsoSymbolizer {
 public:
  virtual ~DsoSymbolizer() = default;
  // See Symbolizer::Resolve.
  virtual void Resolve(absl::Span<const uint64_t> addresses,
                       Symbolizer::Found found) = 0;
  // See FileSymbolizer::InterruptEntries.
  virtual std::vector<CodeRange> InterruptEntries() const { return {}; }
  // What the answers so far may lack, a line each.
  virtual std::vector<std::string> Warnings() const { return {}; }
  // See Symbolizer::Release.
  virtual void Release() {}
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_DSO_SYMBOLIZER_H_
