// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_UNWIND_PROCESS_MEMORY_H_
#define PERF2X_UNWIND_PROCESS_MEMORY_H_

#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "converter/unwind/dso_cfi.h"
#include "converter/unwind/registers.h"
#include "converter/unwind/unwind_info_source.h"

namespace perf2x {

// The user stack dump of a sample (PERF_SAMPLE_STACK_USER), in the recording's
// byte order: the bytes from the stack pointer on.
struct UserStackDump {
  uint64_t start = 0;  // the stack pointer
  absl::Span<const uint8_t> bytes;
};

// The call frame information of all DSOs for one machine, by DsoId. Not
// thread-safe.
class DsoCfiTable {
 public:
  // All must outlive the table.
  DsoCfiTable(const Machine& machine, UnwindInfoSource* source,
              RuleTable* rules)
      : machine_(machine), source_(source), rules_(rules) {}
  // Returns the information of a DSO, valid as long as the table. The first
  // call for it opens its file. Requires dso != kNoId.
  DsoCfi& Get(DsoId dso) {
    if (dso >= files_.size()) files_.resize(size_t{dso} + 1);
    if (files_[dso] == nullptr) {
      files_[dso] = std::make_unique<DsoCfi>(machine_, dso, source_, rules_);
    }
    return *files_[dso];
  }

 private:
  const Machine& machine_;
  UnwindInfoSource* source_;
  RuleTable* rules_;
  std::vector<std::unique_ptr<DsoCfi>> files_;
};

// The known memory of a process at a sample: the user stack dump, and the
// read-only segments of mapped files. Not thread-safe.
class ProcessMemory {
 public:
  // All must outlive this object, `maps` included.
  ProcessMemory(const Machine& machine, const UserStackDump& stack,
                MapLookup maps, DsoCfiTable* code)
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
  // Returns a pointer to the words of [address, address + size) if the stack
  // dump has all of them and they have the host's size and byte order; else
  // null.
  const uint8_t* Words(uint64_t address, uint64_t size) const {
    const uint64_t offset = address - stack_.start;
    const bool has = plain_ && offset < stack_.bytes.size() &&
                     stack_.bytes.size() - offset >= size;
    return has ? stack_.bytes.data() + offset : nullptr;
  }
  // Returns true if any read so far failed because it was above the stack dump,
  // by less than 8 MiB.
  bool stack_ended() const { return stack_ended_; }

 private:
  const Machine& machine_;
  const UserStackDump& stack_;
  MapLookup maps_;
  DsoCfiTable* code_;
  const bool plain_;  // words have the host's size and byte order
  bool stack_ended_ = false;
};

}  // namespace perf2x

#endif  // PERF2X_UNWIND_PROCESS_MEMORY_H_
