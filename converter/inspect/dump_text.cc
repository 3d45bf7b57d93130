// SPDX-License-Identifier: Apache-2.0
#include "converter/inspect/dump_text.h"

#include "converter/base/status_macros.h"

namespace perf2x {

absl::StatusOr<size_t> DumpText::AddPackets(absl::Span<const uint8_t> trace,
                                            const BlockRef& block) {
  // The lines of so many bytes fit a processor's cache.
  constexpr size_t kBytesOfChunk = 8 << 10;
  size_t at = 0;
  while (at < trace.size() && !budget_.exhausted()) {
    Chunk& chunk = chunks_.chunk();
    chunk.trace = trace;
    chunk.block = block;
    chunk.begin = at;
    at = chunk.end = EndOfSpePackets(trace, at, kBytesOfChunk);
    RETURN_IF_ERROR(chunks_.Push());
  }
  return at;
}

absl::Status DumpText::Finish() {
  RETURN_IF_ERROR(chunks_.Push());
  return chunks_.Finish();
}

}  // namespace perf2x
