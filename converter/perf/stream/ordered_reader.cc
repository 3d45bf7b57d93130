// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/stream/ordered_reader.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "converter/base/prefetch.h"
#include "converter/base/produce_ahead.h"
#include "converter/base/status_macros.h"
#include "converter/perf/records/wire.h"

namespace perf2x {
namespace {

constexpr const char* kThreadName = "perf2x-read";

// A batch is small enough to be still in the cache when it is applied. Records
// come in rounds of thousands, and the queue should hold several rounds.
constexpr size_t kRecordsInBatch = 512;
constexpr size_t kBatches = 32;
// The most bytes of records in a batch: in a hostile file, many records may
// each be assembled in a block as large as the file.
constexpr size_t kBytesInBatch = 1 << 20;
// The same limits for runs of records that are not in order yet. Their bytes,
// too, should be still in the cache when they are ordered.
constexpr size_t kBytesInRuns = 128 << 10;
constexpr size_t kRunsInBatch = 256;
constexpr size_t kRunBatches = 6;

// Bytes of a mapped input from the oldest record that is not processed yet to
// the newest that was read. InputPages keeps their pages, as stack dumps are
// read late. Records wait in TimeOrder, in the queue of batches and in the
// sink. Each batch may exceed its limit by one record. TimeOrder holds up to
// two rounds. In a round, perf empties the buffer of each CPU, of 0.5 MiB by
// default, so two rounds of 13 CPUs have room here. Larger rounds cost page
// faults.
constexpr size_t kInTwoRounds = 13 << 20;
constexpr size_t kInQueue = kBatches * (kBytesInBatch + (64 << 10));
static_assert(kMaxRecordSize <= 64 << 10);
constexpr size_t kNotProcessed = kInTwoRounds + kInQueue + kMaxDelayedBytes;

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

constexpr size_t kAhead = 8;

// Times that no record has, see AttrTable::TimeOf(). They mark records without
// a time, and those that a Batch keeps in rest_.
constexpr uint64_t kNoTime = 0, kInRest = ~uint64_t{0};

bool IsSwitch(const RawRecord& record) {
  return record.type == kRecordSwitch || record.type == kRecordSwitchCpuWide;
}

// Prefetches what lies a page after the start of this record. A processor reads
// ahead by itself, but not into the next page.
void PrefetchNextPage(const RawRecord& record) {
  constexpr size_t kPage = 4096, kMax = 8 * kCacheLine;
  // As a number: the place may lie behind the block that the record is in.
  const auto at = reinterpret_cast<uintptr_t>(record.body.data()) + kPage;
  PrefetchAll(reinterpret_cast<const void*>(at),
              std::min<size_t>(record.body.size(), kMax));
}

// Passes records of this byte order to `sink`, until an error.
absl::Status Forward(const OrderedRecords& all, ByteOrder order,
                     OrderedReader::Sink& sink) {
  const absl::Span<const TimedRecord* const> records = all.records;
  uint32_t event = kNoEvent;  // of the latest sample
  bool accepts_keys = false;  // of that event
  const auto accepts_key = [&](size_t i) {
    if (i >= records.size()) return false;
    if (records[i]->key.event != event) {
      event = records[i]->key.event;
      accepts_keys = event != kNoEvent && sink.AcceptsKeysOf(event);
    }
    return accepts_keys;
  };
  RawRecord record;
  record.order = order;
  for (size_t i = 0; i < records.size();) {
    size_t end = i;
    while (accepts_key(end)) ++end;
    if (end > i) {
      OrderedRecords samples = all;
      samples.records = records.subspan(i, end - i);
      RETURN_IF_ERROR(sink.ApplyKeys(samples, order));
      i = end;
      continue;
    }
    if (i + kAhead < records.size()) {
      records[i + kAhead]->PrefetchBody();
    }
    const TimedRecord& r = *records[i++];
    r.Get(&record);
    record.block = &all.BlockOf(r);
    RETURN_IF_ERROR(sink.Apply(
        record, r.time == kNoTime ? std::nullopt : ClockTime(r.time)));
  }
  return absl::OkStatus();
}

// Some hundred records that one thread passes to another.
class Batch {
 public:
  bool full() const {
    return records_.size() == kRecordsInBatch || bytes_ > kBytesInBatch;
  }

  // Adds a record that was put in order.
  void Add(const TimedRecord& record, const BlockRef& block) {
    // As a number: the place may lie behind the memory of records_.
    const auto next = reinterpret_cast<uintptr_t>(records_.data()) +
                      (records_.size() + kAhead) * sizeof(TimedRecord);
    PrefetchForWriting(reinterpret_cast<const void*>(next));
    TimedRecord& r = records_.emplace_back(record);
    r.block = Hold(block);
    bytes_ += r.size;
  }
  // Adds a record without a time.
  void Add(const RawRecord& record) {
    TimedRecord& r = records_.emplace_back();
    r.Set(record, kNoTime);
    r.block = Hold(*record.block);
    bytes_ += record.body.size() + record.payload.size();
    if (record.type >= kRecordUserFirst || record.replayed) {
      r.time = kInRest;
      rest_.push_back(record);
    }
  }

  // Passes all records, which are in this byte order, to `sink`, until an
  // error.
  absl::Status ForwardTo(ByteOrder order, OrderedReader::Sink& sink) {
    auto rest = rest_.begin();
    for (size_t i = 0; i < records_.size(); ++i) {
      pointers_.clear();
      // The records are still in the cache of the thread that added them.
      const bool all = rest == rest_.end();
      for (; i < records_.size() && (all || records_[i].time != kInRest); ++i) {
        pointers_.push_back(&records_[i]);
      }
      RETURN_IF_ERROR(Forward({pointers_, blocks_}, order, sink));
      if (i == records_.size()) break;
      RawRecord whole = *rest++;
      whole.block = &blocks_[records_[i].block];
      RETURN_IF_ERROR(sink.Apply(whole, std::nullopt));
    }
    return sink.Flush();
  }
  void Clear() {
    records_.clear();
    blocks_.clear();
    held_at_ = {};
    rest_.clear();
    bytes_ = 0;
  }

 private:
  // Returns the index of `block` in blocks_. There are several blocks, since
  // the records of the kernel's buffers alternate.
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

  std::vector<TimedRecord> records_;
  std::vector<const TimedRecord*> pointers_;  // to some of records_
  std::vector<BlockRef> blocks_;              // that the records lie in
  std::array<uint32_t, 32> held_at_{};
  // Records with fields that a TimedRecord lacks.
  std::vector<RawRecord> rest_;
  size_t bytes_ = 0;  // of the records
};

// Runs of records, in file order, that one thread passes to another.
class RunBatch {
 public:
  bool full() const {
    return runs_.size() == kRunsInBatch || bytes_ > kBytesInRuns;
  }
  void Add(const RecordRun& run) {
    runs_.push_back({run, *run.first.block});
    bytes_ += run.bytes;
  }
  // Passes each record to `take`, until an error.
  template <class Take>
  absl::Status ForwardTo(Take take) const {
    for (const Held& held : runs_) {
      RawRecord record = held.run.first;
      record.block = &held.block;
      RETURN_IF_ERROR(take(record));
      for (uint64_t i = 1; i < held.run.records; ++i) {
        if (!held.run.Next(&record)) break;
        RETURN_IF_ERROR(take(record));
      }
    }
    return absl::OkStatus();
  }
  void Clear() {
    runs_.clear();
    bytes_ = 0;
  }

 private:
  struct Held {
    RecordRun run;
    BlockRef block;
  };
  std::vector<Held> runs_;
  uint64_t bytes_ = 0;
};

}  // namespace

absl::StatusOr<std::unique_ptr<OrderedReader>> OrderedReader::Open(
    Input input, uint64_t max_memory, Budget& budget) {
  auto out = std::unique_ptr<OrderedReader>(new OrderedReader());
  out->stop_ = input.stop;
  ASSIGN_OR_RETURN(out->reader_,
                   RecordReader::Open(std::move(input), &out->diagnostics_));
  const RecordReader& reader = *out->reader_;
  out->order_.emplace(reader.needs_full_order(), max_memory, budget);
  if (!reader.may_allocate_blocks())
    out->pages_.emplace(!reader.needs_full_order(), kNotProcessed);
  return out;
}

// In Order() and InTurn(), `add` accepts a RawRecord without a time, or
// OrderedRecords.

// Puts the next record in order.
template <class Add>
absl::Status OrderedReader::Order(const RawRecord& record, Add add) {
  PrefetchNextPage(record);
  attrs_.Observe(record);
  const bool is_sample = record.type == kRecordSample;
  if (!is_sample) {
    if (record.type == kRecordFinishedRound) {
      RETURN_IF_ERROR(order_->EndRound(add));
    }
    ObserveOther(record);
    if (IsSwitch(record) && IsToBeSkipped(record)) {
      SkipSwitch(record, attrs_.SortTimeOf(record));
      return absl::OkStatus();
    }
  }
  // Replayed kernel records are of INIT_MAP, which holds from the beginning on.
  const std::optional<uint64_t> time =
      record.replayed ? std::nullopt : attrs_.SortTimeOf(record);
  if (pages_.has_value() && is_sample) {
    pages_->BeforeSample(record, attrs_);
  }
  if (!time.has_value()) return add(record);
  const auto set_key = [&](TimedRecord* to) {
    attrs_.ReadKey(record, to);
    // ApplyKeys is for samples that have a time.
    if (*time >= kFirstSortOnlyTime) to->key.event = kNoEvent;
    if (sched_keys_.has_value() && to->key.event != kNoEvent) {
      const bool is_switch = sched_keys_->Read(to, record.order, attrs_);
      if (repeated_ != nullptr) repeated_->OnSample(to->key, is_switch);
    }
  };
  return order_->Add(record, *time, set_key, add);
}

void OrderedReader::ObserveOther(const RawRecord& record) {
  // Traces need to know who ran.
  if (record.type == kRecordAuxtraceInfo) {
    skips_switches_ = false;
    repeated_.reset();
  }
  if (sched_keys_.has_value()) sched_keys_->Observe(record);
  if (repeated_ != nullptr) repeated_->Observe(record);
}

bool OrderedReader::IsToBeSkipped(const RawRecord& record) {
  if (attrs_.traces_off_cpu()) return false;
  return skips_switches_ ||
         (repeated_ != nullptr && record.type == kRecordSwitchCpuWide &&
          repeated_->IsRepetition(record, attrs_));
}

void OrderedReader::SkipSwitch(const RawRecord& record,
                               std::optional<uint64_t> time) {
  SkippedRecords& skipped = skipped_[record.type == kRecordSwitch ? 0 : 1];
  skipped.type = record.type;
  ++skipped.records;
  skipped.bytes += 8 + record.body.size();
  if (!time.has_value()) return;
  if (!skipped.first_time.has_value()) {
    skipped.first_time = skipped.last_time = time;
  } else if (*time < *skipped.first_time) {
    skipped.first_time = time;
  } else if (*time > *skipped.last_time) {
    skipped.last_time = time;
  }
}

// Passes the records that `fill` adds to `sink`.
template <class Fill>
absl::Status OrderedReader::InTurn(Fill fill, Sink& sink) {
  const ByteOrder byte_order = reader_->header().order;
  Batch batch;  // of records without a time
  const auto empty = [&] {
    RETURN_IF_ERROR(batch.ForwardTo(byte_order, sink));
    batch.Clear();
    return absl::OkStatus();
  };
  const auto add =
      Overloaded{[&](const RawRecord& record) {
                   batch.Add(record);
                   return batch.full() ? empty() : absl::OkStatus();
                 },
                 [&](const OrderedRecords& records) {
                   RETURN_IF_ERROR(empty());
                   RETURN_IF_ERROR(Forward(records, byte_order, sink));
                   return sink.Flush();
                 }};
  RETURN_IF_ERROR(fill(add));
  return empty();
}

absl::Status OrderedReader::Run(bool on_thread, Sink& sink,
                                SpareWork* spare_work) {
  absl::Status status = Read(on_thread, sink, spare_work);
  reader_->CountChangedFiles();  // the sink may be the first to read some bytes
  return status;
}

absl::Status OrderedReader::Read(bool on_thread, Sink& sink,
                                 SpareWork* spare_work) {
  const auto order = [&](auto add) {
    RawRecord record;
    while (reader_->Next(&record)) RETURN_IF_ERROR(Order(record, add));
    return order_->Finish(add);
  };
  // The thread may wait for bytes of a pipe that come much later.
  const auto stop = [this] {
    if (stop_ != nullptr) stop_->Request();
  };
  const auto idle = [&] { return spare_work != nullptr && spare_work->Do(); };
  if (!on_thread) return InTurn(order, sink);
  if (!reader_->may_allocate_blocks()) {
    const auto order_and_copy = [&](auto add) {
      return order(Overloaded{
          [&](const RawRecord& record) { return add(record); },
          [&](const OrderedRecords& records) {
            for (const TimedRecord* record : records.records) {
              RETURN_IF_ERROR(add(*record, records.BlockOf(*record)));
            }
            return absl::OkStatus();
          }});
    };
    return ProduceAhead<Batch>(
        kThreadName, on_thread, kBatches, order_and_copy,
        [&](Batch& batch) {
          return batch.ForwardTo(reader_->header().order, sink);
        },
        stop, idle);
  }
  // Making blocks keeps a thread busy, so that ordering is left to this thread.
  const auto cut = [&](auto add) {
    RecordRun run;
    while (reader_->NextRun(kBytesInRuns, &run)) RETURN_IF_ERROR(add(run));
    return absl::OkStatus();
  };
  const auto order_runs = [&](auto add) {
    RETURN_IF_ERROR(ProduceAhead<RunBatch>(
        kThreadName, on_thread, kRunBatches, cut,
        [&](const RunBatch& runs) {
          return runs.ForwardTo(
              [&](const RawRecord& record) { return Order(record, add); });
        },
        stop, idle));
    return order_->Finish(add);
  };
  return InTurn(order_runs, sink);
}

}  // namespace perf2x
