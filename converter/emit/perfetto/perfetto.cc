// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <utility>

#include "converter/base/status_macros.h"
#include "converter/emit/emitters.h"
#include "converter/emit/perfetto/compressed_packets.h"
#include "converter/emit/perfetto/perfetto_emitter.h"

namespace perf2x {
namespace {

absl::StatusOr<std::unique_ptr<Emitter>> MakePerfettoEmitter(
    const EmitterContext& context) {
  ASSIGN_OR_RETURN(std::unique_ptr<Output> output, context.outputs.Open(""));
  return std::make_unique<PerfettoEmitter>(
      context, std::make_unique<CompressedPackets>(
                   std::move(output),
                   context.pipeline.has_thread(Pipeline::Edge::kPackPackets)));
}

}  // namespace

EmitterInfo PerfettoEmitterInfo() {
  return {.name = "perfetto",
          .extension = ".pftrace",
          .summary = "Perfetto's own trace format, for large recordings",
          .has_time_line = true,
          .make = MakePerfettoEmitter,
          .needs_times = true,
          .advice = "open it on https://ui.perfetto.dev"};
}

}  // namespace perf2x
