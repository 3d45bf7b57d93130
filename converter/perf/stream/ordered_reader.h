// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_STREAM_ORDERED_READER_H_
#define PERF2X_PERF_STREAM_ORDERED_READER_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "converter/base/diagnostics.h"
#include "converter/input/input.h"
#include "converter/perf/header/attr_table.h"
#include "converter/perf/records/raw_record.h"
#include "converter/perf/stream/record_reader.h"
#include "converter/perf/stream/time_order.h"

namespace perf2x {

// Reads a recording and gives its records in time order. Reading, unpacking and
// ordering may run ahead on a thread of their own; what is given is the same.
class OrderedReader {
 public:
  // Who gets the records. An error stops the reading.
  class Sink {
   public:
    virtual ~Sink() = default;
    // Gets a record and its time, as AttrTable::TimeOf has it. The record and
    // its block reference are valid during the call, its bytes until Flush is
    // called; a stable block's as long as the reader.
    virtual absl::Status Apply(const RawRecord& record,
                               std::optional<uint64_t> time) = 0;
    // Whether ApplyKeys is called for samples whose heads were read.
    virtual bool needs_only_keys() const { return false; }
    // The same for samples one after the other, all with heads.
    virtual absl::Status ApplyKeys(const OrderedRecords& /*samples*/,
                                   ByteOrder /*order*/) {
      return absl::OkStatus();
    }
    // What records point to is about to go away.
    virtual absl::Status Flush() { return absl::OkStatus(); }
  };

  // `max_memory` is in bytes and bounds what waits for its turn, see TimeOrder.
  // The error says why the input is no recording.
  static absl::StatusOr<std::unique_ptr<OrderedReader>> Open(
      Input input, uint64_t max_memory);

  // Records of context switches are only counted, not given out: they may be
  // most of the input. To be called before Run.
  void SkipSwitches() { leaves_out_switches_ = true; }

  // Whether a thread that reads ahead has little more to do than to wait for
  // bytes: those of a pipe.
  bool mostly_waits() const { return !reader_->mapped(); }

  // Gives all records to `sink`, on the caller's thread. With `on_thread`,
  // another thread reads ahead. An error is from the sink, or from TimeOrder.
  absl::Status Run(bool on_thread, Sink& sink);

  // Records of one type that were left out.
  struct SkippedParts {
    uint32_t type = 0;
    uint64_t records = 0, bytes = 0;
    std::optional<uint64_t> first_time, last_time;
  };

  // After Run:
  absl::Span<const SkippedParts> skipped() const { return skipped_; }
  const ByteAccount& bytes() const { return reader_->bytes(); }
  const Diagnostics& diagnostics() const { return diagnostics_; }
  uint64_t late() const { return order_->late(); }  // see TimeOrder

 private:
  OrderedReader() : attrs_(&unused_) {}
  absl::Status Read(bool on_thread, Sink& sink);
  template <class Add>
  absl::Status Order(const RawRecord& record, Add add);
  template <class Fill>
  absl::Status InTurn(Fill fill, Sink& sink);
  bool LeavesOut(const RawRecord& record, std::optional<uint64_t> time);
  void ReleaseBehind(const RawRecord& sample);

  bool leaves_out_switches_ = false;
  std::array<SkippedParts, 2> skipped_;
  Diagnostics diagnostics_;
  std::unique_ptr<RecordReader> reader_;
  std::shared_ptr<ReadStop> stop_;  // of the input; may be null
  // Only for times. What is wrong with events is told by whoever applies them.
  Diagnostics unused_;
  AttrTable attrs_;
  std::optional<TimeOrder> order_;
  bool releases_ = false;               // whether ReleaseBehind is of use
  const Block* released_of_ = nullptr;  // the input, if it is one file
  size_t released_ = 0;                 // bytes of it, from its beginning
  size_t release_at_ = 0;               // not before this many were read
};

}  // namespace perf2x

#endif  // PERF2X_PERF_STREAM_ORDERED_READER_H_
