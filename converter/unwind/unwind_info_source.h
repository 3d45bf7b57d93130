// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_UNWIND_UNWIND_INFO_SOURCE_H_
#define PERF2X_UNWIND_UNWIND_INFO_SOURCE_H_

#include <cstdint>
#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "converter/model/model.h"
#include "converter/symbolize/elf/elf_file.h"

namespace perf2x {

// Finds the files with the code and the unwind information of DSOs. Not
// thread-safe.
class UnwindInfoSource {
 public:
  virtual ~UnwindInfoSource() = default;
  // Returns the file that was mapped; null if it was not found.
  virtual std::shared_ptr<const ElfFile> OpenBinary(DsoId dso) = 0;
  // Returns a separate debug file with .debug_frame for `code`, the result of
  // OpenBinary; null if there is none.
  virtual std::shared_ptr<const ElfFile> OpenDebugFile(DsoId dso,
                                                       const ElfFile& code) = 0;
  // The .eh_frame of generated code, which has no file.
  struct Generated {
    // Empty: none. Valid as long as the source.
    absl::Span<const uint8_t> eh_frame;
    uint64_t address = 0;  // the run-time address of eh_frame
  };
  // Returns the .eh_frame of a DSO of kind kGenerated. Generated::eh_frame is
  // empty if none is known, and for other kinds.
  virtual Generated GeneratedCfi(DsoId) { return {}; }
};

// What is mapped at an address of a process: the byte at `offset` of the file
// of `dso`. For generated code, `offset` is the run-time address itself.
struct CodeLocation {
  DsoId dso = kNoId;  // kNoId: neither a file nor generated code
  uint64_t offset = 0;
  bool vdso = false;  // [vdso], which may have no file
  bool data = false;  // [stack] or [heap], where code is not expected
};

// Finds the mapping at an address in the sampled process. Returns false if
// there is none.
using MapLookup =
    absl::FunctionRef<bool(uint64_t address, CodeLocation* location)>;

}  // namespace perf2x

#endif  // PERF2X_UNWIND_UNWIND_INFO_SOURCE_H_
