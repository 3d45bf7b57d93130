// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_ZSTD_OUTPUT_H_
#define PERF2X_BASE_ZSTD_OUTPUT_H_

#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "converter/base/output.h"

namespace perf2x {

// An output that compresses its bytes and writes the result to `to`, as one
// zstd frame with a checksum. The library compresses on threads of its own. The
// compressed bytes do not depend on the number of threads or on the sizes of
// the writes. Close also closes `to`, unless an error came before. Not
// thread-safe.
class ZstdOutput final : public Output {
 public:
  // Compresses on `helpers` threads, but on at least one and at most four. If
  // the library has no support for threads, compresses on the caller's thread.
  // A later Write, or Close, may return an error of `to`. If the library has no
  // memory, Write and Close fail with ResourceExhausted.
  ZstdOutput(std::unique_ptr<Output> to, size_t helpers);
  ~ZstdOutput() override;

  // Compresses `bytes`, which may stay buffered.
  absl::Status Write(absl::string_view bytes) override;
  // Compresses the buffered bytes, ends the frame and closes `to`.
  absl::Status Close() override;

 private:
  class Context;
  absl::Status Compress(absl::string_view bytes, bool end);

  const std::unique_ptr<Output> to_;
  const std::unique_ptr<Context> context_;
  absl::Status status_;
  std::string room_;
};

}  // namespace perf2x

#endif  // PERF2X_BASE_ZSTD_OUTPUT_H_
