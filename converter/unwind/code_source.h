#ifndef PERF2X_UNWIND_CODE_SOURCE_H_
#define PERF2X_UNWIND_CODE_SOURCE_H_

#include <cstdint>
#include <memory>

#include "absl/functional/function_ref.h"
#include "converter/profile/model.h"
#include "converter/symbolize/elf_file.h"

namespace perf2x {

// Where the code of a recording's files is to be had.
class CodeSource {
 public:
  virtual ~CodeSource() = default;
  // The file that was mapped; null: not to be had.
  virtual std::unique_ptr<ElfFile> Code(CodeFileId file) = 0;
  // The file with the separate debug information of `code`, or null.
  virtual std::unique_ptr<ElfFile> Debug(CodeFileId file,
                                         const ElfFile& code) = 0;
};

// What is mapped at an address: byte `offset` of `file`, or (kNoId) memory
// without a file.
struct CodeLocation {
  CodeFileId file = kNoId;
  uint64_t offset = 0;
};

// Finds what is mapped at an address in the sampled process; false: nothing.
using MapLookup =
    absl::FunctionRef<bool(uint64_t address, CodeLocation* location)>;

}  // namespace perf2x

#endif  // PERF2X_UNWIND_CODE_SOURCE_H_
