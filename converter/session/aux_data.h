// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_AUX_DATA_H_
#define PERF2X_SESSION_AUX_DATA_H_

#include <cstdint>
#include <map>
#include <utility>

#include "absl/types/span.h"
#include "converter/base/block.h"

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
  // piece, a piece whose end exceeds 64 bits, and a piece with the `start` of
  // another.
  void Add(uint64_t start, Piece piece) {
    if (piece.bytes.empty() || piece.bytes.size() > ~start) return;
    pieces_.emplace(start, std::move(piece));
  }
  // Returns the data from offset `start` on, up to `end` or to the end of the
  // piece. If there is no data at `start`, returns an empty Piece without a
  // block.
  Piece At(uint64_t start, uint64_t end) const;
  // Frees the pieces that end at or before offset `end`.
  void DropBefore(uint64_t end);
  // Calls `f(start, end)` with the offsets of each piece, ascending.
  template <class F>
  void ForEachPiece(F f) const {
    for (const auto& [start, piece] : pieces_) {
      f(start, start + piece.bytes.size());
    }
  }

 private:
  std::map<uint64_t, Piece> pieces_;  // by start
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_AUX_DATA_H_
