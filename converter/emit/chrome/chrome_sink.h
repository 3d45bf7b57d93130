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
#include "absl/types/span.h"
#include "converter/base/consumer_queue.h"
#include "converter/base/output.h"

namespace perf2x {

// The JSON that all slices of a function share: its name, and the text from its
// last category up to the time.
struct SliceText {
  std::string head, tail;
};
// The JSON that all slices of one category on one row share. It goes between
// the two parts of SliceText.
using SliceRow = std::string;

// The output of a trace. Accepts JSON text and slices, formats the slices, and
// writes both in order, on a worker thread with `on_thread`. The output is the
// same with and without that thread. All calls must come from one thread.
// Errors of the output are returned by later calls.
class ChromeSink final : public Output {
 public:
  ChromeSink(Output& out, bool on_thread);

  absl::Status Write(absl::string_view bytes) override;
  // Add the shared parts of slices; pointers are valid as long as the sink.
  // `name` and `category` are JSON strings, `more` continues the category
  // within its quotes.
  const SliceText* AddText(absl::string_view name, absl::string_view more);
  const SliceRow* AddRow(absl::string_view category, int32_t pid, int32_t tid);
  // Buffers a slice of `duration` ns. Returns true if the buffer is full; then
  // call WriteSlices. Some other event must precede the first slice.
  bool Add(const SliceText* text, const SliceRow* row, uint64_t begin,
           uint64_t duration) {
    slices_.push_back({text, row, begin, duration});
    return slices_.size() == kMaxSlices;
  }
  absl::Status WriteSlices();
  // Waits until all is written. Does not close the underlying output.
  absl::Status Close() override;

 private:
  static constexpr size_t kMaxSlices = 4096;

  struct Slice {
    const SliceText* text;
    const SliceRow* row;
    uint64_t begin, duration;
  };
  // Holds either JSON text or slices.
  struct Piece {
    std::string bytes;
    std::vector<Slice> slices;
  };
  absl::Status Consume(Piece& piece);
  absl::Status Render(absl::Span<const Slice> slices);

  Output& out_;
  std::deque<SliceText> texts_;
  std::deque<SliceRow> rows_;
  std::vector<Slice> slices_;
  std::vector<char> text_;       // formatted slices; only used by Consume
  ConsumerQueue<Piece> pieces_;  // uses the members above
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_CHROME_CHROME_SINK_H_
