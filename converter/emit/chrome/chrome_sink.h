#ifndef PERF2X_EMIT_CHROME_CHROME_SINK_H_
#define PERF2X_EMIT_CHROME_CHROME_SINK_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/base/bounded_queue.h"
#include "converter/base/output.h"

namespace perf2x {

// What all slices of a function have in common, as JSON: its name, and from
// the last of its categories up to the time.
struct SliceText {
  std::string head, tail;
};
// What all slices of one category on one row have in common, likewise: it
// stands between the two.
using SliceRow = std::string;

// Where a trace goes: pieces of JSON as they are, and slices, which take their
// text only here. With a thread of its own for that, whoever works out the
// slices waits neither for it nor for the disk. The order of what arrives does
// not depend on that.
class ChromeSink final : public Output {
 public:
  ChromeSink(Output& out, bool thread);
  ~ChromeSink() override;

  absl::Status Write(absl::string_view bytes) override;
  // What slices are made of; these stay as long as this. `name` and `category`
  // are JSON strings, `more` what comes within the latter's quotes behind it.
  const SliceText* AddText(absl::string_view name, absl::string_view more);
  const SliceRow* AddRow(absl::string_view category, int32_t pid, int32_t tid);
  // A slice of `duration` ns. It waits for others: true when they should go, by
  // WriteSlices. An event of another kind must have been written before.
  bool Add(const SliceText* text, const SliceRow* row, uint64_t begin,
           uint64_t duration) {
    slices_.push_back({text, row, begin, duration});
    return slices_.size() == kMaxSlices;
  }
  absl::Status WriteSlices();
  // Waits until all has arrived. Does not close the output behind this.
  absl::Status Close() override;

 private:
  static constexpr size_t kMaxSlices = 4096;

  struct Slice {
    const SliceText* text;
    const SliceRow* row;
    uint64_t begin, duration;
  };
  // Either of the two.
  struct Piece {
    std::string bytes;
    std::vector<Slice> slices;
  };
  void Work();
  absl::Status Render(absl::Span<const Slice> slices);
  absl::Status status();

  Output& out_;
  std::deque<SliceText> texts_;
  std::deque<SliceRow> rows_;
  std::vector<Slice> slices_;
  std::vector<char> text_;  // what slices become; the worker's
  BoundedQueue<Piece> queue_;
  std::mutex mutex_;
  absl::Status status_;  // guarded by mutex_
  std::thread worker_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_CHROME_CHROME_SINK_H_
