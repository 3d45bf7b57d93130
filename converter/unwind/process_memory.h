// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_UNWIND_PROCESS_MEMORY_H_
#define PERF2X_UNWIND_PROCESS_MEMORY_H_

#include <cstdint>
#include <cstring>

#include "absl/types/span.h"
#include "converter/base/machine.h"
#include "converter/unwind/unwind_info_source.h"
#include "converter/unwind/unwind_tables.h"

namespace perf2x {

// The user stack dump of a sample (PERF_SAMPLE_STACK_USER), in the recording's
// byte order: the bytes from the stack pointer on.
struct UserStackDump {
  uint64_t start = 0;  // the stack pointer
  absl::Span<const uint8_t> bytes;
};

// The known memory of a process at a sample: the user stack dump, and the
// read-only segments of mapped files. Not thread-safe.
class ProcessMemory {
 public:
  // All arguments, also `maps`, must outlive this object.
  ProcessMemory(const Machine& machine, const UserStackDump& stack,
                MapLookup maps, UnwindTables* code)
      : machine_(machine),
        stack_(stack),
        maps_(maps),
        code_(code),
        plain_(machine.address_size == sizeof(uint64_t) &&
               machine.order == kHostOrder) {}

  // Reads an unsigned integer of `size` (1, 2, 4 or 8) bytes. Returns false,
  // and leaves `*value` alone, if the memory is not known.
  bool Read(uint64_t address, int size, uint64_t* value);
  // Like Read, for an integer of the machine's address size.
  bool ReadAddress(uint64_t address, uint64_t* value) {
    const uint64_t offset = address - stack_.start;
    if (plain_ && offset < stack_.bytes.size() &&
        stack_.bytes.size() - offset >= sizeof(*value)) {
      std::memcpy(value, stack_.bytes.data() + offset, sizeof(*value));
      return true;
    }
    return Read(address, machine_.address_size, value);
  }
  // Returns a pointer to the bytes [address, address + size) of the stack dump,
  // for callers that read them as words of 8 bytes. Returns null if the dump
  // lacks some of the bytes, or if the machine's words differ from the host's
  // in size or byte order: then call ReadAddress. Valid as long as the dump.
  const uint8_t* StackWords(uint64_t address, uint64_t size) const {
    const uint64_t offset = address - stack_.start;
    const bool has = plain_ && offset < stack_.bytes.size() &&
                     stack_.bytes.size() - offset >= size;
    return has ? stack_.bytes.data() + offset : nullptr;
  }
  // Returns true if any read so far failed because its address was less than 8
  // MiB above the stack dump.
  bool stack_ended() const { return stack_ended_; }

 private:
  const Machine& machine_;
  const UserStackDump& stack_;
  MapLookup maps_;
  UnwindTables* code_;
  const bool plain_;  // words have the host's size and byte order
  bool stack_ended_ = false;
};

}  // namespace perf2x

#endif  // PERF2X_UNWIND_PROCESS_MEMORY_H_
