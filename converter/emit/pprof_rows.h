#ifndef PERF2X_EMIT_PPROF_ROWS_H_
#define PERF2X_EMIT_PPROF_ROWS_H_

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "converter/profile/model.h"

namespace perf2x {

// Names a set of labels; see LabelSets.
using LabelSetId = uint32_t;

// Samples summed by stack, labels and event, 24 bytes a row. Stack ids are
// dense, so the first row of a stack lies at its index and most samples touch
// one piece of memory only, which is fetched while the samples before are
// added. Never moves a row, so growth costs no copies.
class SampleRows {
 public:
  struct Row {
    uint64_t value = 0;  // sum of periods; stops at the largest int64
    // Of samples; 0: merged into another stack. Half a year of a million
    // samples a second fits.
    uint64_t count : 44 = 0;
    uint64_t event : 20 = 0;    // an EventId
    LabelSetId labels = kNoId;  // kNoId: no row yet
    uint32_t next = kNoId;
  };
  // A row cannot tell more events apart.
  static constexpr EventId kMostEvents = 1 << 20;

  // Adds now, or a few calls later: Flush() before anything is read.
  void Add(StackId stack, LabelSetId labels, EventId event, uint64_t count,
           uint64_t value);
  void Flush();

  // One more than the highest stack that has rows.
  size_t stacks() const { return stacks_; }
  // The first row of a stack, and then Row::next of each, in order of arrival
  // up to the sixteenth; kNoId ends the list.
  uint32_t first(StackId stack) {
    return (*this)[stack].labels == kNoId ? kNoId : stack;
  }
  Row& operator[](uint32_t i) {
    return (i & kFurther) == 0 ? first_[i] : further_[i & ~kFurther];
  }

 private:
  // Rows in pieces of one size.
  class Chunks {
   public:
    Row& operator[](uint32_t i) { return chunks_[i >> kShift][i & kMask]; }
    void Reserve(uint32_t n) {
      while (chunks_.size() << kShift < n) {
        chunks_.emplace_back(new Row[size_t{kMask} + 1]);
      }
    }

   private:
    static constexpr int kShift = 14;
    static constexpr uint32_t kMask = (1u << kShift) - 1;
    std::vector<std::unique_ptr<Row[]>> chunks_;
  };
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
  struct Waiting {
    Key key;
    uint64_t count, value;
  };

  // Marks the index of a row that is not the first of its stack.
  static constexpr uint32_t kFurther = 1u << 31;
  // As far as a list is searched. Rows behind are found through far_, so that a
  // stack common to thousands of threads costs no more than another.
  static constexpr int kNear = 16;

  void AddNow(const Waiting& sample);
  uint32_t NewFurther(const Key& key);

  Chunks first_, further_;
  uint32_t stacks_ = 0, further_count_ = 0;
  std::array<Waiting, 16> waiting_;  // a ring
  size_t waiting_first_ = 0, waiting_count_ = 0;
  absl::flat_hash_map<Key, uint32_t> far_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_PPROF_ROWS_H_
