#include "converter/perf/ordered_reader.h"

#include <algorithm>
#include <thread>
#include <utility>
#include <vector>

#include "converter/base/bounded_queue.h"
#include "converter/base/prefetch.h"
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

// Some hundred records on their way from one thread to the other.
class Batch {
 public:
  bool full() const {
    return records_.size() == kRecordsInBatch || bytes_ > kBytesInBatch;
  }

  // A record that was put in order.
  void Add(const TimedRecord& record, const BlockRef& block) {
    TimedRecord& r = records_.emplace_back(record);
    r.block = Hold(block);
    bytes_ += r.size;
  }
  // One without a time.
  void Add(const RawRecord& record) {
    TimedRecord& r = records_.emplace_back();
    r.Set(record, kNoTime);
    r.head.event = kNoEvent;
    r.chain_at = r.chain_words = 0;
    r.block = Hold(*record.block);
    bytes_ += record.body.size() + record.payload.size();
    if (record.type >= kRecordUserFirst || record.replayed) {
      r.time = kInRest;
      rest_.push_back(record);
    }
  }

  // Gives all records, which are in this byte order, to `sink`, until an error.
  absl::Status GiveTo(ByteOrder order, OrderedReader::Sink& sink) const {
    const bool takes_heads = sink.TakesHeads();
    const auto in_run = [&](size_t i) {
      return takes_heads && i < records_.size() &&
             records_[i].head.event != kNoEvent;
    };
    RawRecord record;
    record.order = order;
    auto rest = rest_.begin();
    for (size_t i = 0; i < records_.size();) {
      size_t end = i;
      while (in_run(end)) ++end;
      if (end > i) {
        const auto samples = absl::MakeConstSpan(records_).subspan(i, end - i);
        RETURN_IF_ERROR(sink.ApplyHeads({samples, blocks_, order}));
        i = end;
        continue;
      }
      if (i + kFarAhead < records_.size()) {
        // The description itself comes from the other processor's cache.
        PrefetchAll(&records_[i + kFarAhead], sizeof(TimedRecord));
        PrefetchBody(records_[i + kAhead]);
      }
      const TimedRecord& r = records_[i++];
      record.block = &blocks_[r.block];
      if (r.time == kInRest) {
        RawRecord whole = *rest++;
        whole.block = record.block;
        RETURN_IF_ERROR(sink.Apply(whole, std::nullopt));
        continue;
      }
      r.Get(&record);
      RETURN_IF_ERROR(sink.Apply(
          record, r.time == kNoTime ? std::nullopt : std::optional(r.time)));
    }
    return sink.Settle();
  }
  void Clear() {
    records_.clear();
    blocks_.clear();
    held_at_ = {};
    rest_.clear();
    bytes_ = 0;
  }

 private:
  // No record's time; see AttrTable::TimeOf.
  static constexpr uint64_t kNoTime = 0, kInRest = ~uint64_t{0};

  // Where `block` is in blocks_. Buffers of the kernel take turns, so that
  // there are several.
  uint32_t Hold(const BlockRef& block) {
    constexpr size_t kSize = 64;
    const auto key = reinterpret_cast<uintptr_t>(block.get()) / kSize;
    uint32_t& at = held_at_[key % held_at_.size()];
    if (at >= blocks_.size() || !(blocks_[at] == block)) {
      at = static_cast<uint32_t>(blocks_.size());
      blocks_.push_back(block);
    }
    return at;
  }
  // Most records are at most this long.
  static void PrefetchBody(const TimedRecord& record) {
    constexpr size_t kMost = 8 * kCacheLine;
    PrefetchAll(record.body, std::min<size_t>(record.size, kMost));
  }

  std::vector<TimedRecord> records_;
  std::vector<BlockRef> blocks_;  // that the records lie in
  std::array<uint32_t, 32> held_at_{};
  // Those that have more than a TimedRecord says.
  std::vector<RawRecord> rest_;
  size_t bytes_ = 0;  // of the records
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

// What is called `add` below takes what Batch::Add takes.

template <class Add>
absl::Status OrderedReader::Frame(Add add) {
  RawRecord record;
  while (reader_->Next(&record)) RETURN_IF_ERROR(add(record));
  return absl::OkStatus();
}

// Puts the next record in order.
template <class Add>
absl::Status OrderedReader::Order(const RawRecord& record, Add add) {
  attrs_.Observe(record);
  if (record.type == kRecordFinishedRound) {
    RETURN_IF_ERROR(order_->EndRound(add));
  }
  const std::optional<uint64_t> time = attrs_.TimeOf(record);
  if (LeavesOut(record, time)) return absl::OkStatus();
  if (record.type == kRecordSample && !reader_->needs_full_order()) {
    ReleaseBehind(record);
  }
  if (!time.has_value()) return add(record);
  return order_->Add(record, *time,
                     [&](TimedRecord* to) { attrs_.ReadHead(record, to); });
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
  if (block != released_of_ || at < release_at_) return;
  release_at_ = at + kStep;
  if (at < released_ + kBehind ||
      (attrs_.AttrOf(sample).sample_type & kSampleStackUser) == 0) {
    return;
  }
  block->Release(block->bytes().subspan(released_, at - kBehind - released_));
  released_ = at - kBehind;
}

// Gives `sink` what `fill` adds.
template <class Fill>
absl::Status OrderedReader::InTurn(Fill fill, Sink& sink) {
  Batch batch;
  const auto empty = [&] {
    RETURN_IF_ERROR(batch.GiveTo(reader_->header().order, sink));
    batch.Clear();
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(fill([&](const auto&... record) {
    batch.Add(record...);
    return batch.full() ? empty() : absl::OkStatus();
  }));
  return empty();
}

// The same, with `fill` on a thread of its own.
template <class Fill>
absl::Status OrderedReader::Ahead(Fill fill, Sink& sink) {
  BoundedQueue<Batch> queue(kBatches);
  absl::Status filled;
  std::thread thread([&] {
    Batch* batch = queue.Place();
    filled = fill([&](const auto&... record) {
      batch->Add(record...);
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
    status = batch->GiveTo(reader_->header().order, sink);
    batch->Clear();
    queue.Pop();
  }
  queue.Close();
  thread.join();
  return status.ok() ? filled : status;
}

absl::Status OrderedReader::Run(bool ahead, Sink& sink) {
  const auto order = [&](auto add) {
    RETURN_IF_ERROR(
        Frame([&](const RawRecord& record) { return Order(record, add); }));
    return order_->Finish(add);
  };
  if (!ahead) return InTurn(order, sink);
  if (!reader_->makes_blocks()) return Ahead(order, sink);
  // To make them is enough for a thread, so that ordering is left to this one.
  return InTurn(
      [&](auto add) {
        class Orderer final : public Sink {
         public:
          Orderer(OrderedReader& reader, decltype(add)& add)
              : reader_(reader), add_(add) {}
          absl::Status Apply(const RawRecord& record,
                             std::optional<uint64_t>) override {
            return reader_.Order(record, add_);
          }

         private:
          OrderedReader& reader_;
          decltype(add)& add_;
        } orderer(*this, add);
        RETURN_IF_ERROR(Ahead([&](auto to) { return Frame(to); }, orderer));
        return order_->Finish(add);
      },
      sink);
}

}  // namespace perf2x
