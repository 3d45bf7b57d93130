// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/registry.h"

#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "converter/emit/emitters.h"

namespace perf2x {

absl::Span<const EmitterInfo> Emitters() {
  static const auto& kEmitters = *new std::vector<EmitterInfo>{
      PprofEmitterInfo(),
      ChromeEmitterInfo(),
      CsvEmitterInfo(),
      FoldedEmitterInfo(),
  };
  return kEmitters;
}

const EmitterInfo* FindEmitter(absl::string_view name) {
  for (const EmitterInfo& e : Emitters()) {
    if (name == e.name) return &e;
  }
  return nullptr;
}

const EmitterInfo* FindEmitterByPath(absl::string_view path) {
  const absl::string_view packed = path;
  absl::ConsumeSuffix(&path, ".gz");
  for (const EmitterInfo& e : Emitters()) {
    if (absl::EndsWith(path, e.extension) ||
        absl::EndsWith(packed, e.extension)) {
      return &e;
    }
  }
  return nullptr;
}

}  // namespace perf2x
