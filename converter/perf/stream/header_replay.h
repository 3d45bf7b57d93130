// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_STREAM_HEADER_REPLAY_H_
#define PERF2X_PERF_STREAM_HEADER_REPLAY_H_

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "converter/base/block.h"
#include "converter/base/diagnostics.h"
#include "converter/perf/header/file_header.h"
#include "converter/perf/records/raw_record.h"

namespace perf2x {

// Converts a file's header to the records that a pipe stream has instead, and
// queues them: HEADER_ATTR, HEADER_EVENT_TYPE, HEADER_FEATURE. Not thread-safe.
class HeaderReplay {
 public:
  // `diagnostics` must outlive this object. It counts damage: wrong sizes of
  // attrs, ids that overlap, and parts of the header outside of the file. These
  // parts are skipped.
  explicit HeaderReplay(Diagnostics* diagnostics) : diagnostics_(diagnostics) {}

  // Queue the records of one part of `header`, in the order of the file. `file`
  // is the whole file that ReadFileHeader() read `header` from. Its bytes must
  // stay valid until the queue is empty.
  void AddAttrs(const FileHeader& header, absl::Span<const uint8_t> file);
  // Event types are names of events. Only files of perf before 3.10 have them.
  void AddEventTypes(const FileHeader& header, absl::Span<const uint8_t> file);
  // Requires that the data section ends in the file: the table of features
  // begins there.
  void AddFeatures(const FileHeader& header, absl::Span<const uint8_t> file);

  // Queues a record that is no part of the header. `offset` becomes
  // RawRecord::offset.
  void Add(uint32_t type, ByteOrder order, uint64_t offset,
           std::vector<uint8_t> body) {
    queue_.push_back({.type = type,
                      .order = order,
                      .offset = offset,
                      .head = std::move(body),
                      .rest = {}});
  }

  // Returns the highest end offset of all added parts and of their sections; 0
  // if no part was added.
  uint64_t end() const { return end_; }
  bool empty() const { return queue_.empty(); }
  // Moves the first record of the queue to `*record`. Sets RawRecord::replayed.
  // record->block is valid until the next call; copy the BlockRef to keep the
  // bytes. Requires that the queue is not empty.
  void Next(RawRecord* record);

 private:
  // A record that is not assembled yet. Sections of a hostile file may overlap:
  // all such records at once would be larger than the file.
  struct Queued {
    uint32_t type = 0;
    ByteOrder order = kHostOrder;
    uint64_t offset = 0;
    std::vector<uint8_t> head;
    absl::Span<const uint8_t> rest;  // bytes of the file that follow `head`
  };

  // Returns the bytes of `section` that lie in `file`, and notes their end.
  absl::Span<const uint8_t> Take(absl::Span<const uint8_t> file,
                                 const FileSection& section);

  Diagnostics* diagnostics_;
  uint64_t end_ = 0;
  std::deque<Queued> queue_;
  BlockRef current_;  // the bytes of the last record
};

}  // namespace perf2x

#endif  // PERF2X_PERF_STREAM_HEADER_REPLAY_H_
