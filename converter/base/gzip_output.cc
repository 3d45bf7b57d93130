// SPDX-License-Identifier: Apache-2.0
#include "converter/base/gzip_output.h"

#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <utility>

#include "converter/base/status_macros.h"

namespace perf2x {
namespace {

// The compressed bytes depend on where chunks end, so chunks must not depend on
// the sizes of the caller's writes.
constexpr size_t kDeflateChunk = 256 << 10;
// Neither side should wait for the other at every chunk.
constexpr size_t kMaxWaiting = 4;
constexpr uint32_t kLevel = 1;
// Bytes that are compressed alone, at the start of the stream. For the first
// byte of a larger input, ISA-L 2.30 hashes the address of its stream instead
// of the next bytes (isal_deflate_icf_body_hash_hist), so that the compressed
// bytes would depend on where memory is allocated.
constexpr size_t kStart = 16;

}  // namespace

// The stream of one gzip member, driven chunk by chunk.
class GzipOutput::Deflater {
 public:
  Deflater() : level_buffer_(ISAL_DEF_LVL1_DEFAULT), out_(kDeflateChunk / 4) {
    isal_deflate_init(&stream_);
    stream_.gzip_flag = IGZIP_GZIP;  // its default header has mtime 0
    stream_.level = kLevel;
    stream_.level_buf = level_buffer_.data();
    stream_.level_buf_size = static_cast<uint32_t>(level_buffer_.size());
  }

  absl::Status Compress(absl::string_view chunk, bool last, Output& to) {
    if (stream_.total_in == 0 && chunk.size() > kStart) {
      RETURN_IF_ERROR(Deflate(chunk.substr(0, kStart), SYNC_FLUSH, to));
      chunk.remove_prefix(kStart);
    }
    stream_.end_of_stream = last;
    return Deflate(chunk, NO_FLUSH, to);
  }

 private:
  absl::Status Deflate(absl::string_view bytes, uint16_t flush, Output& to) {
    // The library does not write to its input.
    stream_.next_in =
        reinterpret_cast<uint8_t*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uint32_t>(bytes.size());
    stream_.flush = flush;
    do {
      stream_.next_out = out_.data();
      stream_.avail_out = static_cast<uint32_t>(out_.size());
      if (isal_deflate(&stream_) != COMP_OK) {
        return absl::InternalError("cannot compress the output");
      }
      RETURN_IF_ERROR(to.Write({reinterpret_cast<const char*>(out_.data()),
                                out_.size() - stream_.avail_out}));
    } while (stream_.avail_out == 0);
    return absl::OkStatus();
  }

  std::vector<uint8_t> level_buffer_;
  std::vector<uint8_t> out_;
  isal_zstream stream_;
};

GzipOutput::GzipOutput(std::unique_ptr<Output> to, bool on_thread)
    : to_(std::move(to)),
      deflater_(std::make_unique<Deflater>()),
      chunks_("perf2x-gzip", on_thread, kMaxWaiting,
              [this](std::string& chunk) {
                absl::Status status =
                    deflater_->Compress(chunk, /*last=*/false, *to_);
                chunk.clear();
                return status;
              }) {}

GzipOutput::~GzipOutput() = default;

absl::Status GzipOutput::Write(absl::string_view bytes) {
  while (status_.ok() && !bytes.empty()) {
    std::string& chunk = chunks_.item();
    if (chunk.capacity() < kDeflateChunk) chunk.reserve(kDeflateChunk);
    const size_t n = std::min(bytes.size(), kDeflateChunk - chunk.size());
    chunk.append(bytes.data(), n);
    bytes.remove_prefix(n);
    if (chunk.size() == kDeflateChunk) status_ = chunks_.Push();
  }
  return status_;
}

absl::Status GzipOutput::Close() {
  RETURN_IF_ERROR(chunks_.Finish());
  RETURN_IF_ERROR(deflater_->Compress(chunks_.item(), /*last=*/true, *to_));
  return to_->Close();
}

}  // namespace perf2x
