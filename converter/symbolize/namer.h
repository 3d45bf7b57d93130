#ifndef PERF2X_SYMBOLIZE_NAMER_H_
#define PERF2X_SYMBOLIZE_NAMER_H_

#include <cstdint>

#include "absl/types/span.h"
#include "converter/profile/symbolizer.h"

namespace perf2x {

// Names the code of one CodeFile. One thread at a time.
class Namer {
 public:
  virtual ~Namer() = default;
  // See Symbolizer::Resolve.
  virtual void Resolve(absl::Span<const uint64_t> addresses,
                       Symbolizer::Found found) = 0;
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_NAMER_H_
