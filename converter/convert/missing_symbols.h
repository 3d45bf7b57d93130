#ifndef PERF2X_CONVERT_MISSING_SYMBOLS_H_
#define PERF2X_CONVERT_MISSING_SYMBOLS_H_

#include <cstdint>
#include <vector>

#include "converter/model/file_report.h"
#include "converter/session/stack_sample.h"

namespace perf2x {

// Sets FileReport::samples of each of `*reports`: how many samples have, in
// their stacks, an address of that file for which no symbol was found. A sample
// counts once a file. Returns how many samples have such an address in any of
// the files; one in no mapping (CodeKind::kUnknown) lacks no symbol. Frees
// FileReport::unsymbolized.
uint64_t CountUnsymbolized(const StackSample& stacks,
                           std::vector<FileReport>* reports);

}  // namespace perf2x

#endif  // PERF2X_CONVERT_MISSING_SYMBOLS_H_
