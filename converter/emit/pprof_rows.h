#ifndef PERF2X_EMIT_PPROF_ROWS_H_
#define PERF2X_EMIT_PPROF_ROWS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "converter/profile/model.h"

namespace perf2x {

// Names a set of labels; see LabelSets.
using LabelSetId = uint32_t;

// Samples summed by stack, labels and event. Stack ids are dense, so that the
// rows of a stack are found by index and hang together in a list; 32 bytes a
// row and 4 a stack. Never moves a row, so growth costs no copies.
class SampleRows {
 public:
  struct Row {
    uint64_t value = 0;  // sum of periods; stops at the largest int64
    uint64_t count = 0;  // of samples; 0: merged into another stack
    LabelSetId labels = 0;
    EventId event = 0;
    uint32_t next = kNoId;
  };

  void Add(StackId stack, LabelSetId labels, EventId event, uint64_t count,
           uint64_t value);

  // One more than the highest stack that has rows.
  size_t stacks() const { return first_.size(); }
  // The first row of a stack, and then Row::next of each, in order of arrival
  // up to the sixteenth; kNoId ends the list.
  uint32_t first(StackId stack) const { return first_[stack]; }
  Row& operator[](uint32_t i) { return chunks_[i >> kShift][i & kMask]; }
  size_t size() const { return size_; }

 private:
  // As far as a list is searched. Rows behind are found through far_, so that a
  // stack common to thousands of threads costs no more than another.
  static constexpr int kNear = 16;
  static constexpr int kShift = 14;
  static constexpr uint32_t kMask = (1u << kShift) - 1;

  struct Key {
    StackId stack;
    LabelSetId labels;
    EventId event;
    friend bool operator==(const Key&, const Key&) = default;
    template <class H>
    friend H AbslHashValue(H h, const Key& k) {
      return H::combine(std::move(h), k.stack, k.labels, k.event);
    }
  };

  uint32_t NewRow(LabelSetId labels, EventId event);

  std::vector<uint32_t> first_;  // by stack
  std::vector<std::unique_ptr<Row[]>> chunks_;
  uint32_t size_ = 0;
  absl::flat_hash_map<Key, uint32_t> far_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_PPROF_ROWS_H_
