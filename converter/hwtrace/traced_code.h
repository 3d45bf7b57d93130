// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_HWTRACE_TRACED_CODE_H_
#define PERF2X_HWTRACE_TRACED_CODE_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"

namespace perf2x {

// The machine code that a traced program ran. A trace says which branches were
// taken. The code says where they lead.
class TracedCode {
 public:
  virtual ~TracedCode() = default;
  // Copies known code from `address` on into `to`. Returns the number of bytes;
  // 0: no code is known there.
  virtual size_t Read(uint64_t address, absl::Span<uint8_t> to) = 0;
};

}  // namespace perf2x

#endif  // PERF2X_HWTRACE_TRACED_CODE_H_
