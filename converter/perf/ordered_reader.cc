#include "converter/perf/ordered_reader.h"

#include <algorithm>
#include <deque>
#include <thread>
#include <utility>
#include <vector>

#include "converter/base/bounded_queue.h"
#include "converter/base/status_macros.h"

namespace perf2x {
namespace {

// Few enough to be still in the cache when they are applied, enough to make
// handing them over cost nothing.
constexpr size_t kRecordsInBatch = 512;
constexpr size_t kBatches = 8;
// Bytes of records in a batch: hostile files have some that are each put
// together in a block as large as the file.
constexpr size_t kBytesInBatch = 4 << 20;

constexpr size_t kAhead = 8;

// Most records are at most this long; the reader looked at their heads only.
void Prefetch(const RawRecord& record) {
  constexpr size_t kLine = 64, kMost = 4 * kLine;
  for (size_t at = 0; at < std::min(record.body.size(), kMost); at += kLine) {
    __builtin_prefetch(record.body.data() + at);
  }
}

struct Batch {
  struct Entry {
    RawRecord record;
    std::optional<uint64_t> time;
  };
  std::vector<Entry> entries;
  std::deque<BlockRef> blocks;  // that the records lie in
  size_t bytes = 0;             // of the records

  void Add(const RawRecord& record, std::optional<uint64_t> time) {
    if (blocks.empty() || !(blocks.back() == *record.block)) {
      blocks.push_back(*record.block);
    }
    entries.push_back({record, time});
    bytes += record.body.size() + record.payload.size();
    entries.back().record.block = &blocks.back();
  }
  void Clear() {
    entries.clear();
    blocks.clear();
    bytes = 0;
  }
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
    RETURN_IF_ERROR(order_->Add(record, attrs_.TimeOf(record), apply));
  }
  return order_->Finish(apply);
}

absl::Status OrderedReader::Run(bool ahead, Apply apply) {
  if (!ahead) return Read(apply);
  BoundedQueue<Batch> queue(kBatches);
  absl::Status read;  // the thread's
  std::thread thread([&] {
    Batch* batch = queue.Place();
    read = Read([&](const RawRecord& record, std::optional<uint64_t> time) {
      batch->Add(record, time);
      if (batch->entries.size() == kRecordsInBatch ||
          batch->bytes > kBytesInBatch) {
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
    const std::vector<Batch::Entry>& entries = batch->entries;
    for (size_t i = 0; i < entries.size() && status.ok(); ++i) {
      if (i + kAhead < entries.size()) Prefetch(entries[i + kAhead].record);
      status = apply(entries[i].record, entries[i].time);
    }
    batch->Clear();
    queue.Pop();
  }
  queue.Close();
  thread.join();
  return status.ok() ? read : status;
}

}  // namespace perf2x
