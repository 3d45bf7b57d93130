// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_AUX_DATA_H_
#define PERF2X_SESSION_AUX_DATA_H_

#include <cstdint>
#include <map>
#include <utility>

#include "absl/types/span.h"
#include "converter/base/block.h"

namespace perf2x {

// The AUX data of one CPU or thread: a stream of bytes, of which AUXTRACE
// records hold pieces and AUX records name ranges. Not thread-safe.
class AuxData {
 public:
  struct Piece {
    absl::Span<const uint8_t> bytes;
    BlockRef block;       // owns the bytes
    uint64_t offset = 0;  // of the bytes in the recording
  };

  // Adds a piece that begins at `start` of the stream. Ignores an empty one,
  // one that would wrap around and one that begins where another does.
  void Add(uint64_t start, Piece piece) {
    if (piece.bytes.empty() || piece.bytes.size() > ~start) return;
    pieces_.emplace(start, std::move(piece));
  }
  // Returns the data at `start`, up to `end` or the end of its piece. Its bytes
  // are empty if the stream has none there.
  Piece At(uint64_t start, uint64_t end) const;
  // Frees the pieces that end at or before `end`.
  void DropBefore(uint64_t end);
  // Calls `f` with the start and the end of each piece, in order.
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
