// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_FUZZ_SYMBOL_LOOKUPS_H_
#define PERF2X_TESTS_FUZZ_SYMBOL_LOOKUPS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "converter/symbolize/dso_symbolizer.h"
#include "converter/symbolize/elf/elf_file.h"

namespace perf2x {

// Symbolizes `addresses` with the symbol file `elf` and no other file. Returns
// the symbolizer's warnings.
std::vector<std::string> NameWith(std::unique_ptr<ElfFile> elf,
                                  absl::Span<const uint64_t> addresses,
                                  Symbolizer::Found found);

}  // namespace perf2x

#endif  // PERF2X_TESTS_FUZZ_SYMBOL_LOOKUPS_H_
