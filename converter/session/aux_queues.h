// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_AUX_QUEUES_H_
#define PERF2X_SESSION_AUX_QUEUES_H_

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "converter/session/aux_data.h"
#include "converter/session/byte_ranges.h"

namespace perf2x {

struct AuxPlace;

// A range of AUX data, which an AUX record names.
struct AuxRange {
  int32_t cpu = -1, tid = -1;  // of the AUX record
  uint64_t start = 0, end = 0;
  std::optional<uint64_t> time;
  uint64_t offset = 0;  // of the AUX record
  // If set, the bytes are one trace source's, without CoreSight formatter
  // frames.
  bool raw = false;
  // These are set by AuxQueues.
  uint64_t number = 0;        // sequence number of the record
  AuxPlace* place = nullptr;  // null: no data of this CPU or thread
};

// The AUX data of a CPU, or of a thread if `cpu` is -1.
struct AuxPlace {
  int32_t cpu = -1, tid = -1;
  AuxData data;
  ByteRanges named;           // bytes in ranges that became ready
  uint64_t ready_ranges = 0;  // not removed yet
};

// Matches AUX records with the AUX data of their CPU or, if there is none, of
// their thread. A record may come before its data. Each byte is in one ready
// range at most. Not thread-safe.
class AuxQueues {
 public:
  // Adds data that begins at offset `start` of the stream of a CPU or, if that
  // is -1, of a thread. Ignores bytes of the piece that were added before, and
  // returns their number.
  uint64_t AddData(int32_t cpu, int32_t tid, uint64_t start,
                   const AuxData::Piece& piece);
  // Adds a range, which must not be empty. Ranges of one place become ready in
  // their order, each once its data or later data was added.
  void AddRange(AuxRange range);
  // Makes all ranges ready. If `add_unnamed` is set (for a recording without
  // AUX records), also makes ranges of the data that no range named. `raw` is
  // their AuxRange::raw.
  void EndRecords(bool add_unnamed, bool raw);

  // Returns true if a range is ready.
  bool has_ready() const { return !ready_.empty(); }
  // Returns the range that is ready first. Requires has_ready().
  const AuxRange& ready() const { return ready_.front(); }
  // Removes the range that is ready first, and its data.
  void RemoveReady();
  // Returns the number of bytes that were named again since the last call, by a
  // range after another one. The later range omits them. Sets `*offset` to the
  // offset of the first AUX record that names bytes again.
  uint64_t TakeRepeated(uint64_t* offset);
  // Returns the number of bytes that were freed since the last call but never
  // named by a range. After EndRecords(), adds the unnamed bytes that are left.
  // Sets `*offset` to the first byte's offset in the recording. Omits pieces of
  // padding alone: zeros from perf, or IGNORE packets from trace units.
  uint64_t TakeUnnamed(uint64_t* offset);

  // Returns the approximate memory in bytes, without blocks.
  uint64_t memory() const {
    constexpr uint64_t kOfPlace = 256, kOfPiece = 160, kOfRange = 64;
    return places_.size() * kOfPlace + pieces_ * kOfPiece +
           numbers_ * kOfRange +
           (kept_ + ready_.size()) * (sizeof(AuxRange) + kOfRange);
  }

 private:
  using Key = std::pair<int32_t, int32_t>;  // CPU and thread

  AuxPlace* PlaceOf(const AuxRange& range);
  void Adopt(AuxPlace* place);
  void Release(Key key, std::vector<AuxRange>* to);
  void Wake(AuxPlace* place);
  void MakeReady(AuxRange range);
  void CountUnnamed(const AuxData::Piece& piece);

  std::map<Key, AuxPlace> places_;
  std::deque<AuxRange> ready_;
  // Ranges without a place, by (CPU, thread). unplaced_threads_ has the same
  // keys, reversed.
  std::map<Key, std::vector<AuxRange>> unplaced_;
  std::set<Key> unplaced_threads_;
  // Ranges that wait for their data, by place and number.
  std::map<std::pair<AuxPlace*, uint64_t>, AuxRange> waiting_;
  uint64_t pieces_ = 0, numbers_ = 0;  // pieces and ranges added
  uint64_t kept_ = 0;                  // ranges that are not ready
  bool ended_ = false;
  uint64_t repeated_ = 0, repeated_offset_ = 0;
  uint64_t unnamed_ = 0, unnamed_offset_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_AUX_QUEUES_H_
