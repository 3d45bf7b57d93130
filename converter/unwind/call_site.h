#ifndef PERF2X_UNWIND_CALL_SITE_H_
#define PERF2X_UNWIND_CALL_SITE_H_

#include <cstdint>

#include "converter/unwind/expression.h"
#include "converter/unwind/machine.h"

namespace perf2x {

// Whether a call may return to `address`: the instruction before it is one, or
// is not known. What stands in a register or on the stack without a table that
// says so may be anything; this tells most of it from return addresses. On
// 32-bit ARM the lowest bit of `address` says which instruction set it is in.
bool MayBeReturnAddress(const Machine& machine, uint64_t address,
                        ReadMemory read);

}  // namespace perf2x

#endif  // PERF2X_UNWIND_CALL_SITE_H_
