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

// A part of perf2x that reads untrusted bytes. `run` takes any bytes; it aborts
// the process if they break a promise, and is silent otherwise.
struct FuzzTarget {
  const char* name;
  void (*run)(FuzzInput);
};
absl::Span<const FuzzTarget> FuzzTargets();
// Returns the target called `name`, or null.
const FuzzTarget* FindFuzzTarget(absl::string_view name);

// The targets, named after the input that they read.
void FuzzFile(FuzzInput input);
void FuzzPipe(FuzzInput input);
void FuzzDirectory(FuzzInput input);
void FuzzFeatures(FuzzInput input);
void FuzzSpe(FuzzInput input);
void FuzzIntelPt(FuzzInput input);
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
void FuzzProfile(FuzzInput input);
void FuzzBranchList(FuzzInput input);

// For targets with several inputs: returns `input` split at each kFuzzCut.
inline constexpr absl::string_view kFuzzCut = "=8<=";
std::vector<FuzzInput> FuzzPieces(FuzzInput input);

inline std::string TextOf(FuzzInput bytes) {
  return std::string(bytes.begin(), bytes.end());
}

// Returns a hash of the bytes: the same bytes always make the same choice.
uint64_t FuzzChoice(FuzzInput bytes);

// Aborts the process, which fuzzers see as a crash, unless `holds`.
void FuzzPromise(bool holds, const char* what);

}  // namespace perf2x

#endif  // PERF2X_TESTS_FUZZ_TARGETS_H_
