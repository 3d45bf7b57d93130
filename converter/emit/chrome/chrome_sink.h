// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_CHROME_CHROME_SINK_H_
#define PERF2X_EMIT_CHROME_CHROME_SINK_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "converter/base/byte_buffer.h"
#include "converter/base/ordered_chunks.h"
#include "converter/base/output.h"

namespace perf2x {

// A slice is written as
//   ,{"name":"f","ph":"X","pid":1,"tid":2,"cat":"cycles,a.so","ts":5,"dur":3}
// All slices of a function share the head, up to `"f"`, and the tail, from
// `,a.so` to `"ts":`.
struct SliceText {
  std::string head, tail;
};
// The text between head and tail. All slices of one category on one row share
// it.
using SliceRow = std::string;

// Writes the JSON text and the slices of a trace. AddSlice only buffers a
// slice; Write and WriteSlices write, in the order of their calls. All calls
// must come from one thread. Returns the errors of the output, maybe from a
// later call; an error sticks.
class ChromeSink final : public Output {
 public:
  // `out` must outlive this. Threads of `helpers` format slices; what is
  // written, and when, does not depend on them.
  ChromeSink(Output& out, HelperPool* helpers);

  // Writes JSON text. Buffered slices stay in the buffer.
  absl::Status Write(absl::string_view bytes) override;
  // Make the shared parts of slices. Never return null. The results are valid
  // as long as the sink. `name` and `category` are JSON strings in quotes.
  // `more` is appended to the category: a JSON string without its quotes.
  const SliceText* AddSliceText(absl::string_view name, absl::string_view more);
  const SliceRow* AddSliceRow(absl::string_view category, int32_t pid,
                              int32_t tid);
  // Buffers a slice. `begin` (a result of ChromeTrace::NoteTime) and `duration`
  // are in ns. Returns true if the buffer is full; then call WriteSlices.
  bool AddSlice(const SliceText* text, const SliceRow* row, uint64_t begin,
                uint64_t duration) {
    slices_.push_back({text, row, begin, duration});
    row_bytes_ += row->size();
    return slices_.size() == kMaxSlices || row_bytes_ > kMaxRowBytes;
  }
  // Writes the buffered slices. Each begins with a comma, so another event must
  // have been written before the first slice.
  absl::Status WriteSlices();
  // Waits until all text is written. Buffered slices are lost: call WriteSlices
  // before. Does not close `out`. To be called once, last.
  absl::Status Close() override;

 private:
  static constexpr size_t kMaxSlices = 4096, kMaxRowBytes = 512 << 10;
  // Bytes of text whose memory a piece keeps for its next use.
  static constexpr size_t kMaxKeptText = 2 << 20;

  struct Slice {
    const SliceText* text;
    const SliceRow* row;
    uint64_t begin, duration;
  };
  // Holds either JSON text or slices, which Work formats.
  struct Piece {
    std::string json;
    std::vector<Slice> slices;
    ByteBuffer text;  // of the slices

    void Work();
    void Clear();
  };

  Output& out_;
  std::deque<SliceText> texts_;
  std::deque<SliceRow> rows_;
  std::vector<Slice> slices_;
  size_t row_bytes_ = 0;         // text of slices_ that comes from their rows
  OrderedChunks<Piece> pieces_;  // uses the members above
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_CHROME_CHROME_SINK_H_
