// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_EMITTERS_H_
#define PERF2X_EMIT_EMITTERS_H_

#include <memory>

#include "converter/model/emitter.h"

namespace perf2x {

// Return the formats; each is defined in the format's own file.
EmitterInfo AutofdoEmitterInfo();
EmitterInfo BoltEmitterInfo();
EmitterInfo ChromeEmitterInfo();
EmitterInfo CsvEmitterInfo();
EmitterInfo FirefoxEmitterInfo();
EmitterInfo FoldedEmitterInfo();
EmitterInfo HtmlEmitterInfo();
EmitterInfo ParquetEmitterInfo();
EmitterInfo PerfettoEmitterInfo();
EmitterInfo PprofEmitterInfo();
EmitterInfo ProfgenEmitterInfo();
EmitterInfo SpeedscopeEmitterInfo();

// All formats, in the order of `perf2x formats`.
inline constexpr EmitterInfo (*kEmitterInfos[])() = {
    PprofEmitterInfo,   HtmlEmitterInfo,       ChromeEmitterInfo,
    FirefoxEmitterInfo, SpeedscopeEmitterInfo, PerfettoEmitterInfo,
    CsvEmitterInfo,     ParquetEmitterInfo,    FoldedEmitterInfo,
    AutofdoEmitterInfo, ProfgenEmitterInfo,    BoltEmitterInfo,
};

// EmitterInfo::make of a format whose emitter takes the context alone.
template <class FormatEmitter>
absl::StatusOr<std::unique_ptr<Emitter>> MakeEmitter(
    const EmitterContext& context) {
  return std::make_unique<FormatEmitter>(context);
}

}  // namespace perf2x

#endif  // PERF2X_EMIT_EMITTERS_H_
