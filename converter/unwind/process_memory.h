#ifndef PERF2X_UNWIND_PROCESS_MEMORY_H_
#define PERF2X_UNWIND_PROCESS_MEMORY_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "converter/unwind/code_cfi.h"
#include "converter/unwind/code_source.h"
#include "converter/unwind/machine.h"

namespace perf2x {

// The piece of a thread's stack that a sample carries, in the recording's byte
// order: bytes from the address in its stack pointer on.
struct StackCopy {
  uint64_t start = 0;
  absl::Span<const uint8_t> bytes;
};

// The call frame information of all files of one machine, by CodeFileId.
class CodeTable {
 public:
  CodeTable(const Machine& machine, CodeSource* source, RuleTable* rules)
      : machine_(machine), source_(source), rules_(rules) {}
  CodeCfi& Get(CodeFileId file) {
    if (file >= files_.size()) files_.resize(size_t{file} + 1);
    if (files_[file] == nullptr) {
      files_[file] = std::make_unique<CodeCfi>(machine_, file, source_, rules_);
    }
    return *files_[file];
  }

 private:
  const Machine& machine_;
  CodeSource* source_;
  RuleTable* rules_;
  std::vector<std::unique_ptr<CodeCfi>> files_;
};

// What is known of a process' memory at a sample: its copied stack, and the
// constant parts of the files that it has mapped.
class ProcessMemory {
 public:
  ProcessMemory(const Machine& machine, const StackCopy& stack, MapLookup maps,
                CodeTable* code)
      : machine_(machine), stack_(stack), maps_(maps), code_(code) {}

  // Reads an unsigned integer of `size` (1, 2, 4 or 8) bytes.
  bool Read(uint64_t address, int size, uint64_t* value);
  bool ReadAddress(uint64_t address, uint64_t* value) {
    return Read(address, machine_.address_size, value);
  }
  // Whether a read failed because the copy of the stack had ended before.
  bool stack_ended() const { return stack_ended_; }

 private:
  const Machine& machine_;
  const StackCopy& stack_;
  MapLookup maps_;
  CodeTable* code_;
  bool stack_ended_ = false;
};

}  // namespace perf2x

#endif  // PERF2X_UNWIND_PROCESS_MEMORY_H_
