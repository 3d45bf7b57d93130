// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_GZIP_OUTPUT_H_
#define PERF2X_BASE_GZIP_OUTPUT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "converter/base/deflater.h"
#include "converter/base/ordered_chunks.h"
#include "converter/base/output.h"

namespace perf2x {

// An output that compresses its bytes and writes the result to `to`, as one
// gzip member. The compressed bytes do not depend on the sizes of the writes.
// Neither the bytes nor the calls that pass them to `to` depend on the number
// of threads. Close also closes `to`, unless an error came before. Not
// thread-safe.
class GzipOutput final : public Output {
 public:
  // Threads of `helpers` compress, besides the caller's; may be null. A later
  // Write, or Close, may return an error of `to`.
  GzipOutput(std::unique_ptr<Output> to, HelperPool* helpers);
  ~GzipOutput() override;

  // Buffers `bytes`, and compresses them with later ones.
  absl::Status Write(absl::string_view bytes) override;
  void UseHelpers(HelperPool& helpers) override { chunks_.UseHelpers(helpers); }
  // Compresses the buffered bytes, ends the gzip member and closes `to`.
  absl::Status Close() override;

 private:
  // The deflaters that no thread uses now. Thread-safe.
  class Deflaters {
   public:
    std::unique_ptr<Deflater> Get();
    void Return(std::unique_ptr<Deflater> deflater);

   private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<Deflater>> free_;  // guarded by mutex_
  };
  struct Chunk {
    Deflaters* deflaters = nullptr;
    std::string bytes;
    std::string packed;
    uint32_t crc = 0;     // of `bytes`
    absl::Status status;  // of compressing

    void Work();
    void Clear() {
      bytes.clear();
      packed.clear();
    }
  };
  absl::Status Consume(Chunk& chunk);
  absl::Status WriteHead();

  const std::unique_ptr<Output> to_;
  bool begun_ = false;  // the head is written
  uint32_t crc_ = 0;    // of the bytes taken so far
  uint64_t size_ = 0;   // of these
  Deflaters deflaters_;
  OrderedChunks<Chunk, 8> chunks_;  // uses the members above
  absl::Status status_;             // of the calls of Write so far
};

}  // namespace perf2x

#endif  // PERF2X_BASE_GZIP_OUTPUT_H_
