// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/perfetto/compressed_packets.h"

#include <utility>

#include "converter/base/proto_writer.h"
#include "converter/base/status_macros.h"
#include "perfetto_trace.pb.h"

namespace perf2x {
namespace {

namespace protos = perfetto::protos;

// Bytes from which packets are compressed. Readers hold the packets of a chunk
// until they have read the last of them.
constexpr size_t kChunk = 256 << 10;
constexpr size_t kMaxWaiting = 4;

}  // namespace

CompressedPackets::CompressedPackets(std::unique_ptr<Output> to, bool on_thread)
    : to_(std::move(to)),
      chunks_("perf2x-deflate", on_thread, kMaxWaiting,
              [this](std::string& packets) { return Compress(packets); }) {}

absl::Status CompressedPackets::Write(absl::string_view packets) {
  std::string& chunk = chunks_.item();
  chunk.append(packets.data(), packets.size());
  return chunk.size() < kChunk ? absl::OkStatus() : chunks_.Push();
}

absl::Status CompressedPackets::Compress(std::string& packets) {
  std::string bytes;
  RETURN_IF_ERROR(deflater_.Compress(packets, &bytes));
  packets.clear();
  ProtoWriter trace;
  const size_t packet = trace.Open(protos::Trace::kPacketFieldNumber);
  trace.Bytes(protos::TracePacket::kCompressedPacketsFieldNumber, bytes);
  trace.Close(packet);
  return to_->Write(trace.bytes());
}

absl::Status CompressedPackets::Close() {
  RETURN_IF_ERROR(chunks_.Finish());
  if (!chunks_.item().empty()) RETURN_IF_ERROR(Compress(chunks_.item()));
  return to_->Close();
}

}  // namespace perf2x
