// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_AUX_DATA_H_
#define PERF2X_SESSION_AUX_DATA_H_

#include <cstdint>
#include <map>

#include "absl/types/span.h"
#include "converter/base/block.h"
#include "converter/session/byte_ranges.h"

namespace perf2x {

// The AUX data of one CPU or thread. AUXTRACE records hold pieces of this
// stream of bytes; there may be gaps between them. Not thread-safe.
class AuxData {
 public:
  // A contiguous part of the stream.
  struct Piece {
    absl::Span<const uint8_t> bytes;
    BlockRef block;       // owns the bytes
    uint64_t offset = 0;  // of the bytes in the recording
  };

  // Adds a piece that begins at offset `start` of the stream. Ignores an empty
  // piece. Ignores bytes that were added before, and returns their number. perf
  // pads the data of a record with zeros to 8 bytes; a piece that begins in
  // this padding replaces it. If the piece's end exceeds 64 bits, ignores the
  // piece and returns its size.
  uint64_t Add(uint64_t start, const Piece& piece);
  // Returns the data from offset `start` on, up to `end` or to the end of the
  // piece. If there is no data at `start`, returns an empty Piece without a
  // block.
  Piece At(uint64_t start, uint64_t end) const;
  // Returns the offset of the first data from `start` on; `end` if there is
  // none before `end`.
  uint64_t NextFrom(uint64_t start, uint64_t end) const;
  // Returns true if all of [start, end) was added, even if it was freed since.
  bool Had(uint64_t start, uint64_t end) const {
    return added_.Contains(start, end);
  }
  // Returns the end of all data that was added.
  uint64_t end() const { return added_.end(); }

  // Frees [start, end).
  void Free(uint64_t start, uint64_t end);
  // Frees the pieces that end at or before offset `end`. Calls `f(piece)` with
  // each.
  template <class F>
  void FreeBefore(uint64_t end, F f) {
    while (!pieces_.empty()) {
      const auto it = pieces_.begin();
      if (it->first + it->second.bytes.size() > end) return;
      f(it->second);
      pieces_.erase(it);
    }
  }
  // Calls `f(start, end)` with the offsets of each piece, ascending.
  template <class F>
  void ForEachPiece(F f) const {
    for (const auto& [start, piece] : pieces_) {
      f(start, start + piece.bytes.size());
    }
  }
  // Returns the approximate memory in bytes, without blocks.
  uint64_t memory() const {
    constexpr uint64_t kOfPiece = 128, kOfRange = 64;
    return pieces_.size() * kOfPiece + added_.size() * kOfRange;
  }

 private:
  bool IsPadding(uint64_t start) const;

  std::map<uint64_t, Piece> pieces_;  // by start, without overlaps
  ByteRanges added_;
  uint64_t last_end_ = 0;  // of the piece that was added last
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_AUX_DATA_H_
