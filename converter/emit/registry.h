// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_REGISTRY_H_
#define PERF2X_EMIT_REGISTRY_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Returns the formats that perf2x writes, in the order of kEmitterInfos. The
// elements are static. `--to`, `perf2x formats`, the help and the golden tests
// read this list.
absl::Span<const EmitterInfo> Emitters();

// Returns the format called `name`; null if there is none.
const EmitterInfo* FindEmitter(absl::string_view name);
// Returns the format whose extension `path` has, with or without a final ".gz"
// or ".zst". If several match, the longest extension wins. Returns null if none
// matches.
const EmitterInfo* FindEmitterByPath(absl::string_view path);

}  // namespace perf2x

#endif  // PERF2X_EMIT_REGISTRY_H_
