// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SUPPORT_JIT_DUMP_H_
#define PERF2X_TESTS_SUPPORT_JIT_DUMP_H_

#include <cstdint>
#include <string>

#include "tests/unwind/test_elf.h"

// Jitdumps, as tools/perf/Documentation/jitdump-specification.txt of Linux has
// them. All bytes are little-endian.

namespace perf2x {

// Returns the header of a jitdump; `machine` is ELF's number (EM_*).
inline std::string JitDumpOf(uint32_t machine, uint32_t pid) {
  Bytes dump;
  dump.U32(0x4a695444).U32(1).U32(40).U32(machine).U32(0).U32(pid);
  return dump.U64(0).U64(0).str();
}

// Returns the record of a function "f" that was loaded at `at`.
inline std::string JitLoad(uint64_t time, uint32_t pid, uint64_t at,
                           uint64_t index, const std::string& code) {
  Bytes body;
  body.U32(pid).U32(pid).U64(at).U64(at).U64(code.size()).U64(index);
  body.Add(std::string("f\0", 2)).Add(code);
  Bytes record;
  record.U32(0).U32(static_cast<uint32_t>(16 + body.size())).U64(time);
  return record.Add(body.str()).str();
}

// Returns the record of a function of `size` bytes that was moved.
inline std::string JitMove(uint64_t time, uint32_t pid, uint64_t from,
                           uint64_t to, uint64_t index, uint64_t size) {
  Bytes body;
  body.U32(pid).U32(pid).U64(to).U64(from).U64(to).U64(size).U64(index);
  Bytes record;
  record.U32(1).U32(static_cast<uint32_t>(16 + body.size())).U64(time);
  return record.Add(body.str()).str();
}

}  // namespace perf2x

#endif  // PERF2X_TESTS_SUPPORT_JIT_DUMP_H_
