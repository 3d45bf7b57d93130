// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/registry.h"

#include <vector>

#include "absl/strings/match.h"
#include "converter/base/output_compression.h"
#include "converter/emit/emitters.h"

namespace perf2x {

absl::Span<const EmitterInfo> Emitters() {
  static const auto& kEmitters = *[] {
    auto* emitters = new std::vector<EmitterInfo>;
    for (const auto& info : kEmitterInfos) emitters->push_back(info());
    return emitters;
  }();
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
  ConsumeCompressionSuffix(&path);
  const EmitterInfo* found = nullptr;
  for (const EmitterInfo& e : Emitters()) {
    const absl::string_view extension = e.extension;
    if ((absl::EndsWith(path, extension) ||
         absl::EndsWith(packed, extension)) &&
        (found == nullptr ||
         extension.size() > absl::string_view(found->extension).size())) {
      found = &e;
    }
  }
  return found;
}

}  // namespace perf2x
