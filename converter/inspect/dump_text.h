// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_INSPECT_DUMP_TEXT_H_
#define PERF2X_INSPECT_DUMP_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "converter/base/block.h"
#include "converter/base/budget.h"
#include "converter/base/ordered_chunks.h"
#include "converter/base/output.h"
#include "converter/hwtrace/spe_packet_lines.h"

namespace perf2x {

// Writes the text of a dump in large pieces, and charges the budget for it. The
// lines of the packets of Arm SPE traces are made on other threads. All calls
// must come from one thread. Errors are the output's.
class DumpText {
 public:
  // Both must outlive the text. Up to `helpers` threads make lines of packets.
  DumpText(size_t helpers, Output& output, Budget& budget)
      : output_(output),
        budget_(budget),
        helpers_("perf2x-helper", helpers),
        chunks_(&helpers_, [this](Chunk& chunk) {
          budget_.Spend(Budget::kOutput, chunk.text.size());
          return output_.Write(chunk.text);
        }) {}

  // Returns the text to append lines to; valid until the next call of another
  // function.
  std::string& lines() { return chunks_.chunk().text; }
  // To be called after each line.
  absl::Status EndLine() {
    constexpr size_t kWriteAt = 64 << 10;
    return lines().size() < kWriteAt ? absl::OkStatus() : Finish();
  }
  // Appends the lines of a buffer of Arm SPE trace. `block` owns the bytes.
  // Returns the size of the packets that have lines: less than the trace's if
  // the budget is exhausted.
  absl::StatusOr<size_t> AddPackets(absl::Span<const uint8_t> trace,
                                    const BlockRef& block);
  // Writes all lines.
  absl::Status Finish();

 private:
  // Lines, then those of a part of a trace.
  struct Chunk {
    void Work() { AppendSpePacketLines(trace, begin, end, &text); }
    void Clear() {
      text.clear();
      trace = {};
      begin = end = 0;
      block = BlockRef();
    }
    std::string text;
    absl::Span<const uint8_t> trace;
    size_t begin = 0, end = 0;
    BlockRef block;
  };

  Output& output_;
  Budget& budget_;
  HelperPool helpers_;
  OrderedChunks<Chunk> chunks_;
};

}  // namespace perf2x

#endif  // PERF2X_INSPECT_DUMP_TEXT_H_
