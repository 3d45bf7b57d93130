// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_ELF_CALL_SITE_H_
#define PERF2X_SYMBOLIZE_ELF_CALL_SITE_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "converter/base/machine.h"

namespace perf2x {

// Reads an unsigned integer of `size` bytes at an address. Returns false if the
// memory is not available.
using ReadCode =
    absl::FunctionRef<bool(uint64_t address, int size, uint64_t* value)>;

// Returns true if the bytes before `address` may be a call instruction. Also
// returns true if none of them can be read, or if the machine's call
// instructions are not known. On 32-bit ARM the lowest bit of `address` selects
// Thumb.
bool MayFollowCall(const Machine& machine, uint64_t address, ReadCode read);

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_ELF_CALL_SITE_H_
