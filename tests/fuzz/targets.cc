// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/targets.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace perf2x {

absl::Span<const FuzzTarget> FuzzTargets() {
  static constexpr FuzzTarget kTargets[] = {
      {"file", FuzzFile},
      {"pipe", FuzzPipe},
      {"directory", FuzzDirectory},
      {"features", FuzzFeatures},
      {"attrs", FuzzAttrs},
      {"zstd", FuzzZstd},
      {"wrapped", FuzzWrapped},
      {"convert", FuzzConvert},
      {"records", FuzzRecords},
      {"tracing", FuzzTracing},
      {"elf", FuzzElf},
      {"dwarf", FuzzDwarf},
      {"kallsyms", FuzzKallsyms},
      {"perf-map", FuzzPerfMap},
      {"jitdump", FuzzJitDump},
      {"demangle", FuzzDemangle},
      {"unwind", FuzzUnwind},
      {"profile", FuzzProfile},
      {"branch-list", FuzzBranchList},
      {"spe", FuzzSpe},
      {"intel-pt", FuzzIntelPt},
  };
  return kTargets;
}

const FuzzTarget* FindFuzzTarget(absl::string_view name) {
  for (const FuzzTarget& target : FuzzTargets()) {
    if (name == target.name) return &target;
  }
  return nullptr;
}

std::vector<FuzzInput> FuzzPieces(FuzzInput input) {
  std::vector<FuzzInput> pieces;
  for (;;) {
    const auto cut = std::search(input.begin(), input.end(), kFuzzCut.begin(),
                                 kFuzzCut.end());
    const auto size = static_cast<size_t>(cut - input.begin());
    pieces.push_back(input.subspan(0, size));
    if (cut == input.end()) return pieces;
    input.remove_prefix(size + kFuzzCut.size());
  }
}

uint64_t FuzzChoice(FuzzInput bytes) {
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const uint8_t byte : bytes) hash = (hash ^ byte) * 0x100000001b3;
  return hash >> 20;
}

void FuzzPromise(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  std::abort();
}

}  // namespace perf2x
