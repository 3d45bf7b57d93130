#include "converter/perf/ordered_reader.h"

#include <algorithm>
#include <thread>
#include <utility>
#include <vector>

#include "converter/base/bounded_queue.h"
#include "converter/base/status_macros.h"
#include "converter/perf/wire.h"

namespace perf2x {
namespace {

// Few enough to be still in the cache when they are applied. Records come in
// rounds of thousands, so that several rounds should fit in the queue.
constexpr size_t kRecordsInBatch = 512;
constexpr size_t kBatches = 32;
// Bytes of records in a batch: hostile files have some that are each put
// together in a block as large as the file.
constexpr size_t kBytesInBatch = 1 << 20;

constexpr size_t kAhead = 8, kFarAhead = 32;

// Some hundred records on their way from one thread to the other. What takes
// most of the time is moving the descriptions between the processors' caches,
// so they are kept small.
class Batch {
 public:
  bool full() const {
    return entries_.size() == kRecordsInBatch || bytes_ > kBytesInBatch;
  }

  void Add(const RawRecord& record, std::optional<uint64_t> time) {
    if (blocks_.empty() || !(blocks_.back() == *record.block)) {
      blocks_.push_back(*record.block);
    }
    order_ = record.order;
    Entry& e = entries_.emplace_back();
    e.body = record.body.data();
    e.time = time.value_or(0);
    e.index = record.index;
    e.offset = record.offset;
    e.size = static_cast<uint32_t>(record.body.size());
    e.type = record.type;
    e.misc = record.misc;
    e.stream = record.stream;
    e.block = static_cast<uint16_t>(blocks_.size() - 1);
    e.timed = time.has_value();
    e.plain = record.payload.empty() && !record.replayed;
    if (!e.plain) rest_.push_back(record);
    bytes_ += record.body.size() + record.payload.size();
  }

  // Gives all records to `apply`, until an error.
  absl::Status ForEach(OrderedReader::Apply apply) const {
    RawRecord record;
    record.order = order_;
    auto rest = rest_.begin();
    for (size_t i = 0; i < entries_.size(); ++i) {
      // The entry itself comes from the other processor's cache.
      if (i + kFarAhead < entries_.size()) {
        __builtin_prefetch(&entries_[i + kFarAhead]);
      }
      if (i + kAhead < entries_.size()) Prefetch(entries_[i + kAhead]);
      const Entry& e = entries_[i];
      record.type = e.type;
      record.misc = e.misc;
      record.stream = e.stream;
      record.body = {e.body, e.size};
      record.index = e.index;
      record.offset = e.offset;
      record.block = &blocks_[e.block];
      const auto time = e.timed ? std::optional(e.time) : std::nullopt;
      if (e.plain) {
        RETURN_IF_ERROR(apply(record, time));
        continue;
      }
      RawRecord whole = *rest++;
      whole.block = record.block;
      RETURN_IF_ERROR(apply(whole, time));
    }
    return absl::OkStatus();
  }
  void Clear() {
    entries_.clear();
    blocks_.clear();
    rest_.clear();
    bytes_ = 0;
  }

 private:
  // RawRecord without what few have, and its time.
  struct Entry {
    const uint8_t* body;
    uint64_t time, index, offset;
    uint32_t size, type;
    uint16_t misc, stream, block;
    bool timed, plain;
  };
  // Most records are at most this long; the reader looked at their heads only.
  static void Prefetch(const Entry& entry) {
    constexpr uint32_t kLine = 64, kMost = 8 * kLine;
    const uint32_t size = std::min(entry.size, kMost);
    for (uint32_t at = 0; at < size; at += kLine) {
      __builtin_prefetch(entry.body + at);
    }
    if (size > 0) __builtin_prefetch(entry.body + size - 1);
  }

  std::vector<Entry> entries_;
  std::vector<BlockRef> blocks_;  // that the records lie in
  ByteOrder order_ = kHostOrder;  // of all of them
  std::vector<RawRecord> rest_;   // those that are not plain
  size_t bytes_ = 0;              // of the records
};

}  // namespace

absl::StatusOr<std::unique_ptr<OrderedReader>> OrderedReader::Open(
    Input input, uint64_t max_memory) {
  auto out = std::unique_ptr<OrderedReader>(new OrderedReader());
  ASSIGN_OR_RETURN(out->reader_,
                   RecordReader::Open(std::move(input), &out->diagnostics_));
  out->order_.emplace(out->reader_->needs_full_order(), max_memory);
  return out;
}

absl::Status OrderedReader::Read(Apply apply) {
  RawRecord record;
  while (reader_->Next(&record)) {
    attrs_.Observe(record);
    const std::optional<uint64_t> time = attrs_.TimeOf(record);
    if (LeavesOut(record, time)) continue;
    RETURN_IF_ERROR(order_->Add(record, time, apply));
    if (record.type == kRecordSample && !reader_->needs_full_order()) {
      ReleaseBehind(record);
    }
  }
  return order_->Finish(apply);
}

bool OrderedReader::LeavesOut(const RawRecord& record,
                              std::optional<uint64_t> time) {
  if (!leaves_out_switches_ ||
      (record.type != kRecordSwitch && record.type != kRecordSwitchCpuWide)) {
    return false;
  }
  LeftOut& left_out = left_out_[record.type == kRecordSwitch ? 0 : 1];
  left_out.type = record.type;
  ++left_out.records;
  left_out.bytes += 8 + record.body.size();
  if (time.has_value()) {
    // An absent time is less than any other.
    if (!left_out.first_time) left_out.first_time = time;
    left_out.first_time = std::min(left_out.first_time, time);
    left_out.last_time = std::max(left_out.last_time, time);
  }
  return true;
}

// Copies of stacks are most of what a recording with them has, and are done
// with once their samples have been applied. What is asked for again only comes
// later: so nothing depends on how far behind that is.
void OrderedReader::ReleaseBehind(const RawRecord& sample) {
  constexpr size_t kBehind = 64 << 20, kStep = 4 << 20;
  const Block* block = sample.block->get();
  const auto at =
      static_cast<size_t>(sample.body.data() - block->bytes().data());
  if (released_of_ == nullptr) released_of_ = block;
  if (block != released_of_ || at < released_ + kBehind + kStep ||
      (attrs_.AttrOf(sample).sample_type & kSampleStackUser) == 0) {
    return;
  }
  block->Release(block->bytes().subspan(released_, at - kBehind - released_));
  released_ = at - kBehind;
}

absl::Status OrderedReader::Run(bool ahead, Apply apply) {
  if (!ahead) return Read(apply);
  BoundedQueue<Batch> queue(kBatches);
  absl::Status read;  // the thread's
  std::thread thread([&] {
    Batch* batch = queue.Place();
    read = Read([&](const RawRecord& record, std::optional<uint64_t> time) {
      batch->Add(record, time);
      if (batch->full()) {
        queue.Push();
        batch = queue.Place();
        if (batch == nullptr) return absl::CancelledError();
      }
      return absl::OkStatus();
    });
    if (batch != nullptr) queue.Push();
    queue.Finish();
  });
  absl::Status status;
  while (Batch* batch = status.ok() ? queue.Front() : nullptr) {
    status = batch->ForEach(apply);
    batch->Clear();
    queue.Pop();
  }
  queue.Close();
  thread.join();
  return status.ok() ? read : status;
}

}  // namespace perf2x
