// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_PERFETTO_COMPRESSED_PACKETS_H_
#define PERF2X_EMIT_PERFETTO_COMPRESSED_PACKETS_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "converter/base/consumer_queue.h"
#include "converter/base/deflater.h"
#include "converter/base/output.h"

namespace perf2x {

// Compresses the packets of a Perfetto trace and forwards them to another
// output, as packets with the field compressed_packets. Compresses packets in
// chunks of 256 KiB or more. Not thread-safe.
class CompressedPackets final : public Output {
 public:
  // Forwards to `to`. If `on_thread` is set, compresses and writes on a
  // separate thread, with the same output.
  CompressedPackets(std::unique_ptr<Output> to, bool on_thread);

  // Buffers packets. `packets` must be one or several whole packets. Returns
  // the errors of compressing and of `to`, maybe from earlier packets.
  absl::Status Write(absl::string_view packets) override;
  // Compresses the buffered packets, waits for the thread and closes `to`.
  absl::Status Close() override;

 private:
  absl::Status Compress(std::string& packets);

  const std::unique_ptr<Output> to_;
  Deflater deflater_{Deflater::Format::kZlib};
  ConsumerQueue<std::string> chunks_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_PERFETTO_COMPRESSED_PACKETS_H_
