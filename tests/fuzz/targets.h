// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_FUZZ_TARGETS_H_
#define PERF2X_TESTS_FUZZ_TARGETS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace perf2x {

using FuzzInput = absl::Span<const uint8_t>;

// A way for a stranger's bytes into perf2x. `run` takes any bytes; it aborts
// the process where they break a promise, and is silent otherwise.
struct FuzzTarget {
  const char* name;
  void (*run)(FuzzInput);
};
absl::Span<const FuzzTarget> FuzzTargets();
// Null when there is none of that name.
const FuzzTarget* FindFuzzTarget(absl::string_view name);

// Targets by what they read.
void FuzzFile(FuzzInput input);
void FuzzPipe(FuzzInput input);
void FuzzDirectory(FuzzInput input);
void FuzzFeatures(FuzzInput input);
void FuzzAttrs(FuzzInput input);
void FuzzZstd(FuzzInput input);
void FuzzWrapped(FuzzInput input);
void FuzzConvert(FuzzInput input);
void FuzzRecords(FuzzInput input);
void FuzzTracing(FuzzInput input);
void FuzzElf(FuzzInput input);
void FuzzDwarf(FuzzInput input);
void FuzzKallsyms(FuzzInput input);
void FuzzPerfMap(FuzzInput input);
void FuzzJitDump(FuzzInput input);
void FuzzDemangle(FuzzInput input);
void FuzzUnwind(FuzzInput input);

// For targets that take several things: `input` cut at each kFuzzCut.
inline constexpr absl::string_view kFuzzCut = "=8<=";
std::vector<FuzzInput> FuzzPieces(FuzzInput input);

inline std::string TextOf(FuzzInput bytes) {
  return std::string(bytes.begin(), bytes.end());
}

// A number that the bytes stand for: the same bytes always make the same
// choice.
uint64_t FuzzChoice(FuzzInput bytes);

// Ends the process, as a crash that fuzzers see, unless `holds`.
void FuzzPromise(bool holds, const char* what);

}  // namespace perf2x

#endif  // PERF2X_TESTS_FUZZ_TARGETS_H_
