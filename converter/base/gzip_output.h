// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_GZIP_OUTPUT_H_
#define PERF2X_BASE_GZIP_OUTPUT_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "converter/base/consumer_queue.h"
#include "converter/base/deflater.h"
#include "converter/base/output.h"

namespace perf2x {

// Compresses the bytes written to it, in chunks of 256 KiB, and writes them to
// `to` as one gzip member. The same bytes give the same output, however they
// are divided between calls of Write.
class GzipOutput final : public Output {
 public:
  // With `on_thread`, compresses, and writes to `to`, on a thread of its own.
  // An error of `to` is then returned by a later Write or by Close.
  GzipOutput(std::unique_ptr<Output> to, bool on_thread);
  ~GzipOutput() override;

  absl::Status Write(absl::string_view bytes) override;
  absl::Status Close() override;

  // If set, Write compresses on the caller's thread, for times when the other
  // threads have enough to do.
  void set_compresses_here(bool here) { chunks_.set_consumes_here(here); }

 private:
  const std::unique_ptr<Output> to_;
  Deflater deflater_{Deflater::Format::kGzip};
  ConsumerQueue<std::string> chunks_;
  absl::Status status_;  // of the calls of Write so far
};

}  // namespace perf2x

#endif  // PERF2X_BASE_GZIP_OUTPUT_H_
