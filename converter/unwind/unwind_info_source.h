#ifndef PERF2X_UNWIND_UNWIND_INFO_SOURCE_H_
#define PERF2X_UNWIND_UNWIND_INFO_SOURCE_H_

#include <cstdint>
#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "converter/model/model.h"
#include "converter/symbolize/elf/elf_file.h"

namespace perf2x {

// Where the code of a recording's files is to be had.
class UnwindInfoSource {
 public:
  virtual ~UnwindInfoSource() = default;
  // The file that was mapped; null: not to be had.
  virtual std::unique_ptr<ElfFile> Code(DsoId file) = 0;
  // The file with the separate debug information of `code`, or null.
  virtual std::unique_ptr<ElfFile> Debug(DsoId file, const ElfFile& code) = 0;
  // The .eh_frame of generated code, which has no file.
  struct Generated {
    absl::Span<const uint8_t> eh_frame;  // empty: none; lives with the source
    uint64_t address = 0;                // where it would lie at run time
  };
  virtual Generated GeneratedCode(DsoId) { return {}; }
};

// What is mapped at an address: byte `offset` of `file`, the code generated at
// `offset`, or (kNoId) memory without code that is known.
struct CodeLocation {
  DsoId file = kNoId;
  uint64_t offset = 0;
  bool vdso = false;  // the kernel's library, which may have no file
  bool data = false;  // [stack] or [heap], where code is not expected
};

// Finds what is mapped at an address in the sampled process; false: nothing.
using MapLookup =
    absl::FunctionRef<bool(uint64_t address, CodeLocation* location)>;

}  // namespace perf2x

#endif  // PERF2X_UNWIND_UNWIND_INFO_SOURCE_H_
