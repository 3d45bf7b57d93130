#ifndef PERF2X_SYMBOLIZE_ELF_CALL_SITE_H_
#define PERF2X_SYMBOLIZE_ELF_CALL_SITE_H_

#include <cstdint>

#include "absl/functional/function_ref.h"

namespace perf2x {

// Reads an unsigned integer of some bytes at an address; false: not known.
using ReadCode =
    absl::FunctionRef<bool(uint64_t address, int size, uint64_t* value)>;

// Whether a call may return to `address`: the instruction before it is one, or
// is not known. On 32-bit ARM the lowest bit of `address` says which
// instruction set it is in. `elf_machine` is EM_*; of machines that are not
// known, any address may be one.
bool MayFollowCall(uint16_t elf_machine, uint64_t address, ReadCode read);

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_ELF_CALL_SITE_H_
