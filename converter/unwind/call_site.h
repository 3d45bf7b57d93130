#ifndef PERF2X_UNWIND_CALL_SITE_H_
#define PERF2X_UNWIND_CALL_SITE_H_

#include <cstdint>

#include "converter/symbolize/elf/call_site.h"
#include "converter/unwind/machine.h"

namespace perf2x {

// See MayFollowCall. What stands in a register or on the stack without a table
// that says so may be anything; this tells most of it from return addresses.
inline bool MayBeReturnAddress(const Machine& machine, uint64_t address,
                               ReadCode read) {
  return MayFollowCall(machine.elf_machine, address, read);
}

}  // namespace perf2x

#endif  // PERF2X_UNWIND_CALL_SITE_H_
