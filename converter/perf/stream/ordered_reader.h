// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_STREAM_ORDERED_READER_H_
#define PERF2X_PERF_STREAM_ORDERED_READER_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "converter/base/budget.h"
#include "converter/base/diagnostics.h"
#include "converter/base/spare_work.h"
#include "converter/input/input.h"
#include "converter/perf/header/attr_table.h"
#include "converter/perf/records/raw_record.h"
#include "converter/perf/stream/input_pages.h"
#include "converter/perf/stream/record_reader.h"
#include "converter/perf/stream/repeated_switches.h"
#include "converter/perf/stream/sched_key_reader.h"
#include "converter/perf/stream/time_order.h"

namespace perf2x {

// Reads a recording and passes its records on in time order. A record without a
// time is passed on as soon as it is read; records read earlier may follow.
// Reading, decompressing and ordering may run ahead on another thread, with the
// same results. Not thread-safe.
class OrderedReader {
 public:
  // Receives the records, on the thread that calls Run(). An error that it
  // returns stops the reading.
  class Sink {
   public:
    virtual ~Sink() = default;
    // Called with each record and its time (AttrTable::TimeOf()). `record` is
    // valid during the call. Its bytes are valid until Flush() or, if their
    // block is stable, as long as the reader.
    virtual absl::Status Apply(const RawRecord& record,
                               std::optional<uint64_t> time) = 0;
    // Returns true if keyed samples of an event, an index into
    // AttrTable::events(), are to be passed to ApplyKeys() in place of Apply().
    // A keyed sample has a time, and its SampleKey was read
    // (AttrTable::ReadKey()).
    virtual bool AcceptsKeysOf(uint32_t /*event*/) { return false; }
    // As Apply(), for one or more consecutive keyed samples. `samples` is valid
    // during the call.
    virtual absl::Status ApplyKeys(const OrderedRecords& /*samples*/,
                                   ByteOrder /*order*/) {
      return absl::OkStatus();
    }
    // Called before the bytes of the records passed so far become invalid.
    virtual absl::Status Flush() { return absl::OkStatus(); }
  };

  // `max_memory`, in bytes, and `budget` bound the records that wait to be
  // ordered, see TimeOrder. `budget` must outlive the reader. Returns the
  // errors of RecordReader::Open().
  static absl::StatusOr<std::unique_ptr<OrderedReader>> Open(
      Input input, uint64_t max_memory, Budget& budget);

  // Makes Run() count SWITCH and SWITCH_CPU_WIDE records instead of passing
  // them to the sink: they may be most of the input. After an AUXTRACE_INFO
  // record, Run() passes them again, for hardware traces. To be called before
  // Run().
  void SkipSwitches() { skips_switches_ = true; }
  // Makes Run() read the raw data of samples of `tracepoints` into their keys
  // (SchedKeyReader). To be called before Run().
  void ReadSchedKeys(std::unique_ptr<SchedTracepoints> tracepoints) {
    sched_keys_.emplace(std::move(tracepoints));
  }
  // Makes Run() count SWITCH_CPU_WIDE records that repeat such a sample
  // (RepeatedSwitches) instead of passing them to the sink. An AUXTRACE_INFO
  // record ends this, as above. Has no effect on recordings of several streams,
  // whose rounds order nothing. To be called after ReadSchedKeys(), before
  // Run().
  void SkipRepeatedSwitches() {
    if (reader_->needs_full_order()) return;
    repeated_ = std::make_unique<RepeatedSwitches>();
  }

  // Returns true if the input is not mapped but read as a stream. A thread that
  // reads ahead then mostly waits for bytes.
  bool reads_stream() const { return !reader_->mapped(); }

  // Passes all records to `sink`, on the caller's thread. To be called once. If
  // `on_thread`, another thread reads ahead, unless none can be started. While
  // it waits for the sink, it does `spare_work`, if that is not null.
  // Returns the errors of the sink and of TimeOrder. Damage of the input is no
  // error; it is counted in diagnostics().
  absl::Status Run(bool on_thread, Sink& sink, SpareWork* spare_work = nullptr);

  // The records of one type that were counted instead of passed to the sink. If
  // there are none, all members have their defaults.
  struct SkippedRecords {
    uint32_t type = 0;
    uint64_t records = 0, bytes = 0;  // bytes with headers
    // The lowest and the highest time; absent if no record has one.
    std::optional<uint64_t> first_time, last_time;
  };

  // The results of Run(), valid after it. skipped() has two elements: SWITCH
  // and SWITCH_CPU_WIDE.
  absl::Span<const SkippedRecords> skipped() const { return skipped_; }
  const ByteAccount& bytes() const { return reader_->bytes(); }
  const Diagnostics& diagnostics() const { return diagnostics_; }
  // See TimeOrder::out_of_order().
  uint64_t out_of_order() const { return order_->out_of_order(); }

 private:
  OrderedReader() : attrs_(&unused_) {}
  absl::Status Read(bool on_thread, Sink& sink, SpareWork* spare_work);
  template <class Add>
  absl::Status Order(const RawRecord& record, Add add);
  template <class Fill>
  absl::Status InTurn(Fill fill, Sink& sink);
  // Called with each record that is no sample, before it is passed on.
  void ObserveOther(const RawRecord& record);
  bool IsToBeSkipped(const RawRecord& record);
  void SkipSwitch(const RawRecord& record, std::optional<uint64_t> time);

  bool skips_switches_ = false;
  std::optional<SchedKeyReader> sched_keys_;
  std::unique_ptr<RepeatedSwitches> repeated_;  // null: not to be skipped
  std::array<SkippedRecords, 2> skipped_;
  Diagnostics diagnostics_;
  std::unique_ptr<RecordReader> reader_;
  std::shared_ptr<ReadStop> stop_;  // of the input; may be null
  // The diagnostics of attrs_. They are discarded: the AttrTable of the
  // records' consumer reports the same.
  Diagnostics unused_;
  AttrTable attrs_;
  std::optional<TimeOrder> order_;
  std::optional<InputPages> pages_;  // of an input that is mapped
};

}  // namespace perf2x

#endif  // PERF2X_PERF_STREAM_ORDERED_READER_H_
