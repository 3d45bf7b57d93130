#ifndef PERF2X_EMIT_PPROF_PPROF_ROWS_H_
#define PERF2X_EMIT_PPROF_PPROF_ROWS_H_

#include <cstdint>
#include <optional>
#include <thread>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "converter/base/bounded_queue.h"
#include "converter/base/chunked.h"
#include "converter/base/prefetch.h"
#include "converter/model/model.h"

namespace perf2x {

// Names a set of labels; see LabelSets.
using LabelSetId = uint32_t;

// Samples summed by stack, labels and event, 24 bytes a row. Stack ids are
// dense, so the first row of a stack lies at its index and most samples touch
// one piece of memory only, which is fetched while the samples before are
// added. Never moves a row, so growth costs no copies.
class SampleRows {
 public:
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
  static constexpr EventId kMaxEvents = 1 << 20;

  // With `aside`, samples are summed on a thread of its own.
  explicit SampleRows(bool aside) : aside_(aside) {}
  ~SampleRows() { Stop(); }

  // Adds one sample, now or later. `layout` is that of the stack.
  void Add(const Key& key, AddressSpaceId layout, uint64_t value) {
    batch_->push_back({key, layout, value});
    if (batch_->size() == kBatch) AddBatch();
  }
  // All that was added is in from now on; no more Add. What follows is only for
  // after this.
  void Finish();

  // Gives whether that made a row.
  bool AddNow(const Key& key, uint64_t count, uint64_t value);
  // Whether samples with these labels had stacks of several layouts.
  bool HasSeveralLayouts(LabelSetId labels) const {
    return address_space_of_[labels] == kSeveral;
  }
  bool AnyHasSeveralLayouts() const { return any_has_several_; }
  // Frees the rows.
  void Clear();
  // Frees, sooner or later, rows of stacks below `end`, which are done with.
  void Forget(StackId end) { first_.Forget(end); }
  // One more than the highest stack that has rows.
  uint32_t stacks() const { return first_.size(); }
  // Starts to fetch the row of a stack that lies behind its first `rows`, which
  // have been fetched; any id is allowed.
  void Prefetch(StackId stack, int rows = 1) {
    if (stack >= stacks()) return;
    uint32_t row = first_[stack].next;
    for (; row != kNoId && rows > 1; --rows) row = (*this)[row].next;
    if (row != kNoId) perf2x::Prefetch(&(*this)[row]);
  }
  // The first row of a stack, and then Row::next of each, in order of arrival
  // up to the sixteenth; kNoId ends the list.
  uint32_t first(StackId stack) {
    return (*this)[stack].labels == kNoId ? kNoId : stack;
  }
  Row& operator[](uint32_t i) {
    return (i & kFurther) == 0 ? first_[i] : further_[i & ~kFurther];
  }

 private:
  struct Waiting {
    Key key;
    AddressSpaceId layout;
    uint64_t value;
  };
  using Batch = std::vector<Waiting>;

  // Marks the index of a row that is not the first of its stack.
  static constexpr uint32_t kFurther = 1u << 31;
  // As far as a list is searched. Rows behind are found through far_, so that a
  // stack common to thousands of threads costs no more than another.
  static constexpr int kNear = 16;
  static constexpr size_t kBatch = 1024, kBatches = 8;

  void AddBatch();
  void Sum(const Batch& batch);
  void NoteAddressSpace(LabelSetId labels, AddressSpaceId layout);
  void Stop();
  uint32_t NewFurther(const Key& key);

  bool aside_;
  Batch own_;
  Batch* batch_ = &own_;  // to be filled; in queue_ while there is a thread
  std::optional<BoundedQueue<Batch>> queue_;
  std::thread thread_;

  // Only of the one that sums.
  Chunked<Row> first_, further_;
  absl::flat_hash_map<Key, uint32_t> far_;
  static constexpr AddressSpaceId kSeveral = kNoId - 1;
  std::vector<AddressSpaceId> address_space_of_;  // by labels; kNoId: none yet
  bool any_has_several_ = false;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_PPROF_PPROF_ROWS_H_
