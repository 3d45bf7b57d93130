// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_ZSTD_OUTPUT_H_
#define PERF2X_BASE_ZSTD_OUTPUT_H_

#include <cstddef>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "converter/base/byte_buffer.h"
#include "converter/base/ordered_chunks.h"
#include "converter/base/output.h"

namespace perf2x {

// An output that compresses its bytes and writes the result to `to`, as one
// zstd frame with a checksum. The compressed bytes do not depend on the sizes
// of the writes. Neither the bytes nor when they are written depend on the
// number of threads. Close also closes `to`, unless an error came before. Not
// thread-safe.
class ZstdOutput final : public Output {
 public:
  // Compresses on a thread of `helpers`, which may be null. A later Write, or
  // Close, may return an error of `to`. Fails as operator new does if the
  // library has no memory (see out_of_memory.h).
  ZstdOutput(std::unique_ptr<Output> to, HelperPool* helpers);
  ~ZstdOutput() override;

  // Compresses `bytes`, which may stay buffered.
  absl::Status Write(absl::string_view bytes) override;
  // As Write. Takes the memory of a large buffer.
  absl::Status WriteBuffer(ByteBuffer& buffer) override;
  void UseHelpers(HelperPool& helpers) override { pieces_.UseHelpers(helpers); }
  // Compresses the buffered bytes, ends the frame and closes `to`.
  absl::Status Close() override;

 private:
  class Stream;
  // A chunk of OrderedChunks.
  struct Piece {
    explicit Piece(Stream* of = nullptr) : stream(of) {}
    void Work();
    void Clear();

    Stream* stream;
    ByteBuffer bytes;  // to compress
    bool is_last = false;
    ByteBuffer compressed;
    absl::Status status;
  };
  // Bytes of a piece that Write fills, and of the least that WriteBuffer takes;
  // the number of pieces that are filled or wait.
  static constexpr size_t kPiece = 1 << 20, kLeast = 128 << 10, kPieces = 16;
  // Bytes of memory that a piece keeps for its next use.
  static constexpr size_t kMaxKept = 2 << 20;

  const std::unique_ptr<Output> to_;
  const std::unique_ptr<Stream> stream_;
  OrderedChunks<Piece, kPieces> pieces_;  // uses the others
};

}  // namespace perf2x

#endif  // PERF2X_BASE_ZSTD_OUTPUT_H_
