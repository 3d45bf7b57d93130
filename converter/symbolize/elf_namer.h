#ifndef PERF2X_SYMBOLIZE_ELF_NAMER_H_
#define PERF2X_SYMBOLIZE_ELF_NAMER_H_

#include <memory>
#include <string>

#include "converter/symbolize/binary_finder.h"
#include "converter/symbolize/namer.h"
#include "converter/symbolize/symbolize.h"

namespace perf2x {

// Names code by the symbol tables of `binary` and of its separate debug file,
// addresses being offsets in the binary. Either may be null, not both. What was
// used and what is wrong with it is added to `report`.
std::unique_ptr<Namer> MakeElfNamer(const SymbolizeOptions& options,
                                    std::unique_ptr<ElfFile> binary,
                                    std::unique_ptr<ElfFile> debug,
                                    FileReport* report);

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_ELF_NAMER_H_
